"""The stage's other controls: acting as anybody, office time, reset, one record's witness, whole companies."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.support.erp import STAGE_SECRET, RunningErp, invoice, line, new_database, running, situation

from deskworld.worlds.ap.company import WAYS, company
from deskworld_erp.schema import metadata
from deskworld_kit.ids import new_id

VARIANCE = [line(price="10.40")]


async def test_the_stage_acts_for_a_named_person_and_the_authority_still_decides(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=VARIANCE)))
    found = await seeded.invoice()
    body = {"expected_version": 1, "settles": [seeded.exception("PRICE_VARIANCE")]}
    for person, status in (("kira.stone", 403), ("nobody.at.all", 403), ("anna.keller", 200)):
        path = f"/stage/as/{person}/invoices/{found['id']}/approve-variance"
        answer = await erp.stage.post(path, json=body, headers={"Idempotency-Key": f"staged-{found['id']}"})
        assert answer.status_code == status, answer.text
    last = (await erp.witness(seeded.vendor_id))["audit"][-1]
    assert (last["client"], last["user"]) == ("stage", {"username": "anna.keller", "sub": None})


async def test_neither_door_takes_the_others_credential(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    office = {"Authorization": f"Bearer {STAGE_SECRET}"}
    path = f"/vendors/{seeded.vendor_id}"
    assert (await erp.office.get(path, headers=office)).status_code == 401
    witness = {"params": {"vendor_id": seeded.vendor_id}}
    for person in ("ines.vogel", "desk"):
        assert (await erp.stage.get("/stage/witness", headers=erp.headers(person), **witness)).status_code == 401
        assert (await erp.stage.get(f"/stage/as/{person}{path}", headers=erp.headers(person))).status_code == 401


async def test_office_time_moves_for_one_vendor_and_dates_what_is_done_from_then_on(erp: RunningErp) -> None:
    moved, other = (
        await erp.seed(situation(invoice(lines=VARIANCE))),
        await erp.seed(situation(invoice(lines=VARIANCE))),
    )
    path = f"/stage/vendors/{moved.vendor_id}/office-time"
    answer = await erp.stage.put(path, json={"ahead_seconds": 3 * 86400})
    assert answer.status_code == 200, answer.text
    holds = []
    for seeded in (moved, other):
        await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=seeded.exception("PRICE_VARIANCE"))
        holds.append(datetime.fromisoformat((await seeded.invoice())["exceptions"][0]["holds"][0]["since"]))
    assert timedelta(days=2, hours=23) < holds[0] - holds[1] < timedelta(days=3, minutes=5)
    dated = (await erp.witness(moved.vendor_id))["audit"][-1]["at"]
    assert datetime.fromisoformat(dated) == holds[0]


async def test_office_time_never_goes_back(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice()))
    path = f"/stage/vendors/{seeded.vendor_id}/office-time"
    assert (await erp.stage.put(path, json={"ahead_seconds": 60})).status_code == 200
    for wrong in (
        {"ahead_seconds": 30},
        {"to": "2020-01-01T00:00:00Z"},
        {"to": "9000-01-01T00:00:00Z"},
        {},
        {"to": "noon"},
    ):
        answer = await erp.stage.put(path, json=wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST"), wrong
    unknown = await erp.stage.put(f"/stage/vendors/{new_id()}/office-time", json={"ahead_seconds": 60})
    assert unknown.status_code == 404


async def test_a_vendor_can_be_forgotten_and_the_audit_remembers(erp: RunningErp) -> None:
    fault = {"kind": "status", "status": 503, "route": "/vendors/{vendor_id}"}
    content = situation(invoice(lines=VARIANCE), faults=[fault])
    seeded, other = await erp.seed(content), await erp.seed(situation(invoice()))
    await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=seeded.exception("PRICE_VARIANCE"))
    answer = await erp.stage.post("/stage/reset", params={"vendor_id": seeded.vendor_id})
    assert answer.status_code == 200, answer.text
    assert answer.json()["removed"]["invoices"] == 1
    assert (await erp.office.get(f"/vendors/{seeded.vendor_id}", headers=erp.headers("desk"))).status_code == 404
    assert (await erp.get(f"/vendors/{other.vendor_id}"))["id"] == other.vendor_id
    rows = (await erp.get(f"/audit?entity={seeded.vendor_id}", by="kira.stone"))["items"]
    assert [row["action"] for row in rows] == ["set", "reset"]
    assert (await erp.get("/audit/verify", by="kira.stone"))["ok"]
    again = await erp.seed(content)
    assert again.reasons == ["PRICE_VARIANCE"]


async def test_after_a_reset_nothing_is_left_but_audit_and_authority(erp_postgres: Any) -> None:
    await new_database(erp_postgres, "erp_reset")
    async with running(erp_postgres, "erp_reset") as erp:
        seeded = await erp.seed(situation(invoice(lines=VARIANCE), faults=[{"kind": "drop", "method": "POST"}]))
        found = await seeded.invoice()
        body = {"expected_version": 1, "exception_id": seeded.exception("PRICE_VARIANCE")}
        staged = f"/stage/as/emma.lind/invoices/{found['id']}/hold"
        assert (await erp.stage.post(staged, json=body, headers={"Idempotency-Key": "k"})).status_code == 200
        await erp.stage.put(f"/stage/vendors/{seeded.vendor_id}/office-time", json={"ahead_seconds": 60})
        assert (await erp.stage.post("/stage/reset")).status_code == 200
        async with erp.erp.read() as connection:
            left = {
                table.name
                for table in metadata.sorted_tables
                if (await connection.execute(table.select().limit(1))).first() is not None
            }
        assert left == {"audit", "audit_head", "authority_grants", "outbox_receivers"}
        assert (await erp.get("/audit/verify", by="kira.stone"))["ok"]


async def test_the_witness_of_one_invoice_and_of_one_order_tells_of_them_alone(erp: RunningErp) -> None:
    both = (
        invoice("first", lines=[line(quantity="40", price="10.40")]),
        invoice("second", lines=[line(quantity="40")]),
    )
    seeded = await erp.seed(situation(*both))
    first, order = seeded.record("first"), seeded.record("order")
    told = (await erp.stage.get("/stage/witness", params={"invoice_id": first["id"]})).json()
    assert [one["id"] for one in told["invoices"]] == [first["id"]]
    assert [one["number"] for one in told["orders"]] == [order["number"]]
    assert {row["entity"]["kind"] for row in told["audit"]} == {"order", "receipt", "invoice"}
    assert [one["subject"] for one in told["outbox"]] == [seeded.exception("PRICE_VARIANCE")]
    on_order = (await erp.stage.get("/stage/witness", params={"po_number": order["number"]})).json()
    assert [one["id"] for one in on_order["invoices"]] == [first["id"], seeded.record("second")["id"]]
    for wrong, status in (
        ({}, 400),
        ({"invoice_id": new_id()}, 404),
        ({"po_number": "PO-X", "vendor_id": new_id()}, 400),
    ):
        assert (await erp.stage.get("/stage/witness", params=wrong)).status_code == status


async def test_a_company_is_loaded_with_every_reason_and_nobody_is_sent_its_events(erp_postgres: Any) -> None:
    await new_database(erp_postgres, "erp_company")
    async with running(erp_postgres, "erp_company") as erp:
        situations = list(company(7, 24))
        answer = await erp.stage.post("/stage/companies", json={"situations": situations})
        assert answer.status_code == 201, answer.text
        made = answer.json()
        assert (len(made["vendor_ids"]), made["orders"], made["invoices"]) == (24, 240, 600)
        assert set(made["exceptions"]) == {*WAYS, "NO_RECEIPT", "VENDOR_BANK_CHANGED"}
        feed = (await erp.get("/events?limit=200"))["items"]
        raised = [event for event in feed if event["type"].endswith("match-exception.raised")]
        assert len(raised) == sum(made["exceptions"].values())
        after = await erp.seed(situation(invoice(lines=VARIANCE)))
        await erp.desk.until(after.vendor_id, 1)
        assert {event["data"]["vendor_id"] for event in erp.desk.taken} == {after.vendor_id}
        again = await erp.stage.post("/stage/companies", json={"situations": situations[-1:]})
        assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")


def test_a_company_is_the_same_for_the_same_seed_and_has_the_size_that_it_says() -> None:
    whole = list(company(7, 200))
    assert [len(whole), sum(len(one["orders"]) for one in whole), sum(len(one["invoices"]) for one in whole)] == [
        200,
        2000,
        5000,
    ]
    assert whole == list(company(7, 200))
    assert len({one["vendor"]["name"] for one in whole}) == 200
    assert not {one["vendor"]["id"] for one in whole} & {one["vendor"]["id"] for one in company(8, 200)}


@pytest.mark.parametrize("path", ["/stage/companies", "/stage/situations", "/stage/faults", "/stage/reset"])
async def test_no_stage_route_opens_without_the_secret(erp: RunningErp, path: str) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}, erp.headers("ines.vogel")):
        assert (await erp.stage.post(path, json={}, headers=headers)).status_code in {400, 401}
    assert (await erp.stage.post("/stage/reset", headers={"Authorization": "Bearer wrong"})).status_code == 401
