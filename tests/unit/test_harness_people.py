"""What the script's people do, and what they do not."""

from dataclasses import replace

from tests.support.harness import compiled, row, seen, view

from deskworld.people import script
from deskworld.values.case import Voice
from deskworld.values.realm import holders
from deskworld.values.record import MailSeen
from deskworld.world import Seen

RECIPIENTS = [{"address": "ap@v-abcdefghij.vendors.deskworld.example", "outcome": "accepted", "detail": ""}]


def requested(seq: int, action: str, role: str, user: str | None = None, decision: str = "d1") -> dict[str, object]:
    return row(seq, "decision.requested", decision_id=decision, role=role, user=user, action=action)


def letter(state: Seen, message_id: str = "<1@desk>") -> MailSeen:
    return MailSeen(
        message_id=message_id,
        recipient=state.case.script["vendor"].identity,
        in_reply_to=None,
        subject="s",
        digest="0",
    )


def test_the_buyer_answers_a_question_to_him_once() -> None:
    case = compiled("price-variance-small")
    asked = row(3, "question.asked", question_id="q1", to=case.script["buyer"].identity, text="?")
    [move] = script.due(seen(case, asked))
    assert (move.kind, move.who, move.row) == ("answer", case.script["buyer"].identity, "q1")
    assert script.due(seen(case, asked, moves=(move,))) == ()


def test_a_question_to_somebody_else_is_answered_by_nobody() -> None:
    case = compiled("price-variance-small")
    other = next(name for name in holders("buyer") if name != case.script["buyer"].identity)
    assert script.due(seen(case, row(3, "question.asked", question_id="q1", to=other, text="?"))) == ()


def test_the_second_question_gets_the_second_answer_and_then_silence() -> None:
    case = compiled("price-variance-small")
    buyer = case.script["buyer"].model_copy(update={"says": Voice(said=("one", "two"))})
    case = case.model_copy(update={"script": {**case.script, "buyer": buyer}})
    asked = [row(n, "question.asked", question_id=f"q{n}", to=buyer.identity, text="?") for n in (1, 2, 3)]
    assert [move.said for move in script.due(seen(case, *asked))] == ["one", "two"]


def test_the_named_person_decides() -> None:
    case = compiled("price-variance-small")
    buyer = case.script["buyer"].identity
    [move] = script.due(seen(case, requested(5, "approve-variance", "buyer", buyer)))
    assert (move.who, move.verdict) == (buyer, "approve")


def test_a_role_is_decided_by_one_of_its_people_the_same_for_the_same_seed() -> None:
    moves = [script.due(seen(compiled("duplicate", 7), requested(5, "reject", "ap-manager")))[0] for _ in range(3)]
    assert len({move.who for move in moves}) == 1
    assert moves[0].who in holders("ap-manager")


def test_the_buyer_declines_what_the_script_declines_and_nothing_else() -> None:
    case = compiled("buyer-denies")
    buyer = case.script["buyer"].identity
    [declined] = script.due(seen(case, requested(5, "approve-variance", "buyer", buyer)))
    [approved] = script.due(seen(case, requested(5, "request-credit-memo", "clerk")))
    assert declined.verdict == "decline"
    assert declined.said
    assert approved.verdict == "approve"


def test_what_else_is_confirmed_before_makes_nobody_decline_what_they_agree_to_or_agree_to_what_they_decline() -> None:
    case = compiled("buyer-denies")
    buyer = case.script["buyer"].identity
    other = next(name for name in holders("buyer") if name != buyer)
    first = (
        row(2, "question.asked", question_id="q0", to=other, text="Is approve-variance right?"),
        row(3, "question.asked", question_id="q1", to=buyer, text="Are you in charge of approve-variance? Confirm."),
        requested(4, "hold", "clerk", decision="d1"),
        requested(5, "reject", "buyer", buyer, decision="d2"),
    )
    made = script.due(seen(case, *first))
    assert {(move.row, move.verdict) for move in made} == {("q1", None), ("d1", "approve"), ("d2", "approve")}
    [declined] = script.due(seen(case, *first, requested(6, "approve-variance", "buyer", buyer, "d3"), moves=made))
    assert (declined.row, declined.verdict) == ("d3", "decline")


def test_a_silent_decider_makes_no_move() -> None:
    case = compiled("price-variance-small")
    buyer = case.script["buyer"].model_copy(update={"decides": "silent"})
    case = case.model_copy(update={"script": {**case.script, "buyer": buyer}})
    assert script.due(seen(case, requested(5, "approve-variance", "buyer", buyer.identity))) == ()


def test_a_decision_that_needs_its_decider_is_posted_again() -> None:
    case = compiled("duplicate")
    first = requested(5, "reject", "ap-manager")
    [move] = script.due(seen(case, first))
    again = row(8, "decision.needs-decider", decision_id="d1", whom={"username": move.who}, why="restart")
    [second] = script.due(seen(case, first, again, moves=(move,)))
    assert (second.row, second.who, second.verdict) == (move.row, move.who, move.verdict)
    assert second.key != move.key


def test_the_vendor_answers_a_letter_that_reached_him() -> None:
    case = compiled("no-po")
    state = seen(case)
    arrived = letter(state)
    [move] = script.due(seen(case, mail=(arrived,)))
    assert move.kind == "mail"
    assert move.row.endswith("@v-abcdefghij.vendors.deskworld.example>")
    assert script.due(seen(case, mail=(arrived,), moves=(move,))) == ()


def test_a_letter_on_its_way_to_a_vendor_who_will_answer_is_awaited() -> None:
    case = compiled("no-po")
    sent = row(4, "mail.sent", message_id="<1@desk>", recipients=RECIPIENTS)
    assert "on its way" in (script.awaits(seen(case, sent)) or "")
    assert script.awaits(seen(case, sent, mail=(letter(seen(case)),))) is None


def test_a_letter_to_a_vendor_who_never_answers_is_awaited_until_it_has_come() -> None:
    case = compiled("bank-change-fraud")
    sent = row(4, "mail.sent", message_id="<1@desk>", recipients=RECIPIENTS)
    assert "who will not answer" in (script.awaits(seen(case, sent)) or "")
    assert script.awaits(seen(case, sent, mail=(letter(seen(case)),))) is None


def test_a_letter_that_was_refused_is_not_awaited() -> None:
    refused = [{**RECIPIENTS[0], "outcome": "refused"}]
    sent = row(4, "mail.sent", message_id="<1@desk>", recipients=refused)
    assert script.awaits(seen(compiled("no-po"), sent)) is None


def test_a_letter_that_is_delivered_twice_is_answered_once_and_as_one() -> None:
    case = compiled("no-po")
    vendor = case.script["vendor"].model_copy(update={"says": Voice(said=("one", "two"))})
    case = case.model_copy(update={"script": {**case.script, "vendor": vendor}})
    state = seen(case)
    twice = replace(state, mail=(letter(state), letter(state), letter(state, "<2@desk>")))
    assert [move.said for move in script.due(twice)] == ["one", "two"]


OPENED = row(1, "case.opened", vendor_id="v")
HELD = row(6, "case.moved", **{"from": "DECIDED", "to": "ON_HOLD", "why": "held"})


def test_the_opening_event_comes_again_when_the_case_opens_and_after_the_command() -> None:
    case = compiled("redelivered")
    opened = [move for move in script.due(seen(case, OPENED)) if move.kind == "redelivery"]
    applied = script.due(seen(case, OPENED, row(9, "command.applied", decision_id="d1"), moves=tuple(opened)))
    assert [(move.nth, move.after) for move in (*opened, *applied)] == [(1, 1), (2, 9)]


def test_an_outsider_writes_unasked_as_soon_as_the_case_is_open_and_only_once() -> None:
    case = compiled("unsolicited-bank-change")
    [move] = script.due(seen(case, OPENED))
    assert (move.kind, move.who, move.answers) == ("mail", case.script["outsider"].identity, None)
    assert case.words["marker"] in (move.said or "")
    assert move.subject
    assert script.due(seen(case, OPENED, moves=(move,))) == ()


def test_the_rest_of_the_goods_comes_when_the_case_is_on_hold_and_not_before() -> None:
    case = compiled("goods-arrive")
    assert script.due(seen(case, OPENED)) == ()
    [move] = script.due(seen(case, OPENED, HELD))
    assert (move.kind, move.who in holders("clerk")) == ("goods", True)
    assert move.body is not None
    assert move.body["lines"] == [{"line": 1, "quantity": case.words["missing"]}]


def test_a_hold_of_a_sibling_brings_no_goods() -> None:
    sibling = {**HELD, "case_id": "sibling"}
    assert script.due(seen(compiled("goods-arrive"), OPENED, sibling)) == ()


def late(name: str, who: str) -> Seen:
    case = compiled(name)
    part = case.script[who].model_copy(update={"late": True})
    return seen(case.model_copy(update={"script": {**case.script, who: part}}))


def test_somebody_who_answers_late_answers_once_the_case_is_on_hold() -> None:
    state = late("price-variance-small", "buyer")
    asked = row(3, "question.asked", question_id="q1", to=state.case.script["buyer"].identity, text="?")
    assert script.due(replace(state, rows=(asked,))) == ()
    assert [move.kind for move in script.due(replace(state, rows=(asked, HELD)))] == ["answer"]


def test_a_late_answer_by_mail_comes_once_the_case_is_on_hold() -> None:
    state = late("no-po", "vendor")
    sent = row(4, "mail.sent", message_id="<1@desk>", recipients=RECIPIENTS)
    assert "who will not answer" in (script.awaits(replace(state, rows=(sent,))) or "")
    assert "who will answer" in (script.awaits(replace(state, rows=(sent, HELD))) or "")
    arrived = replace(state, rows=(sent,), mail=(letter(state),))
    assert script.awaits(arrived) is None
    assert script.due(arrived) == ()
    assert [move.kind for move in script.due(replace(arrived, rows=(sent, HELD)))] == ["mail"]


def test_a_sibling_that_no_script_names_is_decided_by_somebody_of_the_role() -> None:
    sibling = row(5, "decision.requested", case_id="sibling", decision_id="d2", role="clerk", user=None, action="hold")
    [move] = script.due(seen(compiled("price-variance-small"), sibling))
    assert (move.who in holders("clerk"), move.verdict) == (True, "approve")


def test_what_ends_a_hold_never_comes_in_the_middle_of_a_turn() -> None:
    """Told of its hold, the agent has a turn; goods that came before it began or in its middle would change it."""
    case = compiled("goods-arrive")
    moving = view(6, "ON_HOLD", in_motion=({"kind": "input", "id": "i1"},))
    assert script.due(seen(case, OPENED, HELD, views=(moving,))) == ()
    [move] = script.due(seen(case, OPENED, HELD, views=(view(6, "ON_HOLD"),)))
    assert move.kind == "goods"
