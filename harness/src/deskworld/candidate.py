"""Who is under test, as a digest of the source that answers: another source is another candidate."""

import hashlib
import importlib.util
import sys
from pathlib import Path

OURS = {"playbook": "deskworld_agent"}
"""The package of each agent of ours that is not one of the harness's own controls."""
MODEL = "deskworld_agent"
"""Who puts a model's calls to the desk: the model itself has no source here."""
CONTROLS = "deskworld.agents"


def digest(agent: str, *, control: bool, model: bool = False) -> str | None:
    """SHA-256 over the Python files of the agent's package, or of its module where it has none around it.

    None for what has no source here: an agent that is attached from outside.
    """
    module = (MODEL if model else OURS.get(agent)) or (CONTROLS if control else _module(agent))
    source = None if module is None else _source(module)
    if source is None:
        return None
    files = sorted(source.rglob("*.py")) if source.is_dir() else [source]
    told = hashlib.sha256()
    for path in files:
        name = path.relative_to(source).as_posix() if source.is_dir() else path.name
        told.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return told.hexdigest()


def _module(agent: str) -> str | None:
    return None if "://" in agent else agent.partition(":")[0] if ":" in agent else None


def _source(module: str) -> Path | None:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    top, _, _ = module.partition(".")
    wanted = module if module == CONTROLS else top
    try:
        found = importlib.util.find_spec(wanted)
    except (ImportError, ValueError):
        return None
    if found is None or found.origin is None:
        return None
    origin = Path(found.origin)
    return origin.parent if origin.name == "__init__.py" else origin
