"""Usage is told as it was reported: by model and role, nothing added that nobody said."""

from typing import Any

from tests.support.histories.altering import altered, data
from tests.support.histories.right import no_po


def reported(*turns: list[dict[str, Any]], reader: Any = None) -> Any:
    def edit(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        for nth, usage in enumerate(turns):
            data(evidence, "turn.ended", nth)["usage"] = usage
        data(evidence, "reading.made")["usage"] = reader

    return altered(no_po(), edit).verdict().usage


def test_two_models_of_one_agent_are_never_added() -> None:
    found = reported(
        [{"model": "a", "input": 10, "output": 1}, {"model": "b", "input": 5}], [{"model": "a", "input": 7}]
    )
    assert [(one.role, one.model, one.counts["input"].total) for one in found] == [
        ("case agent", "a", 17),
        ("case agent", "b", 5),
    ]


def test_what_was_not_reported_is_absent_and_not_nought() -> None:
    (found,) = reported([{"model": "a", "input": 10}], [{"model": "a", "input": 2, "output": 3}])
    assert (found.counts["output"].total, found.counts["output"].missing) == (3, 1)
    assert (found.counts["reasoning"].total, found.counts["reasoning"].missing) == (None, 2)
    assert found.reports == 2


def test_the_reader_s_model_is_told_apart_from_the_agent_s() -> None:
    found = reported([{"model": "a", "input": 10}], reader={"model": "a", "input": 4})
    assert [(one.role, one.counts["input"].total) for one in found] == [("case agent", 10), ("reader", 4)]


def test_an_agent_that_reports_nothing_has_no_usage() -> None:
    assert reported([], []) == ()
