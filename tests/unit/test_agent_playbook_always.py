"""What the playbook does and never does, whatever the reason of the case."""

import pytest
from tests.support import agent as desk
from tests.support.agent import INVOICE, Json, turn
from tests.support.analyst import REASONS, like, moves, over, proposal, without_order, worked


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("reading", [{"contains_instructions": True}, {"failed": True}], ids=["instructs", "unread"])
async def test_a_letter_that_gives_orders_or_cannot_be_read_never_moves_money(reason: str, reading: Json) -> None:
    told = desk.replied("GIVES_PO_NUMBER", po_number="PO-4711", substitution_reason="UPGRADE", **reading)
    office = await worked(turn(told, reason=reason), of=desk.invoice(reason=reason), similar=[like()])
    assert moves(office) == ["hold"]


async def test_orders_in_a_letter_are_remembered_in_later_turns() -> None:
    office = await worked(
        turn(desk.replied("OTHER", contains_instructions=True), reason="NO_PO"),
        turn(desk.decided("stale", "hold"), reason="NO_PO", number=2),
        of=without_order(),
    )
    assert moves(office) == ["hold", "hold"]


@pytest.mark.parametrize("reason", REASONS)
async def test_a_strangers_letter_is_no_answer(reason: str) -> None:
    told = desk.replied("GIVES_PO_NUMBER", sender="stranger", po_number="PO-4711")
    office = await worked(turn(told, reason=reason, open_letter="l-1"), of=desk.invoice(reason=reason))
    assert moves(office) == ["wait"]


@pytest.mark.parametrize("asked", [{"open_question": "q-1"}, {"open_letter": "l-1"}])
async def test_nothing_is_proposed_while_somebody_still_has_to_answer(asked: Json) -> None:
    office = await worked(turn(desk.noted(), **asked))
    assert moves(office) == ["wait"]


@pytest.mark.parametrize("reason", REASONS)
async def test_when_nothing_can_be_read_nothing_is_paid(reason: str) -> None:
    unreadable = {tool: desk.fail() for tool in desk.documents() if tool not in desk.MOVES}
    office = await worked(turn(reason=reason), tools=unreadable)
    assert set(moves(office)) <= {"hold"}


@pytest.mark.parametrize("reason", REASONS)
async def test_records_that_make_no_sense_are_unknown(reason: str) -> None:
    nonsense = desk.ok({"id": 7, "lines": "many", "exceptions": [{"status": "OPEN"}], "bank_accounts": [{}]}, "7")
    tools = {tool: nonsense for tool in desk.documents() if tool not in desk.MOVES}
    office = await worked(turn(reason=reason), tools=tools)
    assert set(moves(office)) <= {"hold"}


async def test_a_read_that_broke_is_tried_again() -> None:
    invoice = over("10.20")
    broken = desk.in_turn(desk.fail(), desk.ok(invoice, *invoice["ids"]))
    office = await worked(turn(), of=invoice, tools={"get_invoice": broken})
    assert moves(office) == ["approve-variance"]


async def test_only_what_a_tool_returned_is_cited() -> None:
    invoice = over("10.20")
    office = await worked(turn(), of=invoice, tools={"get_invoice": desk.ok(invoice, "invoice-1")})
    assert "invoice-1" in proposal(office)["citations"]
    assert INVOICE not in proposal(office)["citations"]


async def test_a_refused_proposal_is_followed_by_the_next_best_and_never_repeated() -> None:
    office = await worked(turn(), of=over("10.20"), tools={"propose_resolution": desk.refuse("MAIL_INSTRUCTIONS")})
    assert moves(office) == ["approve-variance", "hold"]


async def test_what_the_erp_refused_is_not_proposed_again() -> None:
    office = await worked(turn(), turn(desk.decided("refused", "approve-variance"), number=2), of=over("10.20"))
    assert moves(office) == ["approve-variance", "hold"]


async def test_an_overtaken_proposal_is_made_again() -> None:
    office = await worked(turn(), turn(desk.decided("stale", "approve-variance"), number=2), of=over("10.20"))
    assert moves(office) == ["approve-variance", "approve-variance"]


async def test_the_same_proposal_is_not_made_twice_while_it_waits_for_its_decision() -> None:
    office = await worked(turn(), turn(desk.noted(), number=2), of=over("10.20"))
    assert moves(office) == ["approve-variance"]


async def test_a_decision_that_was_carried_out_leaves_nothing_to_do() -> None:
    office = await worked(turn(desk.decided("applied", "hold"), held=True))
    assert office.calls == []


async def test_a_reason_that_nobody_taught_is_left_to_a_person() -> None:
    office = await worked(turn(reason="SOMETHING_NEW"), of=desk.invoice(reason="SOMETHING_NEW"))
    assert moves(office) == []
