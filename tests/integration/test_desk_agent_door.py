"""The agent door: a turn belongs to one client, a tool answers OK, REFUSED or FAILED, and nothing is cited unread."""

import asyncio
from typing import Any

import pytest
from tests.support.desk import Company, Seeded, of
from tests.support.desk_agent import Turn, claim, turn_of

READS = ("get_invoice", "get_purchase_order", "get_receipts", "get_vendor", "find_similar_invoices",
         "get_vendor_invoice_history")  # fmt: skip


async def handed_over(company: Company, **changes: Any) -> tuple[Seeded, Turn]:
    """A case with the rules off, and its first turn."""
    seeded = await company.seed(rules="off", **changes)
    return seeded, await turn_of(seeded)


async def test_a_case_is_worked_by_reading_and_proposing(company: Company) -> None:
    seeded, turn = await handed_over(company)
    assert turn.labels == ["rules-stopped:PRICE_VARIANCE:disabled"]
    invoice, order = await turn.call("get_invoice"), await turn.call("get_purchase_order")
    assert (invoice["outcome"], order["outcome"]) == ("OK", "OK")
    made = await turn.propose("approve-variance", "invoice-1", order["result"]["number"])
    assert made["outcome"] == "OK", made
    assert made["result"]["routed_to"] == {"role": "buyer", "user": "anna.keller"}
    assert await turn.end() == "COMPLETED"
    answer = await company.decide(made["result"]["decision_id"], "anna.keller", verdict="approve")
    assert answer.json()["outcome"] == "applied"
    _, rows = await seeded.until_state("RESOLVED")
    (proposal,) = of(rows, "proposal.made")
    assert proposal["data"]["citations"] == [seeded.record("invoice")["id"], order["result"]["number"]]
    (ended,) = of(rows, "turn.ended")
    assert (ended["data"]["how"], len(ended["data"]["fingerprint"])) == ("COMPLETED", 64)


@pytest.mark.parametrize("tool", READS)
async def test_every_read_answers_with_the_forms_of_what_it_returned(company: Company, tool: str) -> None:
    seeded, turn = await handed_over(company, earlier=True)
    answer = await turn.call(tool)
    assert answer["outcome"] == "OK", answer
    assert answer["ids"]
    if tool != "get_purchase_order":
        assert seeded.record("order")["id"] not in answer["ids"]
    await turn.end()


async def test_what_was_never_read_is_no_evidence(company: Company) -> None:
    seeded, turn = await handed_over(company)
    await turn.call("get_invoice")
    order = seeded.record("order")
    for cited in (order["id"], order["number"], turn.given["brief"]["vendor"]["id"], "vendor-1", "INV-0"):
        made = await turn.propose("approve-variance", "invoice-1", cited)
        assert (made["outcome"], made["code"]) == ("REFUSED", "UNGROUNDED_CITATION"), cited
        assert cited in made["reason"]
    assert await turn.end() == "INVALID"
    view, rows = await seeded.until_state("NEEDS_PERSON")
    assert of(rows, "proposal.made") == []
    assert view["waiting_on"] == []


async def test_a_refused_read_grounds_nothing(company: Company) -> None:
    seeded, turn = await handed_over(company, po_reference="PO-UNKNOWN", price="10.00")
    assert (await turn.call("get_purchase_order"))["code"] == "NOT_FOUND"
    made = await turn.propose("hold", "PO-UNKNOWN")
    assert made["code"] == "UNGROUNDED_CITATION"
    await turn.call("get_invoice")
    assert (await turn.propose("hold", "invoice-1"))["outcome"] == "OK"
    await turn.end()
    asked = await seeded.until_asked()
    assert (await company.decide(asked["decision_id"], "emma.lind", verdict="approve")).json()["outcome"] == "applied"
    told = await turn_of(seeded)
    assert told.labels == ["decision:applied"]
    assert await told.end() == "COMPLETED"
    view, _ = await seeded.until_state("ON_HOLD")
    assert view["stopped"] == "disabled"


async def test_a_tool_that_was_not_offered_is_refused_and_on_record(company: Company) -> None:
    seeded, turn = await handed_over(company)
    answer = await turn.call("pay_invoice", amount="1040.00")
    assert (answer["outcome"], answer["code"]) == ("REFUSED", "TOOL_NOT_OFFERED")
    (row,) = await seeded.rows("tool.called")
    assert (row["data"]["tool"], row["data"]["outcome"]) == ("pay_invoice", "REFUSED")
    await turn.end()


async def test_another_vendors_order_is_out_of_reach(company: Company) -> None:
    other = await company.seed(rules="off")
    _, turn = await handed_over(company)
    number = other.record("order")["number"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_purchase_order", {"number": number}),
        ("get_receipts", {"number": number}),
        ("ask_buyer", {"question": "Agreed?", "po_number": number}),
    ]
    for tool, args in calls:
        assert (await turn.call(tool, **args))["code"] == "OTHER_VENDOR", tool
    assert (await turn.propose("hold", against_po=number))["code"] == "OTHER_VENDOR"
    await turn.end()


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("get_invoice", {"id": "another"}),
        ("email_vendor", {"subject": "Hello", "body": "x", "to": "somebody@else.example"}),
        ("email_vendor", {"subject": "two\nlines", "body": "x"}),
        ("propose_resolution", {"action": "short-pay", "amount": "-1.00", "citations": [], "rationale": "x"}),
        ("ask_buyer", {"question": "NUL \x00"}),
        ("wait", {}),
    ],
)
async def test_arguments_that_the_tool_does_not_take_are_refused(
    company: Company, tool: str, args: dict[str, Any]
) -> None:
    _, turn = await handed_over(company)
    assert (await turn.call(tool, **args))["code"] == "INVALID_ARGUMENTS"
    await turn.end()


async def test_the_same_call_id_gets_the_same_answer_and_does_it_once(company: Company) -> None:
    seeded, turn = await handed_over(company)
    first, again = [await turn.call("ask_buyer", call_id="one", question="Agreed?") for _ in range(2)]
    assert first == again
    assert len(await seeded.rows("question.asked")) == 1
    other = await turn.post("calls", {"call_id": "one", "tool": "get_invoice", "args": {}})
    assert (other.status_code, other.json()["code"]) == (409, "CALL_ID_REUSED")
    await turn.end()


async def test_who_asked_waits_for_the_answer(company: Company) -> None:
    seeded, turn = await handed_over(company)
    await turn.call("get_invoice")
    asked = await turn.call("ask_buyer", question="Is 10.40 agreed?")
    assert asked["outcome"] == "OK"
    assert (await turn.propose("approve-variance", "invoice-1"))["code"] == "ASKED_THIS_TURN"
    assert (await turn.call("ask_buyer", question="And again?"))["code"] == "QUESTION_OPEN"
    assert await turn.end() == "COMPLETED"
    view, _ = await seeded.until_state("AWAITING_ANSWER")
    assert view["waiting_on"][0]["whom"]["user"] == "anna.keller"
    question = f"/questions/{asked['result']['question_id']}/answer"
    wrong = await company.ask("desk", "POST", question, by="bruno.costa", json={"text": "Yes."})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "NOT_THE_BUYER")
    for _ in range(2):
        answer = await company.ask("desk", "POST", question, by="anna.keller", json={"text": "Yes, 10.40."})
        assert answer.status_code == 200
    late = await company.ask("desk", "POST", question, by="anna.keller", json={"text": "No."})
    assert (late.status_code, late.json()["code"]) == (409, "QUESTION_CLOSED")
    told = await turn_of(seeded)
    assert told.labels == ["answered"]
    assert told.given["inputs"][0]["text"] == "Yes, 10.40."
    assert (await told.propose("approve-variance", "invoice-1"))["outcome"] == "OK"
    await told.end()


async def test_a_second_proposal_withdraws_the_first(company: Company) -> None:
    seeded, turn = await handed_over(company)
    await turn.call("get_invoice")
    first = await turn.propose("hold", "invoice-1")
    second = await turn.propose("short-pay", "invoice-1", amount="1000.00")
    assert (first["outcome"], second["outcome"]) == ("OK", "OK")
    late = await company.decide(first["result"]["decision_id"], "emma.lind", verdict="approve")
    assert (late.status_code, late.json()["code"]) == (409, "DECISION_CLOSED")
    (withdrawn,) = await seeded.rows("proposal.withdrawn")
    assert withdrawn["data"]["why"] == "superseded"
    applied = await company.decide(second["result"]["decision_id"], "grace.hall", verdict="approve")
    assert applied.json()["outcome"] == "applied"
    await turn.end()
    view, _ = await seeded.until_state("RESOLVED")
    assert (await seeded.invoice())["approved_amount"] == "1000.00"
    assert view["resolved_by"]["decision_id"] == second["result"]["decision_id"]


async def test_a_declined_proposal_is_told_with_its_words(company: Company) -> None:
    seeded, turn = await handed_over(company)
    await turn.call("get_invoice")
    made = await turn.propose("approve-variance", "invoice-1")
    await turn.end()
    said = {"verdict": "decline", "words": "Pay what was ordered.", "reason": "PAY_PO_PRICE"}
    await company.decide(made["result"]["decision_id"], "anna.keller", **said)
    told = await turn_of(seeded)
    assert told.labels == ["decision:declined"]
    assert (told.given["inputs"][0]["words"], told.given["inputs"][0]["reason"]) == (said["words"], said["reason"])
    assert told.given["brief"]["declined"] == [
        {"action": "approve-variance", "words": said["words"], "reason": said["reason"]}
    ]
    await told.end()


async def test_a_turn_that_moves_nothing_leaves_the_case_to_a_person(company: Company) -> None:
    seeded, turn = await handed_over(company)
    await turn.call("note_case", text="Nothing strikes me.")
    assert await turn.end("COMPLETED", {"model": "none", "input": 12}) == "EMPTY"
    _, rows = await seeded.until_state("NEEDS_PERSON")
    assert of(rows, "turn.ended")[0]["data"]["usage"] == [{"model": "none", "input": 12}]


@pytest.mark.parametrize("tool", ["wait", "keep_hold"])
async def test_there_is_nothing_to_wait_for_and_no_hold_to_keep_at_the_start(company: Company, tool: str) -> None:
    _, turn = await handed_over(company)
    answer = await turn.call(tool, reason="Patience.")
    assert (answer["outcome"], answer["code"]) == (
        "REFUSED",
        {"wait": "NOTHING_AWAITED", "keep_hold": "NOT_HELD"}[tool],
    )
    await turn.end()


async def test_goods_that_arrive_wake_a_hold_once(company: Company) -> None:
    seeded = await company.seed(received="60", price="10.00")
    asked = await seeded.until_asked()
    assert asked["action"] == "hold"
    await company.decide(asked["decision_id"], "emma.lind", verdict="approve")
    await seeded.until_state("ON_HOLD")
    goods = {"po_number": seeded.record("order")["number"], "date": "2026-03-25",
             "lines": [{"line": 1, "quantity": "20"}]}  # fmt: skip
    way, key = "/stage/as/emma.lind/goods-receipts", {"Idempotency-Key": seeded.vendor_id}
    assert (await company.ask("erp-stage", "POST", way, json=goods, headers=key)).status_code == 201
    turn = await turn_of(seeded)
    assert turn.labels == ["rules-stopped:QTY_OVER_RECEIPT:rechecked", "rechecked:QTY_OVER_RECEIPT:receipt"]
    assert turn.given["brief"]["held"] is True
    assert (await turn.call("keep_hold", reason="20 are still missing."))["outcome"] == "OK"
    assert await turn.end() == "KEPT"
    _, rows = await seeded.until_state("ON_HOLD")
    assert len(of(rows, "hold.kept")) == 1


async def test_two_clients_that_wait_never_get_the_same_turn(company: Company) -> None:
    while (left := await claim(company, wait=0)) is not None:
        await left.end()
    waiting = [asyncio.create_task(claim(company, wait=3, agent=f"client-{number}")) for number in range(4)]
    seeded = await company.seed(rules="off")
    turns = [turn for turn in await asyncio.gather(*waiting) if turn is not None]
    assert [turn.given["case_id"] for turn in turns] == [seeded.case_id]
    await turns[0].end()


async def test_a_client_that_hung_up_while_it_waited_takes_no_turn_away(company: Company) -> None:
    while (left := await claim(company, wait=0)) is not None:
        await left.end()
    gone = asyncio.create_task(claim(company, wait=25))
    await asyncio.wait([gone], timeout=0.5)
    gone.cancel()
    await asyncio.wait([gone])
    seeded = await company.seed(rules="off")
    turn = await claim(company, wait=10)
    assert turn is not None
    assert turn.given["case_id"] == seeded.case_id
    await turn.end()


async def test_a_token_opens_its_own_turn_and_no_other(company: Company) -> None:
    _, one = await handed_over(company)
    _, two = await handed_over(company)
    path = f"/turns/{one.given['turn_id']}/calls"
    body = {"call_id": "c", "tool": "get_invoice", "args": {}}
    tokens = (two.given["token"], await company.agent_token(), await company.token("anna.keller"), "nonsense")
    for token in tokens:
        assert (await company.ask("agent", "POST", path, by=token, json=body)).status_code == 401
    for turn in (one, two):
        await turn.end()


async def test_no_token_of_another_door_opens_this_one(company: Company) -> None:
    claims = {"agent": "x", "wait": 0}
    person = await company.ask("agent", "POST", "/turns/claim", by="anna.keller", json=claims)
    assert person.status_code == 401
    agent = await company.agent_token()
    assert (await company.ask("desk", "GET", "/worklist", by=agent)).status_code == 401
    assert (await company.ask("desk-stage", "GET", "/stage/open-cases", by=agent)).status_code == 401
    assert (await company.ask("desk-stage", "GET", "/stage/open-cases", by="anna.keller")).status_code == 401


async def test_an_ended_turn_takes_no_more_calls(company: Company) -> None:
    _, turn = await handed_over(company)
    await turn.end()
    answer = await turn.post("calls", {"call_id": "late", "tool": "get_invoice", "args": {}})
    assert (answer.status_code, answer.json()["code"]) == (409, "LEASE_LOST")
    assert (await turn.post("heartbeat")).status_code == 409
