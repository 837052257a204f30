"""What a bundle's manifest says of a campaign before its first case: versions, digests, seeds, settings. Pure but for
the versions of what is installed and the bytes of the scenario files."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deskworld.scoring import NORMAL_FORM
from deskworld.values.campaign import Settings
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.values.verdict import GRADING
from deskworld.world import World


def manifest(settings: Settings, stack: Stack, world: World, scenarios: tuple[Scenario, ...]) -> dict[str, Any]:
    """`scenarios` by name, each with the SHA-256 of its file."""
    return {
        "label": settings.label,
        "settings": settings.model_dump(mode="json"),
        "seeds": [settings.seed + nth for nth in range(settings.repetitions)],
        "stack": {"id": stack.id, "kind": stack.kind},
        "world": world.name,
        "scenarios": {one.name: _digest(world.scenarios / f"{one.name}.yaml") for one in scenarios},
        "versions": {
            "deskworld": version("deskworld"),
            "grading": GRADING,
            "normal_form": NORMAL_FORM,
            "python": platform.python_version(),
        },
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
