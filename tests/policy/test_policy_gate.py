"""`make policies` passes what OPA passes and nothing else, and never takes another OPA for the stack's."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.policy.__main__ import FLOOR, covered, gate
from tests.policy.test_policy_second_engine import opa
from tests.support.opa import NoOpa, Opa, find
from tests.support.policy import POLICIES

__all__ = ["opa"]


def failed(opa: Opa, policies: Path) -> dict[str, str]:
    return {step.name: step.trouble for step in gate(opa, policies) if step.trouble}


def test_the_policies_pass(opa: Opa) -> None:
    steps = gate(opa, POLICIES)
    assert [step for step in steps if step.trouble] == []
    assert len(steps) == 4


def unformatted(text: str) -> str:
    return text.replace("\tcount(bad) == 0", "    count(bad) == 0").replace("\n\n", "\n\n\n\n")


def unsafe(text: str) -> str:
    return text + "\nnobody := anybody\n"


def untested(text: str) -> str:
    return text + "".join(f"\nnever_{nth} if data.ap.data.nothing[{nth}]\n" for nth in range(60))


def unwanted(text: str) -> str:
    return text.replace("package ap.routing\n", "package ap.routing\n\nimport data.ap.data\n")


@pytest.mark.parametrize(
    ("spoilt", "step", "names"),
    [
        (unformatted, "opa fmt --list --fail", "hold.rego"),
        (unsafe, "opa check --strict", "hold.rego:"),
        (unwanted, "opa check --strict", "unused"),
        (untested, "opa test --coverage", "not covered: "),
    ],
)
def test_what_opa_would_not_pass_is_named(
    opa: Opa, tmp_path: Path, spoilt: Callable[[str], str], step: str, names: str
) -> None:
    copy = Path(shutil.copytree(POLICIES, tmp_path / "policies"))
    file = copy / "ap" / "routing" / "hold.rego"
    file.write_text(spoilt(file.read_text()))
    assert names in failed(opa, copy)[step]


def test_a_test_that_fails_is_named(opa: Opa, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(POLICIES, tmp_path / "policies"))
    file = copy / "ap" / "routing" / "hold_test.rego"
    file.write_text(file.read_text() + "\ntest_two_is_three if 2 == 3\n")
    assert "test_two_is_three: FAIL" in failed(opa, copy)["opa test"]


@pytest.mark.parametrize(("missed", "passes"), [(5, True), (6, False)])
def test_the_floor_of_coverage_is_that_of_the_policies_without_their_tests(missed: int, *, passes: bool) -> None:
    gap = [{"start": {"row": 1}, "end": {"row": missed}}]
    files = {
        "rule.rego": {"covered_lines": 100 - missed, "not_covered": gap},
        "rule_test.rego": {"covered_lines": 10_000},
    }
    assert FLOOR == 95
    assert (covered({"files": files}).trouble == "") is passes


def test_nothing_covered_is_no_pass() -> None:
    assert covered({"files": {}}).trouble


def script(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder


def test_without_any_opa_it_is_said_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NoOpa) as ended:
        find({"PATH": str(tmp_path)}, build=True, folder=tmp_path / "build")
    for source in ("image openpolicyagent/opa:", "opa on the path: there is no opa", "built by Go: there is no go"):
        assert source in str(ended.value)


def test_an_opa_of_another_version_is_passed_over(tmp_path: Path) -> None:
    path = script(tmp_path / "bin", "opa", "echo Version: 0.12.0")
    with pytest.raises(NoOpa, match=r"is another one \(Version: 0\.12\.0\)"):
        find({"PATH": str(path)}, build=False, folder=tmp_path / "build")
    with pytest.raises(NoOpa, match="is another one"):
        find({"PATH": "", "OPA": str(path / "opa")}, build=False, folder=tmp_path / "build")


def test_an_engine_that_does_not_answer_is_passed_over(opa: Opa, tmp_path: Path) -> None:
    path = script(tmp_path / "bin", "docker", "echo Cannot connect to the Docker daemon >&2; exit 1")
    shutil.copy(opa.program, path / "opa")
    assert find({"PATH": f"{path}{os.pathsep}/usr/bin:/bin"}, build=False, folder=tmp_path / "build").origin == (
        "opa on the path"
    )


def test_where_there_is_known_to_be_none_nothing_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NoOpa, match="OPA=none"):
        find({"OPA": "none"}, build=True, folder=tmp_path)
