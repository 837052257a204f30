"""Settlement over histories made of the desk's own state table: once settled, nothing moves; at rest, it is settled.

A predicate that is too eager passes a run that is not over. So the proof asks, of every moment at which the harness
could look, whether anything can still happen; and it must notice the loss of any single conjunct.
"""

from functools import cache

import pytest
from tests.support.desk_histories.histories import History, Moment
from tests.support.harness import compiled

from deskworld import settle
from deskworld.settle import CONJUNCTS, Conjunct
from deskworld.values.case import Case
from deskworld.worlds import AP
from deskworld_desk.cases.states import TRANSITIONS

SCENARIOS = (
    "price-variance-small",
    "no-po",
    "buyer-denies",
    "silent-buyer",
    "silent-vendor",
    "goods-arrive",
    "redelivered",
)
HISTORIES = 1_000
"""Here; ten times as many and more in the soak."""
ENOUGH = 700
"""Histories within which a predicate without one of its conjuncts has been caught."""
NOT_WALKED = {
    ("INVESTIGATING", "ON_HOLD"),
    ("INVESTIGATING", "RESOLVED"),
    ("AWAITING_ANSWER", "NEEDS_PERSON"),
    ("AWAITING_ANSWER", "RESOLVED"),
    ("AWAITING_DECISION", "NEEDS_PERSON"),
    ("AWAITING_DECISION", "RESOLVED"),
    ("DECIDED", "NEEDS_PERSON"),
    ("ON_HOLD", "NEEDS_PERSON"),
    ("ON_HOLD", "RESOLVED"),
    ("NEEDS_PERSON", "INVESTIGATING"),
    ("NEEDS_PERSON", "AWAITING_DECISION"),
    ("NEEDS_PERSON", "RESOLVED"),
}
"""A person who closes, proposes or resumes, a deadline, a re-check: nobody in a script does any of it."""


def cases_of(seed: int) -> Case:
    return compiled_once(SCENARIOS[seed % len(SCENARIOS)])


@cache
def compiled_once(name: str) -> Case:
    return compiled(name)


def wrong(moment: Moment, conjuncts: tuple[Conjunct, ...]) -> str | None:
    """What the predicate gets wrong at this moment, in words."""
    found = settle.settled(moment.seen, AP, conjuncts)
    if found is None:
        stands = moment.last and moment.at_an_end()
        return f"at rest, and not settled: {settle.blocked(moment.seen, AP, conjuncts)}" if stands else None
    if moment.in_flight:
        return f"settled ({found.because}) with an answer in flight"
    if moment.moves_on():
        return f"settled ({found.because}), and something can still happen"
    return None if moment.at_an_end() else f"settled ({found.because}) at no end"


def first_wrong(histories: int, conjuncts: tuple[Conjunct, ...]) -> str | None:
    for seed in range(histories):
        case = cases_of(seed)
        for moment in History(case, seed).moments():
            found = wrong(moment, conjuncts)
            if found is not None:
                return f"{found}; {case.scenario}, history {seed}"
    return None


def test_no_settled_case_ever_moves_again_and_an_answer_in_flight_blocks() -> None:
    assert first_wrong(HISTORIES, CONJUNCTS) is None


@pytest.mark.parametrize("without", CONJUNCTS, ids=lambda one: one.__name__)
def test_without_any_single_conjunct_the_predicate_is_caught(without: Conjunct) -> None:
    assert first_wrong(ENOUGH, tuple(one for one in CONJUNCTS if one is not without)) is not None


def test_the_histories_walk_the_state_table_and_are_killed_on_the_way() -> None:
    walked: set[tuple[str, str]] = set()
    again = 0
    for seed in range(300):
        *_, last = History(cases_of(seed), seed).moments()
        moved = [row["data"] for row in last.seen.rows if row["kind"] == "case.moved"]
        walked |= {(one["from"], one["to"]) for one in moved}
        again += sum(":again:" in move.key for move in last.seen.moves)
    table = {(one.value, other.value) for one, after in TRANSITIONS.items() for other in after}
    assert walked == table - NOT_WALKED
    assert again > 30, "a decision that needs its decider again, as after a restart"
