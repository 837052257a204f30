"""What a bundle's manifest says of a campaign before its first case: versions, digests, seeds, settings. Pure but for
the versions of what is installed and the bytes of the files that it names."""

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deskworld.errors import UsageWrong
from deskworld.planning import Prepared
from deskworld.scoring import NORMAL_FORM
from deskworld.values.campaign import Settings
from deskworld.values.stack import Stack
from deskworld.values.verdict import GRADING

SAME = ("settings", "seeds", "world", "scenarios", "gates", "agent", "policies", "rules", "tolerances", "versions")
"""What must be as it was for a campaign to go on: cases under other scenarios or rules are no runs of this one."""


def manifest(
    settings: Settings, stack: Stack, ready: Prepared, *, agent: Mapping[str, Any], in_force: Mapping[str, str | None]
) -> dict[str, Any]:
    """`scenarios` by name, each with the SHA-256 of its file. `agent`: the candidate with its digests. `in_force`:
    what decided on the stack, where heard."""
    return {
        "label": settings.label,
        "settings": settings.model_dump(mode="json"),
        "seeds": sorted({one.seed for one in (*ready.plan.together, *ready.plan.alone)}),
        "stack": {"id": stack.id, "kind": stack.kind},
        "world": ready.world.name,
        "scenarios": {one.name: file_digest(ready.files[one.name]) for one in ready.chosen},
        "gates": file_digest(ready.gates_file) if ready.gates_file else None,
        "agent": dict(agent),
        **in_force,
        "versions": {
            "deskworld": version("deskworld"),
            "grading": GRADING,
            "normal_form": NORMAL_FORM,
            "python": platform.python_version(),
        },
    }


def refuse_other(before: Mapping[str, Any], now: Mapping[str, Any], folder: Path) -> None:
    """Raises UsageWrong, naming what is not as it was when the campaign in this folder began."""
    kinds = (before.get("stack") or {}).get("kind"), now["stack"]["kind"]
    changed = [name for name in SAME if before.get(name) != now[name]] + ["stack.kind"] * (kinds[0] != kinds[1])
    if changed:
        details = "; ".join(_difference(name, before, now) for name in changed)
        raise UsageWrong(
            f"{folder} was begun under something else: {details}",
            next_step="put that back as it was, or start a new run",
        )


def file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _difference(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    was, is_ = before.get(name), now.get(name)
    if isinstance(was, dict) and isinstance(is_, dict):
        parts = [part for part in sorted({*was, *is_}) if was.get(part) != is_.get(part)]
        return f"{name} ({', '.join(parts)})"
    return name
