"""Several exceptions on one invoice: one decision settles its siblings, a changed invoice makes others stale."""

import asyncio
from typing import Any

from tests.support.desk import Company, Seeded, of
from tests.support.desk_agent import Turn, turn_of
from tests.support.erp import run_sql


def sibling(seeded: Seeded, reason: str) -> Seeded:
    """The same situation, seen from the case of this exception."""
    ordered = sorted(seeded.answer["exceptions"], key=lambda one: one["reason"] != reason)
    return Seeded(seeded.company, seeded.vendor_id, {**seeded.answer, "exceptions": ordered})


async def over_price_and_quantity(company: Company, **changes: Any) -> tuple[Seeded, Seeded]:
    """100 billed at 10.40 where 60 came at 10.00: the rules hold for the quantity, the agent has the price."""
    seeded = await company.seed(received="60", **changes)
    return sibling(seeded, "PRICE_VARIANCE"), sibling(seeded, "QTY_OVER_RECEIPT")


async def with_the_agent(company: Company) -> tuple[Seeded, Seeded, Turn]:
    price, quantity = await over_price_and_quantity(company)
    turn = await turn_of(price)
    await turn.call("get_invoice")
    return price, quantity, turn


async def test_each_case_knows_its_siblings(company: Company) -> None:
    price, quantity = await over_price_and_quantity(company)
    await quantity.until_asked()
    assert (await company.view(price.case_id))["siblings"] == [quantity.case_id]
    assert (await company.view(quantity.case_id))["siblings"] == [price.case_id]
    turn = await turn_of(price)
    assert turn.given["brief"]["siblings"] == [{"id": quantity.case_id, "reason": "QTY_OVER_RECEIPT", "held": False}]
    await turn.end()


async def test_an_approval_answers_for_every_open_exception(company: Company) -> None:
    price, quantity, turn = await with_the_agent(company)
    alone = await turn.propose("approve-variance", "invoice-1")
    assert alone["code"] == "SETTLES_INCOMPLETE"
    assert quantity.case_id in alone["reason"]
    both = await turn.propose("approve-variance", "invoice-1", settles=["exception-1", quantity.case_id])
    assert both["outcome"] == "OK"
    assert both["result"]["routed_to"]["role"] == "ap-manager"
    await turn.end()
    await quantity.until_asked()
    answer = await company.decide(both["result"]["decision_id"], "grace.hall", verdict="approve")
    assert answer.json()["outcome"] == "applied"
    await price.until_state("RESOLVED")
    view, rows = await quantity.until_state("RESOLVED")
    assert view["resolved_by"]["decision_id"] == both["result"]["decision_id"]
    (withdrawn,) = of(rows, "proposal.withdrawn")
    assert withdrawn["data"]["why"] == "settled"
    assert of(rows, "command.applied") == []


async def test_a_changed_invoice_makes_an_open_decision_stale_and_it_is_told(company: Company) -> None:
    price, quantity, turn = await with_the_agent(company)
    made = await turn.propose("short-pay", "invoice-1", amount="600.00")
    await turn.end()
    asked = await quantity.until_asked()
    await company.decide(asked["decision_id"], "emma.lind", verdict="approve")
    told = await turn_of(price)
    assert told.labels == ["decision:stale"]
    late = await company.decide(made["result"]["decision_id"], "grace.hall", verdict="approve")
    assert (late.status_code, late.json()["code"]) == (409, "DECISION_CLOSED")
    again = await told.propose("short-pay", "invoice-1", amount="600.00")
    await told.end()
    answer = await company.decide(again["result"]["decision_id"], "grace.hall", verdict="approve")
    assert answer.json()["outcome"] == "applied"
    await quantity.until_state("RESOLVED")
    assert (await price.invoice())["approved_amount"] == "600.00"


async def test_the_rules_propose_a_stale_proposal_again(company: Company) -> None:
    _, quantity, turn = await with_the_agent(company)
    first = await quantity.until_asked()
    held = await turn.propose("hold", "invoice-1")
    await turn.end()
    await company.decide(held["result"]["decision_id"], "emma.lind", verdict="approve")
    second = await quantity.until_asked(2)
    assert (second["action"], second["decision_id"] != first["decision_id"]) == ("hold", True)
    assert (await quantity.rows("proposal.withdrawn"))[0]["data"]["why"] == "stale"
    await company.decide(second["decision_id"], "felix.moreau", verdict="approve")
    await quantity.until_state("ON_HOLD")


async def test_of_two_decisions_on_one_invoice_at_once_one_is_carried_out_and_none_is_lost(company: Company) -> None:
    price, quantity, turn = await with_the_agent(company)
    one = await quantity.until_asked()
    two = await turn.propose("hold", "invoice-1")
    await turn.end()
    answers = await asyncio.gather(
        company.decide(one["decision_id"], "emma.lind", verdict="approve"),
        company.decide(two["result"]["decision_id"], "felix.moreau", verdict="approve"),
    )
    outcomes = sorted(str(answer.json().get("outcome") or answer.json()["code"]) for answer in answers)
    assert outcomes[0] in {"DECISION_CLOSED", "applied"}
    assert "applied" in outcomes
    applied = [command for command in (await price.witness())["commands"] if command["outcome"] == "applied"]
    carried = [row["data"]["decision_id"] for case in (price, quantity) for row in await case.rows("command.applied")]
    assert sorted(command["key"] for command in applied) == sorted(carried)


async def test_a_case_whose_budget_is_spent_is_left_to_a_person(company: Company) -> None:
    seeded = await company.seed(rules="off")
    turn = await turn_of(seeded)
    asked = await turn.call("ask_buyer", question="Is 10.40 agreed?")
    await turn.end()
    await run_sql(company.home, f"UPDATE cases SET turns = 12 WHERE id = '{seeded.case_id}'", database_name="desk")
    path = f"/questions/{asked['result']['question_id']}/answer"
    assert (await company.ask("desk", "POST", path, by="anna.keller", json={"text": "Yes."})).status_code == 200
    other = await company.seed(rules="off")
    await (await turn_of(other)).end()
    view, rows = await seeded.until_state("NEEDS_PERSON")
    assert view["in_motion"] == []
    assert of(rows, "case.moved")[-1]["data"]["why"] == "the case's budget is spent"
