import json
from pathlib import Path

import pytest
from tests.bench.__main__ import one
from tests.bench.figures import FIGURES
from tests.bench.ground import Ground, NotMeasured
from tests.bench.result import Result, document

from deskworld.values.stack import Stack

STACK = Stack.model_validate(
    {
        "schema": "deskworld/stack/1",
        "id": "given-1",
        "kind": "given",
        **dict.fromkeys(("erp", "erp_stage", "desk", "desk_stage", "agent_door", "issuer", "policy"), "http://no.test"),
        **{door: {"host": "no.test", "port": 1} for door in ("smtp", "submission", "imap")},
        "secrets": dict.fromkeys(("erp_stage", "desk_stage", "agent_client", "counterparty_mailbox"), "s3cret"),
    }
)


@pytest.mark.parametrize(
    ("value", "goal", "met"), [(2.9, 3, True), (3.0, 3, True), (3.1, 3, False), (9.0, None, None), (None, 3, False)]
)
def test_a_goal_is_the_most_that_a_figure_may_be(value: float | None, goal: float | None, met: bool | None) -> None:
    assert Result("stack up, warm", value, "s", goal).met is met


@pytest.mark.parametrize(("value", "met"), [(0.14, True), (0.13, True), (0.12, False), (None, False)])
def test_some_goals_are_the_least_that_a_figure_may_be(value: float | None, met: bool) -> None:
    assert Result("ERP read, of a bare route", value, "×", 0.13, at_least=True).met is met


def test_the_file_has_the_published_form() -> None:
    written = json.loads(json.dumps(document([Result("stack up, warm", 2.5, "s", 3)])))
    assert written == {
        "schema": "deskworld/bench/1",
        "results": [{"name": "stack up, warm", "value": 2.5, "unit": "s", "goal": 3, "met": True}],
    }


async def test_a_figure_that_cannot_be_measured_meets_no_goal(tmp_path: Path) -> None:
    async def broken(_: Ground) -> list[Result]:
        raise NotMeasured("harness run: 29 of 30 passed")

    ground = Ground(STACK, 0.0, tmp_path)
    [result] = await one("rules-case", broken, ground)
    assert result.met is False
    assert "29 of 30" in document([result])["results"][0]["why"]


def test_every_figure_stands_in_the_table_once() -> None:
    assert len(set(FIGURES.values())) == len(FIGURES)
