"""The policy: loaded, deciding, and the very one of the folder. OPA goes on with the last good policy when an edit does
not load, and calls itself healthy: only a comparison of sources shows it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deskworld.doors import engine
from deskworld.doors.probe import Said, said_by, stranger
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack

PACKAGE = re.compile(r"^package\s+([\w.]+)", re.MULTILINE)
DECIDES = re.compile(r"^(?:default\s+)?decision\b", re.MULTILINE)
MOUNTED = "/policies"
LOADING = ("/opa", "eval", "--data", MOUNTED, "--ignore", "*_test.rego", "--format", "json", "true")
"""What docker-compose.yml lets OPA read at its start, read once more beside it."""
NEXT = "mend it (`opa check --strict FOLDER` says when); until then the server decides by what it loaded last"
AGAIN = "its files load, and it has not read them: `docker compose up -d --force-recreate policy`"


@dataclass(frozen=True, slots=True)
class Sources:
    """What stands in a folder of policies: Rego but for its tests, and data, each by its path in the folder."""

    modules: Mapping[str, str]
    data: Mapping[str, Any]


def sources(folder: Path) -> Sources:
    """Raises DoorFailed naming the file that cannot be read, and the line."""
    modules = {path.relative_to(folder).as_posix(): _text(path) for path in sorted(folder.rglob("*.rego"))}
    data = {path.relative_to(folder).as_posix(): _document(path) for path in sorted(folder.rglob("data.json"))}
    return Sources({name: text for name, text in modules.items() if not _is_test(name)}, data)


async def loaded(stack: Stack, folder: Path | None) -> str:
    """Raises DoorFailed: not well, no decision, no revision, or other sources than in the folder."""
    well = await said_by("policy", stack.policy, "/health")
    if well.document is None:
        raise stranger("policy", stack.policy, well)
    if well.status != 200:
        raise DoorFailed(f"policy not loaded: {stack.policy} is not well: {_trouble(well)}", next_step=NEXT)
    served = await _served(stack)
    deciding = sorted(
        {found.group(1) for text in served.values() if DECIDES.search(text) and (found := PACKAGE.search(text))}
    )
    if not deciding:
        raise DoorFailed(f"policy not loaded: {stack.policy} has none that decides", next_step=NEXT)
    revisions = {await _revision(stack, package) for package in deciding}
    said = f"{stack.policy} {', '.join(deciding)} at revision {', '.join(sorted(revisions))}"
    if folder is None:
        return said
    await _as_in(folder, stack, served)
    return f"{said}, as in {folder}"


async def _as_in(folder: Path, stack: Stack, served: Mapping[str, str]) -> None:
    wanted = sources(folder)
    stale = _other_modules(served, wanted.modules)
    stale += [name for name in wanted.data if not await _holds(stack, wanted, name)]
    if stale:
        why = await _refused(stack)
        raise DoorFailed(
            f"policy not loaded: {stack.policy} decides by other sources than {folder}: {', '.join(stale)}"
            + (f"; these do not load: {why}" if why else ""),
            next_step=AGAIN if why == "" else NEXT,
        )


async def _refused(stack: Stack) -> str | None:
    """What OPA says of the files that its container sees; empty when they load, None where it cannot be asked."""
    port = urlsplit(stack.policy).port
    said = await engine.inside(port, *LOADING) if stack.kind == "compose" and port else None
    try:
        answer = json.loads(said or "")
    except ValueError:
        return None
    errors = answer.get("errors", []) if isinstance(answer, dict) else []
    return "; ".join(dict.fromkeys(_error(one) for one in errors[:3]))


def _error(one: Mapping[str, Any]) -> str:
    place, what = one.get("location"), str(one.get("message"))
    where = f"{place['file']}:{place['row']}: " if isinstance(place, dict) else ""
    return (where + what).replace(f"{MOUNTED}/", "")


async def _served(stack: Stack) -> dict[str, str]:
    """Rego sources by name, but for their tests."""
    said = await said_by("policy", stack.policy, "/v1/policies")
    found = said.document.get("result") if isinstance(said.document, dict) else None
    if said.status != 200 or not isinstance(found, list):
        raise DoorFailed(f"policy not loaded: {stack.policy} names no policies: {_trouble(said)}", next_step=NEXT)
    return {str(one["id"]): str(one["raw"]) for one in found if not _is_test(str(one["id"]))}


async def _revision(stack: Stack, package: str) -> str:
    path = f"/v1/data/{package.replace('.', '/')}/decision"
    said = await said_by("policy", stack.policy, path, body={"input": {}})
    answer = said.document if isinstance(said.document, dict) else {}
    result = answer.get("result")
    revision = result.get("revision") if isinstance(result, dict) else None
    if not isinstance(revision, str) or revision == "unknown":
        raise DoorFailed(
            f"policy not loaded: the decision of {package} has no revision ({_trouble(said)})", next_step=NEXT
        )
    if not answer.get("decision_id"):
        raise DoorFailed(
            f"policy keeps no log: the decision of {package} has no id, so that no timeline could name it",
            next_step="start OPA with `--set=decision_logs.console=true`, or with decision logs of another kind",
        )
    return revision


def _other_modules(served: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """OPA names a module by the path that it was started with: what counts is the end of it."""
    in_force = {next((name for name in wanted if f"/{one}".endswith(f"/{name}")), one): served[one] for one in served}
    changed = [name for name, text in wanted.items() if in_force.get(name, "").strip() != text.strip()]
    return changed + [name for name in in_force if name not in wanted]


async def _holds(stack: Stack, wanted: Sources, name: str) -> bool:
    """OPA mounts a data file at its folder; policies may add more beside it."""
    said = await said_by("policy", stack.policy, f"/v1/data/{name.rpartition('/')[0]}")
    found = said.document.get("result") if isinstance(said.document, dict) else None
    return isinstance(found, dict) and all(found.get(key) == value for key, value in wanted.data[name].items())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DoorFailed(f"policy not loaded: {path} cannot be read: {error}", next_step=NEXT) from error


def _document(path: Path) -> Mapping[str, Any]:
    text = _text(path)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise DoorFailed(f"policy not loaded: {path}:{error.lineno}: {error.msg}", next_step=NEXT) from error
    if not isinstance(document, dict):
        raise DoorFailed(f"policy not loaded: {path}:1: a data file holds an object", next_step=NEXT)
    return document


def _is_test(name: str) -> bool:
    return name.endswith("_test.rego")


def _trouble(said: Said) -> str:
    document = said.document
    if isinstance(document, dict):
        for name in ("error", "message", "errors"):
            if document.get(name):
                return str(document[name])[:300]
    return f"{said.status} {said.text[:200]}"
