"""The core of the desk knows no accounts payable: a world is wired in one place."""

import ast
from pathlib import Path

import deskworld_desk

ROOT = Path(deskworld_desk.__file__).parent
WIRING = {Path("app.py")}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


def test_no_module_of_the_core_imports_a_world() -> None:
    guilty = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT) not in WIRING
        and path.relative_to(ROOT).parts[0] != "worlds"
        and any(name.startswith("deskworld_desk.worlds") for name in _imports(path))
    }
    assert guilty == set()


def test_no_world_reaches_into_the_core_beyond_what_it_is_given() -> None:
    allowed = {"deskworld_desk.world", "deskworld_desk.changes", "deskworld_desk.policy_client", "deskworld_desk.text",
               "deskworld_desk.quarantine.reading"}  # fmt: skip
    used = {
        name
        for path in (ROOT / "worlds").rglob("*.py")
        for name in _imports(path)
        if name.startswith("deskworld_desk") and not name.startswith("deskworld_desk.worlds")
    }
    assert used <= allowed
