"""Two stacks are alike when every case ends alike on both; whatever is missing, broken or different is told."""

from typing import Any

from tests.both_stacks import comparing, playing, showing
from tests.both_stacks.__main__ import planned
from tests.both_stacks.comparing import Pair, compared, timelines_differ, verdicts_differ
from tests.support.harness import scenario
from tests.support.histories.altering import altered, rows
from tests.support.histories.played import Played
from tests.support.histories.right import no_po, price_variance_small

from deskworld.bundle import StoredCase


def stored(played: Played, **verdict: Any) -> StoredCase:
    return StoredCase(0, played.record, played.evidence, played.verdict().model_copy(update=verdict))


def pair(embedded: StoredCase | None, compose: StoredCase | None) -> Pair:
    return Pair("no-po", "oracle", "on", 7, embedded, compose)


def approved_by_another(played: Played) -> Played:
    def changed(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "command.applied")[0]["data"]["status"] = "REJECTED"

    return altered(played, changed)


def test_the_same_case_on_both_is_no_difference() -> None:
    alike = pair(stored(no_po()), stored(no_po()))
    assert verdicts_differ(alike) == timelines_differ(alike) == list(showing.differences([compared(alike)])) == []


def test_a_timeline_that_differs_is_shown_as_the_rows_that_differ() -> None:
    right = price_variance_small()
    shown = timelines_differ(pair(stored(right), stored(approved_by_another(right))))
    changed = [line for line in shown if line.startswith(("-", "+")) and not line.startswith(("---", "+++"))]
    assert [(line[0], "command.applied" in line) for line in changed] == [("-", True), ("+", True)]
    assert '"status": "REJECTED"' in changed[1]


def test_an_id_in_the_place_of_another_is_shown_too() -> None:
    def changed(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "decision.made")[0]["data"]["decision_id"] = "0" * 8

    right = price_variance_small()
    shown = timelines_differ(pair(stored(right), stored(altered(right, changed))))
    assert any(line.startswith("+") and "decision.made" in line for line in shown)


def test_a_long_diff_says_how_much_it_leaves_out() -> None:
    shown = timelines_differ(pair(stored(no_po()), stored(price_variance_small())))
    assert len(shown) == comparing.SHOWN + 1
    assert shown[-1].endswith(" lines more")


def test_a_verdict_that_differs_is_named_by_what_differs() -> None:
    other = stored(no_po(), touches=2, settled_by="rules")
    assert verdicts_differ(pair(stored(no_po()), other)) == [
        "settled by: embedded agent, compose rules",
        "touches: embedded 1, compose 2",
    ]


def test_what_differs_is_told_under_the_name_of_its_pair() -> None:
    other = stored(no_po(), touches=2)
    told = list(showing.differences([compared(pair(stored(no_po()), other))]))
    assert told == ["no-po · oracle · rules on · seed 7", "  touches: embedded 1, compose 2"]


def test_a_check_that_fails_or_is_missing_on_one_side_is_named() -> None:
    played = no_po()
    fewer = stored(played, checks=played.verdict().checks[1:])
    (line,) = verdicts_differ(pair(stored(played), fewer))
    assert line.endswith("embedded passed, compose None")


def test_a_run_that_broke_differs_also_from_one_that_broke_alike() -> None:
    broken = stored(no_po(), broken="no row was ever heard")
    assert verdicts_differ(pair(broken, broken)) == [
        "broke on embedded: no row was ever heard",
        "broke on compose: no row was ever heard",
    ]


def test_a_case_that_only_one_side_played_is_a_difference_twice() -> None:
    (one,) = comparing.pairs([stored(no_po())], [], agent="oracle", rules="on")
    assert (one.scenario, one.seed) == ("no-po", no_po().case.seed)
    assert verdicts_differ(one) == ["not played on compose"]
    assert timelines_differ(one)


def test_a_case_without_evidence_or_without_a_row_is_never_equal() -> None:
    silent = StoredCase(0, no_po().record, None, no_po().verdict())
    assert timelines_differ(pair(silent, silent)) == ["no evidence on embedded"]
    bare = no_po().evidence.model_copy(update={"timelines": ()})
    nothing = StoredCase(0, no_po().record, bare, no_po().verdict())
    assert timelines_differ(pair(nothing, nothing)) == ["a timeline without a row"]


def test_as_many_seeds_are_played_as_the_wanted_pairs_need() -> None:
    assert planned(None, None, 6) == (100, 5)
    assert planned(None, 1, 6) == (24, 1)
    assert planned(200, None, 29) == (200, 2)
    assert planned(100, 1, 6) == (100, 1), "too few are played, which is a failure"


def test_a_scenario_that_concerns_the_whole_stack_is_played_alone_and_first() -> None:
    two = {name: scenario(name) for name in ("duplicate", "no-po")}
    assert playing.groups(two) == (("duplicate", "no-po"),)
    two["no-po"] = two["no-po"].model_copy(update={"role": "global"})
    assert playing.groups(two) == (("no-po",), ("duplicate",))
