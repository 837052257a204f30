"""Every test_ rule that stands beside a policy, in the embedded engine."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.policy import POLICIES, Engine, documents, engine

TEST_FILES = sorted(POLICIES.rglob("*_test.rego"))


def named_tests() -> list[tuple[str, str]]:
    found = []
    for file in TEST_FILES:
        source = file.read_text()
        package = re.search(r"^package (\S+)", source, re.MULTILINE)
        assert package, f"{file} has no package"
        found += [(package[1], name) for name in re.findall(r"^(test_\w+)", source, re.MULTILINE)]
    return found


@pytest.fixture(scope="module")
def tested() -> Engine:
    return engine(with_tests=True)


@pytest.mark.parametrize(("package", "name"), named_tests())
def test_the_policy_test_holds(tested: Engine, package: str, name: str) -> None:
    outcome: Any = tested.eval_rule(f"data.{package}.{name}")
    assert outcome is True


def test_every_test_name_stands_once() -> None:
    names = named_tests()
    assert len(names) == len(set(names))


def test_nothing_but_the_name_of_a_rule_is_negated() -> None:
    """OPA takes what a call is given out of the negation: with an absent fact the rule would be silent, and pass."""
    rules = [file for file in POLICIES.rglob("*.rego") if not file.name.endswith("_test.rego")]
    negated = [
        (file.name, line.strip())
        for file in rules
        for line in file.read_text().splitlines()
        if re.match(r"(?:[^\"#]*\s)?not\s", line)
    ]
    assert len(negated) > 15
    assert [one for one in negated if not re.search(r"\bnot [a-z_]+(\.[a-z_]+)*$", one[1])] == []


def test_every_rule_file_has_its_test_beside_it() -> None:
    rules = [file for file in POLICIES.rglob("*.rego") if not file.name.endswith("_test.rego")]
    assert rules
    assert [file for file in rules if not file.with_name(f"{file.stem}_test.rego").exists()] == []


REFUSALS = [
    (file, code)
    for file in sorted(POLICIES.rglob("*.rego"))
    if not file.name.endswith("_test.rego")
    for code in sorted(set(re.findall(r'"code": "([A-Z_]+)"', file.read_text())))
]


@pytest.mark.parametrize(("file", "code"), REFUSALS, ids=lambda one: one if isinstance(one, str) else one.stem)
def test_every_reason_that_a_file_gives_is_met_by_the_test_beside_it(file: Path, code: str) -> None:
    """By its code; a route and a matched row by whom or what they name."""
    beside = file.with_name(f"{file.stem}_test.rego").read_text()
    said = {"NOTHING_PAID": "clerk", "PAYS_POSSIBLE_DUPLICATE": "controller", "ABOVE_LIMIT": "controller",
            "OWN_ORDER": "buyer", "WITHIN_LIMIT": "ap-manager", "ROW_MATCHED": "found.row", "ROWS_CONFLICT": "conflict",
            "NO_ROW": "unhandled"}  # fmt: skip
    assert said.get(code, code) in beside or (code == "POLICY_INCOMPLETE" and "unknown" in beside)


def test_every_refusal_has_its_place_in_the_order_and_every_place_its_refusal() -> None:
    routing = {code for file, code in REFUSALS if file.parent.name == "routing" and file.stem != "route"}
    order = documents()["ap"]["data"]["order_of_refusals"]
    assert routing - {"POLICY_INCOMPLETE"} == set(order)
    assert len(order) == len(set(order))
