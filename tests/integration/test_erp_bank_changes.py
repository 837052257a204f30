"""A bank change from proposal to its end: nothing pays meanwhile, and every step is on record and told."""

import asyncio
from typing import Any

import httpx
import pytest
from tests.support.erp import BANK_CHANGE, RunningErp, Seeded, invoice, line, situation

from deskworld_kit.ids import new_id

DEAR = [line(price="10.40")]
ON_RECORD = "+41 44 000 00 00"
NEW = {"account": "CH99", "routing": "0002", "requested_from": "ap@v.vendors.deskworld.example"}


async def proposed(erp: RunningErp, *, by: str = "emma.lind") -> tuple[Seeded, str]:
    """An invoice with a price variance, and a change that was proposed at the office door."""
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    answer = await erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by=by, **NEW)
    assert answer.status_code == 200, answer.text
    return seeded, str(answer.json()["change_id"])


async def step(erp: RunningErp, change: str, what: str, *, by: str, **body: Any) -> httpx.Response:
    return await erp.post(f"/bank-changes/{change}/{what}", by=by, **body)


async def called(erp: RunningErp, change: str, *, by: str = "grace.hall", **body: Any) -> httpx.Response:
    return await step(erp, change, "call-back", by=by, **{"phone": ON_RECORD, "answer": "yes"} | body)


async def accounts(erp: RunningErp, seeded: Seeded) -> list[tuple[str, str]]:
    vendor = await erp.get(f"/vendors/{seeded.vendor_id}")
    return [(one["account"], one["status"]) for one in vendor["bank_accounts"]]


async def pay(erp: RunningErp, seeded: Seeded) -> httpx.Response:
    found = await seeded.invoice()
    settles = [one["id"] for one in found["exceptions"] if one["status"] == "OPEN"]
    return await erp.send("approve-variance", found, by="jonas.weber", settles=settles)


async def told(erp: RunningErp, seeded: Seeded) -> list[str]:
    outbox = (await erp.witness(seeded.vendor_id))["outbox"]
    return [one["type"].removeprefix("deskworld.erp.") for one in outbox]


async def test_a_change_that_two_people_verify_is_where_the_vendor_is_paid_from_then_on(erp: RunningErp) -> None:
    seeded, change = await proposed(erp)
    assert await accounts(erp, seeded) == [("CH11", "ACTIVE"), ("CH99", "PENDING_VERIFICATION")]
    open_now = [one["reason"] for one in (await seeded.invoice())["exceptions"] if one["status"] == "OPEN"]
    assert sorted(open_now) == ["PRICE_VARIANCE", "VENDOR_BANK_CHANGED"]
    assert (await pay(erp, seeded)).json()["code"] == "BANK_CHANGE_UNVERIFIED"

    assert (await called(erp, change)).json()["status"] == "CALLED_BACK"
    assert (await pay(erp, seeded)).json()["code"] == "BANK_CHANGE_UNVERIFIED"

    confirmed = await step(erp, change, "confirm", by="ines.vogel", comment="spoke with Ada")
    assert confirmed.json()["status"] == "VERIFIED"
    assert await accounts(erp, seeded) == [("CH11", "SUPERSEDED"), ("CH99", "ACTIVE")]
    after = await seeded.invoice()
    assert [one["reason"] for one in after["exceptions"] if one["status"] == "OPEN"] == ["PRICE_VARIANCE"]
    assert after["payable"] == "1000.00"
    assert (await pay(erp, seeded)).json()["status"] == "APPROVED"

    found = await erp.get(f"/bank-changes/{change}")
    assert (found["proposed_by"], found["call_back"]["by"], found["call_back"]["contact"]) == (
        "emma.lind",
        "grace.hall",
        "Ada",
    )
    assert (found["confirmation"]["by"], found["confirmation"]["comment"]) == ("ines.vogel", "spoke with Ada")
    bank = [kind for kind in await told(erp, seeded) if "bank-change" in kind]
    assert bank == ["vendor.bank-change.proposed", "vendor.bank-change.called-back", "vendor.bank-change.verified"]
    rows = (await erp.get(f"/audit?entity={change}", by="kira.stone"))["items"]
    assert [(row["action"], row["user"]["username"]) for row in rows] == [
        ("propose-bank-change", "emma.lind"),
        ("call-back", "grace.hall"),
        ("confirm", "ines.vogel"),
    ]


async def test_a_no_on_the_phone_rejects_the_change(erp: RunningErp) -> None:
    seeded, change = await proposed(erp)
    assert (await called(erp, change, answer="no", comment="they asked for nothing")).json()["status"] == "REJECTED"
    assert await accounts(erp, seeded) == [("CH11", "ACTIVE"), ("CH99", "REJECTED")]
    found = await erp.get(f"/bank-changes/{change}")
    assert (found["status"], found["rejection"]["comment"]) == ("REJECTED", "they asked for nothing")
    assert (await pay(erp, seeded)).status_code == 200
    assert (await told(erp, seeded)).count("vendor.bank-change.rejected") == 1
    late = await step(erp, change, "confirm", by="ines.vogel")
    assert (late.status_code, late.json()["code"]) == (422, "INVALID_TRANSITION")


async def test_the_number_of_the_request_is_no_call_back(erp: RunningErp) -> None:
    _, change = await proposed(erp)
    refused = await called(erp, change, phone="+41 79 999 99 99")
    assert (refused.status_code, refused.json()["code"]) == (422, "VERIFICATION_REFUSED")
    assert refused.json()["values"] == {"phone": "+41 79 999 99 99"}
    assert (await erp.get(f"/bank-changes/{change}"))["status"] == "PROPOSED"


async def test_a_number_that_came_with_the_request_is_no_call_back(erp: RunningErp) -> None:
    changed = situation(invoice(lines=DEAR), bank_changes=[BANK_CHANGE])
    today = (await erp.get("/audit?limit=1", by="kira.stone"))["items"][0]["at"][:10]
    changed["vendor"]["contacts"][0]["trusted_since"] = today
    seeded = await erp.seed(changed)
    refused = await called(erp, seeded.record("change")["id"])
    assert refused.json()["code"] == "VERIFICATION_REFUSED"
    assert refused.json()["values"]["trusted_since"] == today


async def test_proposer_caller_and_confirmer_are_three_people(erp: RunningErp) -> None:
    seeded, change = await proposed(erp)
    for who in ("emma.lind", "anna.keller", "kira.stone", "desk"):
        assert (await called(erp, change, by=who)).json()["code"] == "NOT_AUTHORISED"
    await called(erp, change, by="grace.hall")
    again = await step(erp, change, "confirm", by="grace.hall")
    assert again.json()["values"] == {
        "action": "confirm",
        "user": "grace.hall",
        "proposed_by": "emma.lind",
        "called_by": "grace.hall",
    }
    assert (await step(erp, change, "confirm", by="hugo.silva")).status_code == 200
    not_theirs = await erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by="ines.vogel", **NEW)
    assert (not_theirs.status_code, not_theirs.json()["code"]) == (403, "NOT_AUTHORISED")


async def test_every_open_invoice_of_the_vendor_is_matched_again(erp: RunningErp) -> None:
    two = (invoice("first", lines=[line(quantity="40")]), invoice("second", lines=[line(quantity="60")]))
    seeded = await erp.seed(situation(*two))
    assert seeded.reasons == []
    change = (await erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by="emma.lind", **NEW)).json()["change_id"]
    for ref in ("first", "second"):
        found = await seeded.invoice(ref)
        assert (found["status"], found["payable"]) == ("EXCEPTION", "0.00")
    held = await seeded.invoice("second")
    await erp.send("hold", held, by="emma.lind", exception_id=held["exceptions"][0]["id"])
    await step(erp, change, "reject", by="hugo.silva", comment="look-alike domain")
    first, second = await seeded.invoice("first"), await seeded.invoice("second")
    assert (first["status"], second["status"]) == ("MATCHED", "ON_HOLD")  # a person's hold stands: a person decides
    assert (second["payable"], second["exceptions"][0]["amount"]) == ("600.00", "0.00")
    outbox = (await erp.witness(seeded.vendor_id))["outbox"]
    (rechecked,) = [one["data"] for one in outbox if one["type"].endswith(".rechecked")]
    assert rechecked["cause"] == {"kind": "bank-change", "id": change, "decision_id": None}


async def test_while_one_of_two_changes_is_not_verified_nothing_pays(erp: RunningErp) -> None:
    seeded, first = await proposed(erp)
    second = (await erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by="emma.lind", **NEW)).json()["change_id"]
    await called(erp, first)
    await step(erp, first, "confirm", by="ines.vogel")
    assert (await pay(erp, seeded)).json()["code"] == "BANK_CHANGE_UNVERIFIED"
    await step(erp, second, "reject", by="ines.vogel")
    assert (await pay(erp, seeded)).status_code == 200


async def test_a_step_is_taken_once_per_key(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    path, key = f"/vendors/{seeded.vendor_id}/bank-changes", new_id()
    answers = await asyncio.gather(*(erp.post(path, by="emma.lind", key=key, **NEW) for _ in range(20)))
    assert {(one.status_code, one.content) for one in answers} == {(200, answers[0].content)}
    assert len(await accounts(erp, seeded)) == 2
    other = await erp.post(path, by="emma.lind", key=key, **NEW | {"account": "CH98"})
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    known = await erp.get(f"/commands/{key}")
    assert (known["outcome"], known["answer"]) == ("applied", answers[0].json())
    (command,) = [one for one in (await erp.witness(seeded.vendor_id))["commands"] if one["key"] == key]
    assert (command["action"], command["outcome"]) == ("propose-bank-change", "applied")


async def test_of_many_people_who_confirm_at_once_one_does(erp: RunningErp) -> None:
    _, change = await proposed(erp)
    await called(erp, change)
    people = ("hugo.silva", "ines.vogel", "jonas.weber") * 10
    answers = await asyncio.gather(*(step(erp, change, "confirm", by=who) for who in people))
    codes = [one.status_code for one in answers]
    assert (codes.count(200), codes.count(422)) == (1, len(people) - 1)


async def test_a_change_and_a_payment_at_once_never_both_go_through_unseen(erp: RunningErp) -> None:
    """Either the payment came first, or it met the change."""
    for _ in range(5):
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        found, settles = await seeded.invoice(), [seeded.exception("PRICE_VARIANCE")]
        paid, _change = await asyncio.gather(
            erp.send("approve-variance", found, by="anna.keller", settles=settles),
            erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by="emma.lind", **NEW),
        )
        if paid.status_code == 200:
            kinds = await told(erp, seeded)
            changed = [one for one in kinds if one in ("invoice.changed", "vendor.bank-change.proposed")]
            assert changed == ["invoice.changed", "vendor.bank-change.proposed"]
        else:
            assert paid.json()["code"] in ("STALE_VERSION", "BANK_CHANGE_UNVERIFIED")


@pytest.mark.parametrize(
    ("what", "body"),
    [("call-back", {"phone": ON_RECORD}), ("call-back", {"phone": ON_RECORD, "answer": "perhaps"}), ("call-back", {}),
     ("confirm", {"unknown": 1}), ("reject", {"comment": 7})],
)  # fmt: skip
async def test_a_malformed_step_is_refused(erp: RunningErp, what: str, body: dict[str, Any]) -> None:
    _, change = await proposed(erp)
    refused = await step(erp, change, what, by="grace.hall", **body)
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await erp.get(f"/bank-changes/{change}"))["status"] == "PROPOSED"


async def test_an_unknown_change_or_vendor_is_not_found(erp: RunningErp) -> None:
    assert (await called(erp, new_id())).status_code == 404
    assert (await erp.post(f"/vendors/{new_id()}/bank-changes", by="emma.lind", **NEW)).status_code == 404
    assert (await erp.office.get(f"/bank-changes/{new_id()}", headers=erp.headers("desk"))).status_code == 404


async def test_those_who_verify_find_what_waits_and_when_they_ask_what_is_done_with(erp: RunningErp) -> None:
    seeded, first = await proposed(erp)
    others = [await erp.post(f"/vendors/{seeded.vendor_id}/bank-changes", by="emma.lind", **NEW) for _ in range(2)]
    second, third = (str(one.json()["change_id"]) for one in others)
    await called(erp, second)
    await step(erp, third, "reject", by="grace.hall")
    of_vendor = f"/bank-changes?vendor_id={seeded.vendor_id}"
    waits = f"{of_vendor}&status=PROPOSED&status=CALLED_BACK"
    assert [one["id"] for one in (await erp.get(waits))["items"]] == [first, second]
    page = await erp.get(f"{of_vendor}&limit=2")
    rest = await erp.get(f"{of_vendor}&limit=2&cursor={page['next']}")
    assert [one["id"] for one in (*page["items"], *rest["items"])] == [first, second, third]
    assert rest["next"] is None
    assert rest["items"][0] == await erp.get(f"/bank-changes/{third}"), "a change is listed as it is shown"
