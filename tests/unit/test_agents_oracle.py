"""The oracle plays the scenario's own moves, whoever made the earlier ones."""

from collections.abc import Awaitable, Callable

import pytest
from tests.support import agent as desk
from tests.support.agent import CASE, INVOICE, VENDOR, Json, Office, take, turn

from deskworld.agents.cast import Script
from deskworld.agents.oracle import oracle
from deskworld.values.scenario import OracleMove

FACTS = (frozenset({INVOICE, "V-1"}), frozenset({"PO-4711"}))
APPROVE = {"propose": "approve-variance", "settles": "all", "cite": "facts"}
CREDIT = {"propose": "request-credit-memo", "cite": "facts"}
WRITE = {"write": "vendor", "subject": "Which?", "text": "Which order is it?"}
HOLD = {"propose": "hold", "cite": "facts"}


def script(*moves: Json, facts: tuple[frozenset[str], ...] = FACTS) -> Callable[[str], Awaitable[Script | None]]:
    known = Script(moves=tuple(OracleMove.model_validate(move) for move in moves), facts=facts)

    async def of(case_id: str) -> Script | None:
        return known if case_id == CASE else None

    return of


async def played(of: Callable[[str], Awaitable[Script | None]], *turns: Json, **tools: desk.Tool) -> Office:
    office = Office(tools={**desk.documents(), **tools})
    await take(office, oracle(of), *turns)
    assert [end["how"] for end in office.ended] == ["COMPLETED"] * len(turns)
    return office


def moves(office: Office) -> list[str]:
    return [call["args"].get("action", call["tool"]) for call in office.calls if call["tool"] in desk.MOVES]


async def test_a_proposal_cites_a_form_of_every_fact_that_was_read() -> None:
    office = await played(script(APPROVE), turn())
    (made,) = office.made("propose_resolution")
    assert made["citations"] == [INVOICE, "PO-4711"]
    assert made["settles"] == [CASE]


async def test_it_stops_reading_when_every_fact_was_returned() -> None:
    office = await played(script(HOLD, facts=(frozenset({VENDOR}),)), turn())
    assert [call["tool"] for call in office.calls] == ["get_invoice", "get_vendor", "propose_resolution"]


async def test_masked_findings_are_settled_too() -> None:
    masked = desk.invoice(
        exceptions=[desk.exception("NO_PO", masked=("m-1",)), desk.exception("NO_RECEIPT", named="x-2")]
    )
    office = await played(script(APPROVE), turn(), get_invoice=desk.ok(masked, *masked["ids"]))
    assert office.made("propose_resolution")[0]["settles"] == [CASE, "x-2", "m-1"]


async def test_who_asks_waits_for_the_answer_before_going_on() -> None:
    told = turn(desk.replied("DENIES"), number=2)
    office = await played(script(WRITE, HOLD), turn(), turn(desk.noted(), number=3, open_letter="l-1"), told)
    assert moves(office) == ["email_vendor", "wait", "hold"]


async def test_a_strangers_letter_does_not_move_the_script() -> None:
    told = turn(desk.replied(sender="stranger"), number=2, open_letter="l-1")
    assert moves(await played(script(WRITE, HOLD), turn(), told)) == ["email_vendor", "wait"]


async def test_a_decline_goes_on_to_the_next_move() -> None:
    told = turn(desk.decided("declined", "approve-variance"), number=2, declined=[desk.declined("approve-variance")])
    assert moves(await played(script(APPROVE, CREDIT), turn(), told)) == ["approve-variance", "request-credit-memo"]


async def test_a_proposal_that_waits_for_its_decision_is_not_overtaken_by_the_next() -> None:
    office = await played(script(APPROVE, CREDIT), turn(), turn(desk.noted(), number=2))
    assert moves(office) == ["approve-variance"]


async def test_what_the_rules_had_declined_is_not_proposed_again() -> None:
    declined = [desk.declined("approve-variance")]
    office = await played(script(APPROVE, CREDIT), turn(desk.stopped(why="declined"), declined=declined))
    assert moves(office) == ["request-credit-memo"]


async def test_the_letter_that_the_rules_wrote_is_not_written_again() -> None:
    told = turn(desk.stopped("ITEM_SUBSTITUTED", "reply"), desk.replied("UNCLEAR"))
    second = {**WRITE, "text": "Once more, please."}
    office = await played(script(WRITE, second, HOLD), told)
    assert office.made("email_vendor") == [{"subject": "Which?", "body": "Once more, please."}]


async def test_its_own_letters_are_each_written() -> None:
    second = {**WRITE, "text": "Once more, please."}
    office = await played(script(WRITE, second, HOLD), turn(), turn(desk.replied("UNCLEAR"), number=2))
    assert [made["body"] for made in office.made("email_vendor")] == ["Which order is it?", "Once more, please."]


async def test_a_hold_of_the_rules_is_not_proposed_again_when_the_goods_come() -> None:
    told = turn(desk.stopped("QTY_OVER_RECEIPT", "rechecked"), desk.rechecked("receipt"), held=True)
    assert moves(await played(script(HOLD, APPROVE), told)) == ["approve-variance"]


async def test_a_hold_that_was_carried_out_waits_for_what_wakes_it() -> None:
    carried_out = turn(desk.decided("applied", "hold"), number=2, held=True)
    woken = turn(desk.rechecked("receipt"), number=3, held=True)
    office = await played(script(HOLD, APPROVE), turn(), carried_out)
    assert moves(office) == ["hold"]
    office = await played(script(HOLD, APPROVE), turn(), carried_out, woken)
    assert moves(office) == ["hold", "approve-variance"]


async def test_an_overtaken_proposal_is_made_again() -> None:
    office = await played(script(APPROVE), turn(), turn(desk.decided("stale", "approve-variance"), number=2))
    assert moves(office) == ["approve-variance", "approve-variance"]


async def test_a_script_that_is_over_keeps_what_is_held_and_waits_for_what_is_awaited() -> None:
    held = turn(desk.rechecked("hold-date"), number=2, held=True)
    assert moves(await played(script(HOLD), turn(), held)) == ["hold", "keep_hold"]
    awaited = turn(desk.noted(), number=2, open_letter="l-1")
    assert moves(await played(script(WRITE), turn(), awaited)) == ["email_vendor", "wait"]


async def test_a_question_about_a_named_order_is_asked_of_its_buyer() -> None:
    ask = {"ask": "buyer", "text": "Is it yours?", "against_po": "PO-9"}
    office = await played(script(ask), turn())
    assert office.made("ask_buyer") == [{"question": "Is it yours?", "po_number": "PO-9"}]


async def test_a_named_order_is_read_and_proposed_against() -> None:
    pays = {**APPROVE, "against_po": "PO-4711"}
    office = await played(script(pays), turn())
    assert office.made("get_purchase_order")[0] == {"number": "PO-4711"}
    assert office.made("propose_resolution")[0]["against_po"] == "PO-4711"


async def test_a_move_that_was_refused_is_still_to_be_made(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("CRITICAL", logger="deskworld.agents.oracle"):
        office = await played(
            script(HOLD),
            turn(),
            turn(desk.noted(), number=2),
            propose_resolution=desk.in_turn(desk.refuse("ASKED_THIS_TURN"), desk.ok()),
        )
    assert moves(office) == ["hold", "hold"]


async def test_a_tool_that_broke_is_asked_again() -> None:
    invoice = desk.invoice()
    office = await played(
        script(HOLD), turn(), get_invoice=desk.in_turn(desk.fail(), desk.fail(), desk.ok(invoice, *invoice["ids"]))
    )
    assert INVOICE in office.made("propose_resolution")[0]["citations"]


async def test_a_case_without_a_script_is_left_alone() -> None:
    assert moves(await played(script(APPROVE), turn(case_id="sibling"))) == []
    assert moves(await played(script(APPROVE), turn(desk.rechecked("receipt"), case_id="sibling", held=True))) == [
        "keep_hold"
    ]
