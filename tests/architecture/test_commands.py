"""What the README tells a reader to type can be typed, and the merge runs what the README says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repository import ROOT, text, tracked
from typer.testing import CliRunner

from deskworld.cli import app

README = Path("README.md")
CODE = re.compile(r"```(?:sh|bash|console)?\n(.*?)```|^ {4}(\S[^\n]*)$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
SETUP = "infra/workspace/setup"
WIDE = {"COLUMNS": "200", "TERM": "dumb", "PATH": "/usr/bin:/bin"}


def written(program: str) -> list[str]:
    """What follows `program` in the README's code, fenced, indented or in a sentence."""
    code = "\n".join(part for found in CODE.findall(text(README)) for part in found)
    return re.findall(rf"^(?:\$ )?(?:\.venv/bin/)?{program} +([a-z][\w-]*)(?![\w./])", code, re.MULTILINE)


def targets() -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+):", text(Path("Makefile")), re.MULTILINE))


def test_the_first_screen_has_the_two_commands() -> None:
    screen = "\n".join(text(README).splitlines()[:60])
    assert re.findall(r"^ {4}make (run|test)\b", screen, re.MULTILINE) == ["run", "test"]


def test_every_make_command_of_the_readme_is_a_target() -> None:
    assert set(written("make")) - targets() == set()


def test_every_harness_command_of_the_readme_answers_for_help() -> None:
    commands = set(written("harness"))
    assert {"run", "up", "down"} <= commands
    for command in sorted(commands):
        done = CliRunner().invoke(app, [command, "--help"])
        assert done.exit_code == 0, (command, done.output)


def test_every_flag_of_the_readme_is_one_of_the_command() -> None:
    harness = Path(sys.executable).parent / "harness"
    said = subprocess.run([harness, "run", "--help"], capture_output=True, text=True, check=True, timeout=30, env=WIDE)
    runs = re.findall(r"harness run ([^`\n]*)", text(README)) + re.findall(r'ARGS="([^"]*)"', text(README))
    flags = {flag for run in runs for flag in re.findall(r"(--[a-z][a-z-]*)", run)}
    assert {flag for flag in flags if not re.search(rf"{flag}\b", said.stdout)} == set()


def test_help_lists_what_the_makefile_offers() -> None:
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("help", "setup", "run", "test", "check", "e2e", "bench", "soak", "fmt"):
        assert re.search(rf"^  make {target} +\S", said, re.MULTILINE), target


def test_the_merge_runs_the_readmes_test_command_and_the_end_to_end_tests() -> None:
    steps = re.findall(r"^(?:step|beside) make (?:--\S+ )*(\S+)", text(Path(".ci/run")), re.MULTILINE)
    assert {"test", "check", "e2e", "soak"} <= set(steps)


MERGE = [".ci/run", ".ci/containers", ".ci/through-doors", ".ci/by-parts"]


@pytest.mark.parametrize("name", [*MERGE, SETUP, "infra/bare-root/run", "infra/offline/prove"])
def test_a_script_can_be_started_and_its_shell_reads_it(name: str) -> None:
    first = text(Path(name)).splitlines()[0]
    command = ["bash" if first.endswith("bash") else "sh", "-n", str(ROOT / name)]
    assert (ROOT / name).stat().st_mode & 0o111
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def workspace(folder: Path) -> Path:
    """A copy of all that setting up reads, without an environment."""
    for path in tracked():
        if path.parts[0] in {"Makefile", "requirements"} or path.name == "pyproject.toml" or "workspace" in path.parts:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    return folder


def set_up(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / SETUP), "run"]
    given = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PIP_RETRIES": "0", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=given, cwd=folder)


def test_without_a_python_that_is_new_enough_setting_up_says_what_is_missing(tmp_path: Path) -> None:
    old = tmp_path / "python2.7"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = set_up(workspace(tmp_path), PYTHON=str(old))
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed" in done.stderr
    assert str(old) in done.stderr


def test_an_environment_that_is_there_keeps_its_python(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    chosen = tmp_path / "python3.13"
    chosen.write_text("#!/bin/sh\n[ $1 = -c ] || echo chosen\n")
    chosen.chmod(0o755)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}\nexecutable = {chosen}\n")
    assert set_up(folder).stdout == "chosen\n"


def test_when_pip_cannot_install_setting_up_says_so_and_leaves_nothing_that_looks_ready(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    # the Python that this environment was made with: it has pip, where the environment has none
    python = str(Path(sys.base_prefix) / "bin" / "python{}.{}".format(*sys.version_info))
    for _ in range(2):
        done = set_up(folder, PYTHON=python, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
        assert done.returncode == 1
        assert "pip ended with status" in done.stderr


@pytest.mark.parametrize("target", ["setup", "run"])
def test_make_works_from_any_folder(target: str, tmp_path: Path) -> None:
    command = ["make", "--dry-run", "-C", str(ROOT), target]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f"{SETUP} run" in said
