"""The policy: loaded, deciding, and the very one of the folder. OPA goes on with the last good policy when an edit does
not load, and calls itself healthy: only a comparison of sources shows it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskworld.doors.probe import Said, said_by, stranger
from deskworld.errors import DoorFailed, StackUnavailable
from deskworld.values.stack import Stack

PACKAGE = re.compile(r"^package\s+([\w.]+)", re.MULTILINE)
DECIDES = re.compile(r"^(?:default\s+)?decision\b", re.MULTILINE)
NEXT = "`opa check --strict policies/` names the line; the server goes on with what it loaded last"


@dataclass(frozen=True, slots=True)
class Sources:
    """What stands in a folder of policies: Rego but for its tests, and data, each by its path in the folder."""

    folder: str
    modules: Mapping[str, str]
    data: Mapping[str, Any]


def sources(folder: Path) -> Sources:
    """Raises StackUnavailable for a file that cannot be read."""
    modules = {path: path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.rego"))}
    data = {path: path.relative_to(folder).as_posix() for path in sorted(folder.rglob("data.json"))}
    try:
        return Sources(
            str(folder),
            {name: path.read_text(encoding="utf-8") for path, name in modules.items() if not _is_test(name)},
            {name: json.loads(path.read_text(encoding="utf-8")) for path, name in data.items()},
        )
    except (OSError, ValueError) as error:
        raise StackUnavailable(f"the policies of {folder} cannot be read: {error}", next_step=NEXT) from error


async def loaded(stack: Stack, wanted: Sources | None) -> str:
    """Raises DoorFailed: not well, no decision, no revision, or other sources than are wanted."""
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
    if wanted is None:
        return said
    stale = _other_modules(served, wanted.modules)
    stale += [name for name in wanted.data if not await _holds(stack, wanted, name)]
    if stale:
        raise DoorFailed(
            f"policy not loaded: {stack.policy} decides by other sources than {wanted.folder}: {', '.join(stale)}",
            next_step=NEXT,
        )
    return f"{said}, as in {wanted.folder}"


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
    result = said.document.get("result") if isinstance(said.document, dict) else None
    revision = result.get("revision") if isinstance(result, dict) else None
    if not isinstance(revision, str) or revision == "unknown":
        raise DoorFailed(
            f"policy not loaded: the decision of {package} has no revision ({_trouble(said)})", next_step=NEXT
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


def _is_test(name: str) -> bool:
    return name.endswith("_test.rego")


def _trouble(said: Said) -> str:
    document = said.document
    if isinstance(document, dict):
        for name in ("error", "message", "errors"):
            if document.get(name):
                return str(document[name])[:300]
    return f"{said.status} {said.text[:200]}"
