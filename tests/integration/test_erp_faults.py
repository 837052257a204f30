"""The office door unwell: for one vendor's records or for all, again in the same way; the stage door never."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.support.erp import RunningErp, Seeded, invoice, line, running, situation
from tests.support.served import served

from deskworld_erp.app import office
from deskworld_kit.cutting import ConnectionCut
from deskworld_kit.ids import new_id

VENDOR = "/vendors/{vendor_id}"


@pytest_asyncio.fixture
async def served_office(erp: RunningErp) -> AsyncIterator[str]:
    async with served(office(erp.erp, erp.issuer.verifier())) as address:
        yield address


async def seeded_with(erp: RunningErp, *faults: dict[str, Any]) -> Seeded:
    return await erp.seed(situation(invoice(lines=[line(price="10.40")]), faults=list(faults)))


async def statuses(erp: RunningErp, path: str, calls: int) -> list[int]:
    return [(await erp.office.get(path, headers=erp.headers("desk"))).status_code for _ in range(calls)]


async def test_the_same_seed_gives_the_same_faults_to_another_case(erp: RunningErp) -> None:
    fault = {"kind": "status", "status": 503, "rate": 0.4, "seed": "11", "route": VENDOR}
    first, second = await seeded_with(erp, fault), await seeded_with(erp, fault)
    other = await seeded_with(erp, {**fault, "seed": "12"})
    one = await statuses(erp, f"/vendors/{first.vendor_id}", 30)
    two = await statuses(erp, f"/vendors/{second.vendor_id}", 30)
    assert one == two
    assert set(one) == {200, 503}
    assert one != await statuses(erp, f"/vendors/{other.vendor_id}", 30)


async def test_a_fault_is_for_its_vendors_records_alone(erp: RunningErp) -> None:
    unwell = await seeded_with(erp, {"kind": "status", "status": 429, "retry_after": 2})
    well = await erp.seed(situation(invoice()))
    number = unwell.record("order")["number"]
    paths = [
        f"/vendors/{unwell.vendor_id}",
        f"/invoices/{unwell.record('invoice')['id']}",
        f"/purchase-orders/{number}",
    ]
    paths += [
        f"/invoices/{unwell.record('invoice')['id']}/similar",
        f"/match-exceptions/{unwell.exception('PRICE_VARIANCE')}",
    ]
    for path in paths:
        answer = await erp.office.get(path, headers=erp.headers("desk"))
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (429, "RATE_LIMITED", "2")
    assert await statuses(erp, f"/vendors/{well.vendor_id}", 3) == [200, 200, 200]
    assert (await erp.witness(unwell.vendor_id))["vendor"]["id"] == unwell.vendor_id
    staged = await erp.stage.get(f"/stage/as/emma.lind/vendors/{unwell.vendor_id}")
    assert staged.status_code == 200, "the stage door is never under faults, nor is what it does for a person"


async def test_a_fault_for_everybody_meets_lists_too_and_spares_health(erp_postgres: Any) -> None:
    async with running(erp_postgres, "erp") as erp:
        fault = {"kind": "status", "status": 500}
        made = (await erp.stage.post("/stage/faults", json=fault)).json()
        assert (made["everybody"], made["vendor_id"]) == (True, None)
        assert await statuses(erp, "/match-exceptions", 2) == [500, 500]
        assert "checks" in (await erp.office.get("/health")).json(), "it answers for itself, well or not"
        listed = (await erp.stage.get("/stage/faults")).json()
        assert made["id"] in listed["ids"]
        assert (await erp.stage.delete(f"/stage/faults/{made['id']}")).status_code == 204
        assert await statuses(erp, "/match-exceptions", 2) == [200, 200]
        assert (await erp.stage.delete(f"/stage/faults/{made['id']}")).status_code == 404


async def test_faults_outlive_the_service(erp: RunningErp, erp_postgres: Any) -> None:
    seeded = await seeded_with(erp, {"kind": "status", "status": 503})
    async with running(erp_postgres, "erp") as again:
        assert await statuses(again, f"/vendors/{seeded.vendor_id}", 1) == [503]
        assert (await again.stage.delete("/stage/faults", params={"vendor_id": seeded.vendor_id})).status_code == 204
        assert await statuses(again, f"/vendors/{seeded.vendor_id}", 1) == [200]


async def test_a_command_is_carried_out_and_its_answer_never_comes(erp: RunningErp) -> None:
    seeded = await seeded_with(erp, {"kind": "commit-then-timeout", "method": "POST"})
    found = await seeded.invoice()
    with pytest.raises(ConnectionCut):
        await erp.send("reject", found, by="grace.hall", key="lost-answer")
    assert (await seeded.invoice())["status"] == "REJECTED"
    assert (await erp.get("/commands/lost-answer"))["outcome"] == "applied"


async def test_a_dropped_connection_carries_nothing_out(erp: RunningErp) -> None:
    seeded = await seeded_with(erp, {"kind": "drop", "method": "POST"})
    found = await seeded.invoice()
    with pytest.raises(ConnectionCut):
        await erp.send("reject", found, by="grace.hall", key="lost-request")
    assert (await seeded.invoice())["status"] == "EXCEPTION"
    assert (await erp.get("/commands/lost-request"))["outcome"] == "unknown"


async def test_a_delay_is_waited_and_then_answered(erp: RunningErp) -> None:
    seeded = await seeded_with(erp, {"kind": "latency", "milliseconds": 600_000, "calls": 1})
    path = f"/vendors/{seeded.vendor_id}"
    both = [asyncio.create_task(erp.office.get(path, headers=erp.headers("desk"))) for _ in range(2)]
    # the second call of the record overtakes the first, which waits for ten minutes
    done, waiting = await asyncio.wait(both, timeout=20, return_when=asyncio.FIRST_COMPLETED)
    assert [task.result().status_code for task in done] == [200]
    assert len(waiting) == 1
    waiting.pop().cancel()
    await asyncio.wait(both)


async def test_a_stale_read_is_the_answer_before_the_last_change(erp: RunningErp) -> None:
    seeded = await seeded_with(erp, {"kind": "stale-read"})
    before = await seeded.invoice()
    tag = (await erp.office.get(f"/invoices/{before['id']}", headers=erp.headers("desk"))).headers["etag"]
    await erp.stage.post(f"/stage/as/grace.hall/invoices/{before['id']}/reject",
                         json={"expected_version": 1}, headers={"Idempotency-Key": new_id()})  # fmt: skip
    stale = await erp.office.get(f"/invoices/{before['id']}", headers=erp.headers("desk"))
    assert stale.json() == before
    assert stale.headers["etag"] == tag
    assert (await erp.witness(seeded.vendor_id))["invoices"][0]["status"] == "REJECTED"


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 503, "route": "/invoices/{id}"},
        {"kind": "status", "status": 503, "route": "/stage/faults"},
        {"kind": "melt"},
    ],
)
async def test_a_fault_that_is_none_is_refused_and_seeds_nothing(erp: RunningErp, fault: dict[str, Any]) -> None:
    content = situation(invoice(), faults=[fault])
    answer = await erp.stage.post("/stage/situations", json=content)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await erp.stage.get("/stage/witness", params={"vendor_id": content["vendor"]["id"]})).status_code == 404


async def test_a_fault_of_an_unknown_vendor_is_not_found(erp: RunningErp) -> None:
    answer = await erp.stage.post("/stage/faults", json={"kind": "drop", "vendor_id": new_id()})
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_on_a_socket_the_connection_is_cut(erp: RunningErp, served_office: str) -> None:
    cut = await seeded_with(erp, {"kind": "drop"})
    withheld = await seeded_with(erp, {"kind": "commit-then-timeout", "milliseconds": 20})
    async with httpx.AsyncClient(base_url=served_office, headers=erp.headers("desk")) as http:
        for seeded in (cut, withheld):
            with pytest.raises(httpx.RemoteProtocolError):
                await http.get(f"/vendors/{seeded.vendor_id}")
        assert (await http.get("/health")).status_code == 200
