"""How the repository is written, beyond what a linter sees."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.repository import ROOT, python, text, tracked, tree

LINES = 400
FUNCTION_LINES = 60
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
CLOCKS = {Path("services/kit/src/deskworld_kit/clock.py"), Path("harness/src/deskworld/doors/clock.py")}
PURE = ("harness/src/deskworld/compiler", "harness/src/deskworld/settle", "harness/src/deskworld/scoring",
        "harness/src/deskworld/statistics", "harness/src/deskworld/values")  # fmt: skip
# put together here, so that this file names none of them
INDEXES = [f"{name}.{end}" for name, end in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"),
           ("golang", "org"), ("crates", "io"), ("debian", "org/debian"), ("maven", "org")]]  # fmt: skip
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.~}])/(?:root|home|Users|work|workspace)/\w")


def test_no_file_names_a_package_index() -> None:
    assert [(str(path), host) for path in tracked() for host in INDEXES if host in text(path)] == []


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = [(str(path), match.group()) for path in tracked() if (match := SOMEBODYS_FOLDER.search(text(path)))]
    assert found == []


def test_no_module_is_long() -> None:
    found = {str(path): len(text(path).splitlines()) for path in python()}
    assert {path: lines for path, lines in found.items() if lines > LINES} == {}


def test_no_function_is_long() -> None:
    found = [
        (str(path), node.name, node.end_lineno - node.lineno + 1)
        for path in python()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    assert [one for one in found if one[2] > FUNCTION_LINES] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [str(path) for path in python() if {*path.parts[:-1], path.stem} & VAGUE] == []


def test_nothing_sleeps() -> None:
    found = [
        (str(path), node.lineno)
        for path in python()
        if path not in CLOCKS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and "sleep" in ast.unparse(node.func).rpartition(".")[2]
    ]
    assert found == []


@pytest.mark.parametrize(
    "name",
    ["Makefile", "infra/workspace/setup", "infra/bare-root/run", "infra/offline/prove"]
    + [str(path) for path in tracked() if path.parts[0] == ".ci"],
)
def test_no_script_sleeps(name: str) -> None:
    assert re.search(r"\bsleep\s+[\d$]", text(Path(name))) is None


def test_randomness_is_handed_in_where_values_are_made() -> None:
    found = [
        (str(path), ast.unparse(node))
        for path in python()
        if str(path).startswith(PURE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in {"random", "secrets"} and node.attr != "Random"
    ]
    assert found == []


def test_nothing_is_patched() -> None:
    found = [
        (str(path), node.lineno)
        for path in python()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"mock.patch", "monkeypatch.setattr"}
    ]
    assert found == []


def test_every_exception_to_a_lint_gives_its_reason() -> None:
    """On its line, or as a comment on the line above."""
    bare = re.compile(r"#\s*noqa(?::\s*[A-Z0-9, ]+)?\s*$")
    found = [
        (str(path), number)
        for path in python()
        if path.parts[0] in {"services", "harness"}
        for number, (above, line) in enumerate(pairwise(["", *text(path).splitlines()]), 1)
        if bare.search(line) and not above.strip().startswith("#")
    ]
    assert found == []


def test_decisions_are_numbered_without_a_gap() -> None:
    names = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in names)


def test_a_decision_fits_on_a_page_and_is_called_by_its_number() -> None:
    for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        lines = path.read_text().splitlines()
        assert re.match(rf"# 0*{int(path.name[:4])}\b", lines[0]), path
        assert len(lines) <= 60, path


def test_links_between_pages_lead_somewhere() -> None:
    found = [
        (str(path), target)
        for path in tracked()
        if path.suffix == ".md"
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text(path))
        if not (ROOT / path.parent / target).exists()
    ]
    assert found == []
