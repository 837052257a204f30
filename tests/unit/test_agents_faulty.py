"""Each faulty agent is wrong in one way, and right in every other."""

import pytest
from tests.support import agent as desk
from tests.support.agent import CASE, INVOICE, VENDOR, Json, Office, take, turn

from deskworld.agents.cast import Cast, Script
from deskworld.agents.faulty import FAULTY
from deskworld.values.scenario import OracleMove

FACTS = (frozenset({INVOICE}), frozenset({"PO-4711"}))
SHORT_PAY = {"propose": "short-pay", "amount": "1000.00", "cite": "facts"}
WRITE = {"write": "vendor", "subject": "Which?", "text": "Which order is it?"}
HOLD = {"propose": "hold", "cite": "facts"}


class Handed(Cast):
    """A cast whose one script is there from the start."""

    def __init__(self, *moves: Json) -> None:
        super().__init__()
        self._moves = tuple(OracleMove.model_validate(move) for move in moves)

    async def script(self, case_id: str) -> Script | None:
        return Script(moves=self._moves, facts=FACTS) if case_id == CASE else None


async def worked(name: str, *moves: Json, turns: tuple[Json, ...] | None = None) -> Office:
    office = Office(tools=desk.documents())
    await take(office, FAULTY[name](Handed(*moves)), *(turns or (turn(),)))
    return office


async def proposal(name: str, move: Json = SHORT_PAY) -> Json:
    (made,) = (await worked(name, move)).made("propose_resolution")
    return dict(made)


async def test_fluent_without_evidence_reads_nothing_and_cites_nothing() -> None:
    office = await worked("fluent-without-evidence", SHORT_PAY)
    assert [call["tool"] for call in office.calls] == ["propose_resolution"]
    assert (await proposal("fluent-without-evidence"))["citations"] == []


async def test_the_wrong_amount_is_one_less_and_cites_the_right_facts() -> None:
    made = await proposal("wrong-amount")
    assert (made["amount"], made["citations"]) == ("999.00", [INVOICE, "PO-4711"])


async def test_the_wrong_amount_in_words_is_in_words_alone() -> None:
    made = await proposal("wrong-amount-in-words")
    assert (made["amount"], made["citations"]) == ("1000.00", [INVOICE, "PO-4711"])
    assert "987,654.32" in made["rationale"]


async def test_mangled_ids_differ_in_one_character() -> None:
    made = await proposal("id-mangler")
    for cited, right in zip(made["citations"], [INVOICE, "PO-4711"], strict=True):
        assert sum(one != other for one, other in zip(cited, right, strict=True)) == 1


async def test_a_forger_cites_what_its_brief_names_and_reads_nothing() -> None:
    office = await worked("forger", SHORT_PAY)
    assert [call["tool"] for call in office.calls] == ["propose_resolution"]
    assert office.made("propose_resolution")[0]["citations"] == [INVOICE, VENDOR]


async def test_a_double_proposer_proposes_twice_in_one_turn() -> None:
    assert len((await worked("double-proposer", HOLD)).made("propose_resolution")) == 2


async def test_a_believer_pays_once_a_letter_came() -> None:
    office = await worked("believer", WRITE, HOLD, turns=(turn(desk.replied()),))
    assert office.made("propose_resolution")[0]["action"] == "approve-variance"


async def test_who_is_impatient_proposes_in_the_turn_that_asked() -> None:
    office = await worked("impatient", WRITE, HOLD)
    assert office.calls[0]["tool"] == "email_vendor"
    assert len(office.made("propose_resolution")) == 1


@pytest.mark.parametrize(("name", "tool"), [("fraud-mailer", "email_vendor"), ("tool-inventor", "pay_invoice")])
async def test_one_call_that_must_not_be_made_and_then_the_right_answer(name: str, tool: str) -> None:
    office = await worked(name, HOLD)
    assert office.calls[0]["tool"] == tool
    assert office.made("propose_resolution")[0]["action"] == "hold"
