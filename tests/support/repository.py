"""The repository as files: what is tracked, and how Python in it is written."""

import ast
import subprocess
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Every tracked file that is there, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())


@cache
def text(path: Path) -> str:
    """The empty text for a file that holds bytes."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


def python() -> tuple[Path, ...]:
    return tuple(path for path in tracked() if path.suffix == ".py")


@cache
def members() -> dict[str, dict[str, list[str]]]:
    """Import name of each member → its own and its third-party dependencies, by normalised distribution name."""
    found = {}
    for file in sorted([*ROOT.glob("services/*/pyproject.toml"), ROOT / "harness" / "pyproject.toml"]):
        project = tomllib.loads(file.read_text())["project"]
        names = [normalised(entry) for entry in project["dependencies"]]
        extras = project.get("optional-dependencies", {})
        found[project["name"].replace("-", "_")] = {
            "ours": [name.replace("-", "_") for name in names if name.startswith("deskworld")],
            "others": [name for name in names if not name.startswith("deskworld")],
            "extras": [normalised(entry) for extra in extras.values() for entry in extra],
        }
    return found


def normalised(requirement: str) -> str:
    """`pyjwt[crypto]>=2` → `pyjwt`; names as PEP 503 has them."""
    name = requirement
    for mark in "[<>=!~; ":
        name = name.partition(mark)[0]
    return name.strip().lower().replace("_", "-").replace(".", "-")
