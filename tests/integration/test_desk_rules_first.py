"""Cases that the rules settle, among real neighbours: opened by an event, decided by a person, carried out."""

import asyncio
import json

import pytest
from asyncpg.exceptions import InsufficientPrivilegeError
from tests.support.desk import Company, Row, Seeded, heard, of
from tests.support.erp import _connect

from deskworld_kit import chain

APPROVE = {"verdict": "approve"}


async def approved(seeded: Seeded, by: str) -> dict[str, object]:
    asked = await seeded.until_asked()
    answer = await seeded.company.decide(asked["decision_id"], by, **APPROVE)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_small_variance_is_approved_by_the_orders_buyer(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    assert (asked["user"], asked["action"], asked["amount"]) == ("anna.keller", "approve-variance", "1040.00")
    assert (await approved(seeded, "anna.keller"))["outcome"] == "applied"
    view, rows = await seeded.until_state("RESOLVED")
    assert view["resolved_by"] == {"kind": "command", "id": asked["decision_id"], "decision_id": asked["decision_id"]}
    assert view["waiting_on"] == []
    assert chain.verify(rows) is None
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["cause"] is None or row["cause"] < row["seq"] for row in rows)
    invoice = await seeded.invoice()
    assert (invoice["status"], invoice["approved_amount"]) == ("APPROVED", "1040.00")


async def test_the_record_reads_in_one_order_also_when_the_erps_event_overtakes_its_answer(company: Company) -> None:
    orders = set()
    for _ in range(5):
        seeded = await company.seed()
        await approved(seeded, "anna.keller")
        _, rows = await seeded.until_state("RESOLVED")
        # the post records the buyer's notice when it has gone, which says nothing about the order of the case
        orders.add(tuple(row["kind"] for row in rows if row["kind"] != "mail.sent"))
    assert len(orders) == 1


async def test_a_declined_approval_goes_on_to_a_credit_memo(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    answer = await company.decide(asked["decision_id"], "anna.keller", verdict="decline", words="We agreed 10.00.")
    assert answer.json()["outcome"] == "declined"
    again = await seeded.until_asked(2)
    assert (again["action"], again["role"]) == ("request-credit-memo", "clerk")
    assert (await company.decide(again["decision_id"], "emma.lind", **APPROVE)).json()["outcome"] == "applied"
    view, _ = await seeded.until_state("ON_HOLD")
    assert view["stopped"] is None
    assert (await seeded.invoice())["status"] == "ON_HOLD"


async def test_a_second_decline_hands_the_case_to_the_agent(company: Company) -> None:
    seeded = await company.seed()
    for count, by in ((1, "anna.keller"), (2, "emma.lind")):
        asked = await seeded.until_asked(count)
        assert (await company.decide(asked["decision_id"], by, verdict="decline", words="No.")).status_code == 200
    view, _ = await seeded.until("the rules to stop", lambda view, _: view["stopped"] is not None)
    assert view["stopped"] == "declined"
    assert [motion["kind"] for motion in view["in_motion"]] == ["untold", "untold"]


async def test_a_duplicate_is_rejected_by_an_ap_manager(company: Company) -> None:
    seeded = await company.seed(earlier=True, price="10.00")
    asked = await seeded.until_asked()
    assert (asked["action"], asked["role"]) == ("reject", "ap-manager")
    (proposal,) = await seeded.rows("proposal.made")
    assert seeded.record("original")["id"] in proposal["data"]["citations"]
    assert (await approved(seeded, "grace.hall"))["outcome"] == "applied"
    await seeded.until_state("RESOLVED")


async def test_an_unverified_bank_change_is_held_by_a_clerk(company: Company) -> None:
    seeded = await company.seed(bank_change=True, price="10.00")
    asked = await seeded.until_asked()
    assert (asked["action"], asked["role"]) == ("hold", "clerk")
    await approved(seeded, "felix.moreau")
    await seeded.until_state("ON_HOLD")


async def test_only_the_person_who_is_asked_decides(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    for by in ("bruno.costa", "emma.lind", "ines.vogel", "kira.stone"):
        answer = await company.decide(asked["decision_id"], by, **APPROVE)
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_THE_DECIDER"), by
    assert await seeded.rows("decision.made") == []


async def test_the_same_person_saying_the_same_again_gets_the_same_answer(company: Company) -> None:
    seeded = await company.seed()
    first = await approved(seeded, "anna.keller")
    assert await approved(seeded, "anna.keller") == first
    asked = await seeded.until_asked()
    other = await company.decide(asked["decision_id"], "anna.keller", verdict="decline")
    assert (other.status_code, other.json()["code"]) == (409, "DECISION_CLOSED")
    applied = [one for one in (await seeded.witness())["commands"] if one["outcome"] == "applied"]
    assert len(applied) == 1


async def test_a_decision_posted_many_times_at_once_is_carried_out_once(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    answers = await asyncio.gather(*(company.decide(asked["decision_id"], "anna.keller", **APPROVE) for _ in range(8)))
    assert {answer.json().get("outcome") for answer in answers} == {"applied"}
    assert len(await seeded.rows("decision.made")) == 1


async def test_a_repeated_event_is_noted_and_changes_nothing(company: Company) -> None:
    seeded = await company.seed()
    await seeded.until_asked()
    (opening,) = [event for event in (await seeded.witness())["outbox"] if event["type"].endswith("raised")]
    # the buyer's notice has gone: nothing is in motion
    await seeded.until_state("AWAITING_DECISION")
    before = await seeded.rows()
    answer = await company.ask("erp-stage", "POST", f"/stage/events/{opening['id']}/redeliver")
    assert answer.status_code == 202
    _, rows = await seeded.until("the repetition", lambda _, rows: bool(of(rows, "event.ignored")))
    assert rows[: len(before)] == before
    (ignored,) = rows[len(before) :]
    assert ignored["data"]["event_id"] == opening["id"]
    assert ignored["data"]["why"] == "repeated"


async def test_with_the_rules_off_the_agent_sees_the_case_at_once(company: Company) -> None:
    seeded = await company.seed(rules="off")
    view, rows = await seeded.until("the case", lambda view, _: view["stopped"] is not None)
    assert (view["rules"], view["stopped"]) == ("off", "disabled")
    assert of(rows, "proposal.made") == []


async def test_a_listener_that_comes_back_misses_nothing_and_hears_nothing_twice(company: Company) -> None:
    async with heard(company) as stream:
        seeded = await company.seed()
        await approved(seeded, "anna.keller")
        await seeded.until_state("RESOLVED")
        live: list[Row] = []
        while not live or live[-1]["row"]["kind"] != "case.moved" or live[-1]["row"]["data"]["to"] != "RESOLVED":
            kind, data = await anext(stream)
            if kind == "row":
                live.append(data)
    cursors = [one["cursor"] for one in live]
    assert cursors == list(range(cursors[0], cursors[-1] + 1))
    async with heard(company, after=cursors[2]) as stream:
        again: list[Row] = []
        while len(again) < len(live) - 3:
            kind, data = await anext(stream)
            if kind == "row":
                again.append(data)
    assert again == live[3:]


async def test_every_view_is_told_after_the_rows_that_it_reflects(company: Company) -> None:
    async with heard(company) as stream:
        seeded = await company.seed()
        await approved(seeded, "anna.keller")
        highest, resolved = 0, False
        while not resolved:
            kind, data = await anext(stream)
            if data["case_id"] != seeded.case_id:
                continue
            if kind == "row":
                highest = data["row"]["seq"]
            else:
                assert data["seq"] == highest
                resolved = data["state"] == "RESOLVED"


async def test_the_evidence_holds_every_blob_that_a_row_names(company: Company) -> None:
    seeded = await company.seed()
    await approved(seeded, "anna.keller")
    await seeded.until_state("RESOLVED")
    evidence = await seeded.evidence()
    named = {row["data"]["input_digest"] for row in evidence["cases"][0]["timeline"] if row["kind"] == "policy.asked"}
    assert named <= set(evidence["blobs"])
    assert all(chain.digest(value) == digest for digest, value in evidence["blobs"].items())
    routed = [blob for blob in evidence["blobs"].values() if blob.get("tool") == "propose_resolution"]
    assert json.dumps(routed).count("null") == 0


@pytest.mark.parametrize(
    "statement", ["UPDATE timeline SET kind = 'x'", "DELETE FROM timeline", "UPDATE blobs SET value = ''"]
)
async def test_the_service_can_neither_change_nor_delete_what_was_written(company: Company, statement: str) -> None:
    connection = await _connect(host=str(company.home), user="desk_service", database="desk")
    try:
        with pytest.raises(InsufficientPrivilegeError):
            await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_decision_shows_what_changes_and_which_evidence_was_read(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    page = (await company.ask("desk", "GET", f"/decisions/{asked['decision_id']}", by="anna.keller")).json()
    assert page["mine"] is True
    assert page["changes"]["status"] == {"from": "EXCEPTION", "to": "APPROVED"}
    assert page["changes"]["vendor"]["name"] == "Muster AG"
    assert all(cited["read"] for cited in page["citations"])
    assert page["provenance"]["proposer"] == "rules"
    listed = (await company.ask("desk", "GET", "/worklist", by="anna.keller")).json()
    assert asked["decision_id"] in [one["decision_id"] for one in listed["decisions"]]
    other = (await company.ask("desk", "GET", "/worklist", by="bruno.costa")).json()
    assert asked["decision_id"] not in [one["decision_id"] for one in other["decisions"]]
