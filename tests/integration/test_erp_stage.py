"""The stage door: all or nothing, and what it tells afterwards."""

import asyncio
from typing import Any

import pytest
from tests.support.erp import BANK_CHANGE, RunningErp, invoice, line, situation

from deskworld_kit.ids import new_id


async def refused(erp: RunningErp, content: dict[str, Any]) -> tuple[int, str]:
    answer = await erp.stage.post("/stage/situations", json=content)
    seen = await erp.stage.get("/stage/witness", params={"vendor_id": content["vendor"]["id"]})
    assert seen.status_code == 404, "nothing of it was seeded"
    return answer.status_code, answer.json()["code"]


async def test_every_record_is_named_with_all_its_forms(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(number="R-1"), bank_changes=[BANK_CHANGE]))
    witness = await erp.witness(seeded.vendor_id)
    order, receipt, found = witness["orders"][0], witness["receipts"][0], witness["invoices"][0]
    account = witness["vendor"]["bank_accounts"][1]
    assert seeded.answer["records"] == {
        "vendor": {"kind": "vendor", "id": seeded.vendor_id, "number": None, "forms": [seeded.vendor_id]},
        "order": {"kind": "order", "id": order["id"], "number": order["number"], "forms": order["ids"]},
        "receipt": {"kind": "receipt", "id": receipt["id"], "number": None, "forms": receipt["ids"]},
        "invoice": {"kind": "invoice", "id": found["id"], "number": "R-1", "forms": found["ids"]},
        "change": {
            "kind": "bank-change",
            "id": account["change"]["id"],
            "number": None,
            "forms": [account["change"]["id"], account["id"]],
        },
    }
    assert [event["type"] for event in witness["outbox"]] == [
        "deskworld.erp.vendor.bank-change.proposed",
        "deskworld.erp.match-exception.raised",
    ]
    assert [(row["entity"]["kind"], row["action"]) for row in witness["audit"]] == [
        ("vendor", "set"),
        ("order", "post"),
        ("receipt", "post"),
        ("bank-change", "propose"),
        ("invoice", "receive"),
    ]


async def test_an_order_number_in_use_seeds_nothing(erp: RunningErp) -> None:
    taken = situation(invoice())
    await erp.seed(taken)
    second = situation(invoice(), order={"number": taken["orders"][0]["number"]})
    assert await refused(erp, second) == (409, "ALREADY_EXISTS")
    again = await erp.stage.post("/stage/situations", json=taken)
    assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")


async def test_a_situation_whose_answer_was_not_heard_is_told_again_and_seeded_once(erp: RunningErp) -> None:
    wanted, key = situation(invoice(lines=[line(price="10.40")])), {"Idempotency-Key": new_id()}
    first, second = await asyncio.gather(
        *(erp.stage.post("/stage/situations", json=wanted, headers=key) for _ in range(2))
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    witness = await erp.witness(wanted["vendor"]["id"])
    assert len(witness["invoices"]) == 1
    assert [event["type"] for event in witness["outbox"]] == ["deskworld.erp.match-exception.raised"]
    assert witness["commands"] == []
    other = await erp.stage.post("/stage/situations", json=situation(invoice()), headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


async def test_a_situation_that_was_refused_takes_no_key(erp: RunningErp) -> None:
    taken, key = situation(invoice()), {"Idempotency-Key": new_id()}
    await erp.seed(taken)
    number = taken["orders"][0]["number"]
    refused = await erp.stage.post("/stage/situations", json=situation(order={"number": number}), headers=key)
    assert (refused.status_code, refused.json()["code"]) == (409, "ALREADY_EXISTS")
    assert (await erp.stage.post("/stage/situations", json=situation(), headers=key)).status_code == 201


@pytest.mark.parametrize(
    "wrong",
    [
        {"receipts": [{"ref": "r", "order": "nowhere", "date": "2026-01-01", "lines": [{"line": 1, "quantity": "1"}]}]},
        {"receipts": [{"ref": "r", "order": "order", "date": "2026-01-01", "lines": [{"line": 2, "quantity": "1"}]}]},
        {"receipts": [{"ref": "r", "order": "order", "date": "2026-01-01",
                       "lines": [{"line": 1, "quantity": "1", "rejected": "2"}]}]},
        {"invoices": [invoice(ref="order")]},
        {"invoices": [invoice(lines=[line(quantity="999999999999.000", price="999999999999.00")])]},
        {"invoices": [invoice(lines=[line(price=10.4)])]},
        {"invoices": [invoice(number="a\u0000b")]},
        {"invoices": [invoice(currency="usd")]},
        {"invoices": [invoice(date="2026-02-30")]},
        {"faults": [{"kind": "latency"}]},
        {"surprise": 1},
    ],
)  # fmt: skip
async def test_a_situation_that_does_not_fit_together_seeds_nothing(erp: RunningErp, wrong: dict[str, Any]) -> None:
    assert await refused(erp, situation() | wrong) == (400, "INVALID_REQUEST")


async def test_earlier_invoices_may_come_settled(erp: RunningErp) -> None:
    first = invoice("first", lines=[line(price="12.00")], settled="APPROVED")
    seeded = await erp.seed(situation(first, invoice("second", date="2026-06-01")))
    assert seeded.reasons == ["QTY_OVER_RECEIPT"]
    earlier = await seeded.invoice("first")
    assert (earlier["status"], earlier["approved_amount"], earlier["exceptions"]) == ("APPROVED", "1200.00", [])


async def test_a_stated_total_of_null_is_what_the_document_comes_to(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(tax="76.00", freight="0.00")))
    found = await seeded.invoice()
    assert (found["stated_total"], found["computed_total"], found["status"]) == ("1076.00", "1076.00", "MATCHED")


async def post(erp: RunningErp, by: str, body: dict[str, Any]) -> Any:
    path, key = f"/stage/as/{by}/goods-receipts", f"{by}:{body}"
    return await erp.stage.post(path, json=body, headers={"Idempotency-Key": key})


async def test_only_somebody_who_may_posts_goods(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(), received=None))
    body = {"po_number": seeded.record("order")["number"], "date": "2026-03-20",
            "lines": [{"line": 1, "quantity": "1"}]}  # fmt: skip
    for by, changes, expected in (
        ("anna.keller", {}, (403, "NOT_AUTHORISED")),
        ("emma.lind", {"po_number": "PO-NOWHERE"}, (404, "NOT_FOUND")),
        ("emma.lind", {"lines": [{"line": 9, "quantity": "1"}]}, (400, "INVALID_REQUEST")),
    ):
        answer = await post(erp, by, body | changes)
        assert (answer.status_code, answer.json()["code"]) == expected
    posted = await post(erp, "emma.lind", body)
    assert posted.json()["lines"] == [
        {"line": 1, "unit": "EA", "quantity": "1.000", "accepted": "1.000", "rejected": "0.000"}
    ]
    row = (await erp.witness(seeded.vendor_id))["audit"][-2]
    assert (row["action"], row["client"], row["user"]) == ("post", "stage", {"username": "emma.lind", "sub": None})


async def test_the_witness_lists_refused_commands_too(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = await seeded.invoice()
    await erp.send("hold", found, by="emma.lind", key="malformed-" + seeded.vendor_id)
    await erp.send("approve-variance", found, by="anna.keller", key="unnamed-" + seeded.vendor_id)
    listed = (await erp.witness(seeded.vendor_id))["commands"]
    assert [(one["outcome"], one["code"]) for one in listed] == [
        ("refused", "INVALID_REQUEST"),
        ("refused", "EXCEPTION_OPEN"),
    ]


async def test_an_unknown_vendor_has_no_witness(erp: RunningErp) -> None:
    assert (await erp.stage.get("/stage/witness", params={"vendor_id": new_id()})).status_code == 404
    assert (await erp.stage.get("/stage/witness", params={"vendor_id": "x"})).status_code == 400
