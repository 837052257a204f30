"""What is in motion and what is waited on: they decide when a case may be called settled."""

from datetime import UTC, datetime
from typing import Any

import pytest

from deskworld_desk.cases.matters import OpenRow, in_motion, waiting_on
from deskworld_desk.cases.states import State

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def row(table: Any, state: str, **who: str) -> OpenRow:
    return OpenRow("case", table, f"{table}-1", state, NOON, **who)


@pytest.mark.parametrize(
    ("open_row", "kind"),
    [
        (row("event", "ACCEPTED"), "event"),
        (row("rules", "DUE"), "rules"),
        (row("input", "UNTOLD"), "untold"),
        (row("turn", "RUNNING"), "turn"),
        (row("decision", "MADE"), "decision"),
        (row("decision", "UNECHOED"), "echo"),
        (row("letter", "QUEUED"), "mail-out"),
        (row("mail", "STORED"), "mail-in"),
        (row("mail", "JOINED"), "mail-in"),
    ],
)
def test_work_that_is_not_done_is_in_motion_and_waits_on_nobody(open_row: OpenRow, kind: str) -> None:
    (motion,) = in_motion(State.INVESTIGATING, [open_row])
    assert (motion.kind, motion.id, motion.since) == (kind, open_row.id, NOON)
    assert waiting_on([open_row]) == ()


def test_an_open_decision_waits_on_the_role_and_nothing_is_in_motion() -> None:
    asked = row("decision", "OPEN", role="clerk")
    (waiting,) = waiting_on([asked])
    assert (waiting.kind, waiting.role, waiting.user) == ("decision", "clerk", None)
    assert in_motion(State.AWAITING_DECISION, [asked]) == ()


def test_a_decision_that_was_not_carried_out_waits_on_the_same_person() -> None:
    (waiting,) = waiting_on([row("decision", "NEEDS_DECIDER", role="buyer", user="anna.keller")])
    assert waiting.user == "anna.keller"


def test_a_question_waits_on_its_buyer_and_a_letter_on_its_address() -> None:
    found = waiting_on([row("question", "OPEN", user="anna.keller"), row("letter", "AWAITED", address="ap@vendor")])
    assert [(one.kind, one.user, one.address) for one in found] == [
        ("question", "anna.keller", None),
        ("letter", None, "ap@vendor"),
    ]


def test_a_letter_that_is_still_being_sent_does_not_wait_on_its_reader() -> None:
    assert waiting_on([row("letter", "QUEUED", address="ap@vendor")]) == ()


@pytest.mark.parametrize("state", [State.RESOLVED, State.NEEDS_PERSON])
def test_input_for_a_case_at_rest_moves_nothing(state: State) -> None:
    assert in_motion(state, [row("input", "UNTOLD")]) == ()


@pytest.mark.parametrize("state", [State.RESOLVED, State.NEEDS_PERSON])
def test_a_turn_that_still_runs_is_in_motion_also_on_a_case_at_rest(state: State) -> None:
    assert [one.kind for one in in_motion(state, [row("turn", "RUNNING")])] == ["turn"]
