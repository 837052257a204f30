"""OPA itself over everything that the grids ask: the engine of the embedded stack and the real one never differ.

Where OPA is found, and what it costs to have none: tests/support/opa.py. In CI it must be there.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.policy.grid import proposals, question
from tests.policy.test_policy_resolution_table import ROWS, UNHANDLED
from tests.support.opa import NONE, NoOpa, Opa, found
from tests.support.policy import POLICIES, resolution, routing
from tests.support.policy_inputs import ACTIONS, NONSENSE, REASONS, Json, asked, leaves, spoil

IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="module")
def opa() -> Opa:
    try:
        return found(build=IN_CI)
    except NoOpa as error:
        if IN_CI and os.environ.get("OPA") != NONE:
            pytest.fail(str(error))
        pytest.skip(str(error))


def answers(opa: Opa, entrypoint: str, inputs: list[Any], folder: Path) -> list[Any]:
    """Every input in one evaluation; an input without an answer has null."""
    file = folder / "inputs.json"
    file.write_text(json.dumps(inputs))
    query = f"[[y | y := {entrypoint} with input as x] | some x in input]"
    done = opa.run("eval", "--format=raw", "--data", POLICIES, "--input", file, query)
    assert done.returncode == 0, done.stderr or done.stdout[:2000]
    given: list[list[Any]] = json.loads(done.stdout)
    return [answer[0] if len(answer) == 1 else None for answer in given]


def spoilt(sound: Json) -> Iterator[Json]:
    for path in leaves(sound)[1:]:
        for put in (*NONSENSE, "absent"):
            yield spoil(sound, path, put)


def routing_inputs() -> Iterator[Any]:
    yield from NONSENSE
    for action in ACTIONS:
        for reason in REASONS:
            yield asked(action, reason)
        for reason in ("PRICE_VARIANCE", "NO_PO", "VENDOR_BANK_CHANGED"):
            yield from spoilt(asked(action, reason))
    for tool in ("email_vendor", "get_invoice", "no_such_tool"):
        yield from spoilt({**asked(), "tool": tool})
    for nth, proposal in enumerate(proposals()):
        if nth % 7 == 0:
            yield question(proposal)


def resolution_inputs() -> Iterator[Any]:
    yield from NONSENSE
    for given in (*(row[1] for row in ROWS), *(row[1] for row in UNHANDLED)):
        yield given
        yield from spoilt(given)


def test_routing_is_the_same_in_both_engines(opa: Opa, tmp_path: Path) -> None:
    inputs = list(routing_inputs())
    assert len(inputs) > 5_000
    for given, answer in zip(inputs, answers(opa, "data.ap.routing.decision", inputs, tmp_path), strict=True):
        assert answer == routing(given), given


def test_resolution_is_the_same_in_both_engines(opa: Opa, tmp_path: Path) -> None:
    inputs = list(resolution_inputs())
    assert len(inputs) > 5_000
    for given, answer in zip(inputs, answers(opa, "data.ap.resolution.decision", inputs, tmp_path), strict=True):
        assert answer == resolution(given), given
