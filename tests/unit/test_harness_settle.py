"""Each conjunct of settlement keeps a case open on its own."""

from dataclasses import replace

import pytest
from tests.support.harness import CASE, compiled, row, seen, view

from deskworld import settle
from deskworld.values.record import MailSeen, Move
from deskworld.world import Seen
from deskworld.worlds import AP


def move(kind: str, key: str, row_: str, **more: object) -> Move:
    return Move.model_validate({"key": key, "kind": kind, "who": "w", "rule": "r", "row": row_, "at": 0.0, **more})


def resolved() -> Seen:
    """A decision asked for, made, carried out, and its echo heard."""
    case = compiled("duplicate")
    return seen(
        case,
        row(1, "case.opened"),
        row(2, "decision.requested", decision_id="d1", role="ap-manager", user=None, action="reject"),
        row(3, "decision.made", decision_id="d1", verdict="approve"),
        row(4, "command.applied", decision_id="d1"),
        views=(view(4, "RESOLVED"),),
        moves=(move("decision", "decision:d1", "d1", done="applied"),),
    )


def test_a_resolved_case_with_everything_heard_is_settled() -> None:
    found = settle.settled(resolved(), AP)
    assert found is not None
    assert (found.because, found.state) == ("resolved", "RESOLVED")


@pytest.mark.parametrize("state", ["ON_HOLD", "NEEDS_PERSON"])
def test_a_hold_and_a_case_left_to_people_are_ends(state: str) -> None:
    assert settle.settled(replace(resolved(), views={CASE: view(4, state)}), AP) is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"views": {}}, "has not been heard of"),
        ({"views": {CASE: view(5, "RESOLVED")}}, "row 5 has not been heard"),
        ({"views": {CASE: view(3, "RESOLVED")}}, "view is older than its rows"),
        ({"views": {CASE: view(4, "RESOLVED", in_motion=({"kind": "echo", "id": "d1"},))}}, "in motion: echo"),
        ({"views": {CASE: view(4, "AWAITING_ANSWER")}}, "nobody is waited for"),
        ({"views": {CASE: view(4, "INVESTIGATING")}}, "somebody is still to move it"),
        (
            {"views": {CASE: view(4, "INVESTIGATING", waiting_on=({"kind": "decision", "id": "d2"},))}},
            "somebody is still to move it",
        ),
        ({"moves": ()}, "about to move"),
    ],
)
def test_what_is_still_open_keeps_the_case_open(change: dict[str, object], why: str) -> None:
    state = replace(resolved(), **change)  # type: ignore[arg-type]
    assert settle.settled(state, AP) is None
    assert why in (settle.blocked(state, AP) or "")


def test_a_sibling_in_motion_keeps_the_case_open() -> None:
    busy = view(1, "INVESTIGATING", case_id="sibling", in_motion=({"kind": "rules", "id": "x"},))
    state = resolved()
    opened = row(1, "case.opened", case_id="sibling")
    state = replace(state, rows=(*state.rows, opened), views={**state.views, "sibling": busy})
    assert "sibling: in motion" in (settle.blocked(state, AP) or "")


def test_a_sibling_that_was_seeded_and_never_heard_of_keeps_the_case_open() -> None:
    state = resolved()
    state = replace(state, seeded=state.seeded.model_copy(update={"siblings": ("sibling",)}))
    assert "case sibling has not been heard of" in (settle.blocked(state, AP) or "")


def test_a_move_that_has_no_row_keeps_the_case_open() -> None:
    state = resolved()
    state = replace(state, rows=state.rows[:3], views={CASE: view(3, "RESOLVED")})
    assert "our decision d1 has no row yet" in (settle.blocked(state, AP) or "")


def test_a_case_that_waits_for_somebody_silent_is_settled_and_says_for_whom() -> None:
    case = compiled("no-po")
    sent = row(1, "mail.sent", message_id="<1@d>", recipients=[])
    waits = view(1, "AWAITING_ANSWER", waiting_on=({"kind": "letter", "id": "l1"},))
    found = settle.settled(seen(case, sent, views=(waits,)), AP)
    assert found is not None
    assert found.because == "waiting on letter, and nobody will act"


def test_a_letter_under_way_to_a_vendor_who_will_answer_keeps_even_a_held_case_open() -> None:
    case = compiled("no-po")
    recipients = [{"address": case.script["vendor"].identity, "outcome": "accepted"}]
    sent = row(1, "mail.sent", message_id="<1@d>", recipients=recipients)
    state = seen(case, sent, views=(view(1, "ON_HOLD"),))
    assert "on its way" in (settle.blocked(state, AP) or "")


def test_a_reply_that_was_handed_in_and_not_seen_arriving_keeps_the_case_open() -> None:
    case = compiled("no-po")
    recipients = [{"address": case.script["vendor"].identity, "outcome": "accepted"}]
    sent = row(1, "mail.sent", message_id="<1@d>", recipients=recipients)
    mail = MailSeen(
        message_id="<1@d>", recipient=case.script["vendor"].identity, in_reply_to=None, subject="s", digest="0"
    )
    reply = move("mail", "mail:<1@d>", "<r@v>", done="handed in")
    waits = view(1, "AWAITING_ANSWER", waiting_on=({"kind": "letter", "id": "l1"},))
    state = seen(case, sent, views=(waits,), mail=(mail,), moves=(reply,))
    assert "our mail <r@v> has no row yet" in (settle.blocked(state, AP) or "")
    arrived = row(2, "mail.received", message_id="<r@v>")
    told = view(2, "INVESTIGATING", in_motion=({"kind": "untold", "id": "m"},))
    state = replace(state, rows=(*state.rows, arrived), views={CASE: told})
    assert "in motion: untold" in (settle.blocked(state, AP) or "")


def test_a_refused_answer_counts_only_once_nobody_waits_for_it() -> None:
    case = compiled("price-variance-small")
    asked = row(1, "question.asked", question_id="q1", to=case.script["buyer"].identity, text="?")
    refused = move("answer", "answer:q1", "q1", done="QUESTION_CLOSED", refused=True)
    old = view(1, "AWAITING_ANSWER", waiting_on=({"kind": "question", "id": "q1"},))
    state = seen(case, asked, views=(old,), moves=(refused,))
    assert "our answer q1 has no row yet" in (settle.blocked(state, AP) or "")
    closed = (asked, row(2, "case.moved"))
    state = replace(state, rows=closed, views={CASE: view(2, "RESOLVED")})
    assert settle.blocked(state, AP) is None


@pytest.mark.parametrize("kind", ["command.refused", "proposal.withdrawn", "decision.needs-decider"])
def test_a_decision_s_other_ends_are_rows_of_the_move_too(kind: str) -> None:
    made = move("decision", "decision:d1", "d1")
    state = seen(compiled("duplicate"), row(2, kind, decision_id="d1"), moves=(made,))
    assert settle.arrived(made, state)
    assert not settle.arrived(move("decision", "decision:d2", "d2"), state)


def test_a_decision_posted_again_is_not_shown_by_the_row_that_asked_for_it_again() -> None:
    """The desk was killed between decision and command: the case waits on the same person, who is posting."""
    request = row(2, "decision.requested", decision_id="d1", role="ap-manager", user=None, action="reject")
    made, needed = (
        row(3, "decision.made", decision_id="d1", verdict="approve"),
        row(4, "decision.needs-decider", decision_id="d1"),
    )
    waits = view(4, "DECIDED", waiting_on=({"kind": "decision", "id": "d1"},))
    state = seen(compiled("duplicate"), request, made, needed, views=(waits,))
    [first, again] = AP.due(state)
    state = replace(state, moves=(first, again))
    assert settle.arrived(first, state)
    assert settle.blocked(state, AP) == "our decision d1 has no row yet"
    carried = (
        *state.rows,
        row(5, "decision.made", decision_id="d1", verdict="approve"),
        row(6, "command.applied", decision_id="d1"),
    )
    state = replace(state, rows=carried, views={CASE: view(6, "RESOLVED")})
    assert settle.settled(state, AP) is not None


def happened(kind: str, row_: str, *, nth: int = 1) -> Move:
    return move(kind, f"happens:{kind}-{nth}", row_, done="done").model_copy(update={"nth": nth})


def test_an_event_sent_again_has_arrived_when_its_note_stands_as_often_as_it_was_sent() -> None:
    note = row(4, "event.ignored", event_id="e1", type="match-exception.raised", why="repeated")
    once = seen(compiled("redelivered"), note)
    twice = replace(once, rows=(note, {**note, "seq": 7}))
    assert settle.arrived(happened("redelivery", "e1"), once)
    assert not settle.arrived(happened("redelivery", "e1", nth=2), once)
    assert settle.arrived(happened("redelivery", "e1", nth=2), twice)
    assert not settle.arrived(happened("redelivery", "e2"), twice)


def test_goods_have_arrived_when_the_case_was_told_of_that_very_receipt() -> None:
    def told(kind: str, id_: str) -> Seen:
        cause = {"kind": kind, "id": id_, "decision_id": None}
        event = row(
            8, "event.received", event_id="e", type="match-exception.rechecked", subject=CASE, event_cause=cause
        )
        return seen(compiled("goods-arrive"), event)

    assert settle.arrived(happened("goods", "r1"), told("receipt", "r1"))
    assert not settle.arrived(happened("goods", "r1"), told("receipt", "r2"))
    assert not settle.arrived(happened("goods", "r1"), told("command", "r1"))
    assert not settle.arrived(happened("goods", ""), told("receipt", ""))


def test_an_event_without_a_cause_shows_no_goods() -> None:
    event = row(8, "event.received", event_id="e", type="x", subject=CASE, event_cause=None)
    assert not settle.arrived(happened("goods", "r1"), seen(compiled("goods-arrive"), event))


def test_a_letter_that_nobody_asked_for_must_be_seen_set_aside_before_the_case_settles() -> None:
    case = compiled("unsolicited-bank-change")
    opened = row(1, "case.opened", vendor_id="v")
    state = seen(case, opened, views=(view(1, "RESOLVED"),))
    [wrote] = AP.due(state)
    assert "about to move" in (settle.blocked(state, AP) or "")
    state = replace(state, moves=(wrote.model_copy(update={"done": "handed in"}),))
    assert f"our mail {wrote.row} has no row yet" in (settle.blocked(state, AP) or "")
    aside = {**row(1, "mail.set-aside", message_id=wrote.row, why="unmatched"), "case_id": None}
    assert settle.settled(replace(state, rows=(*state.rows, aside)), AP) is not None
