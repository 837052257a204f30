"""Events: written with the document, delivered at least once and in order per invoice, given up visibly."""

import asyncio
from pathlib import Path
from random import Random

import httpx
from tests.support.erp import RunningErp, invoice, line, new_database, run_sql, running, situation

from deskworld_kit.clock import monotonic
from deskworld_kit.dispatcher import Dispatcher, Receiver
from deskworld_kit.gate import Backoff
from deskworld_kit.ids import new_id

DEAR = [line(price="10.40")]


async def test_an_event_sent_again_has_the_same_id(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    (event,) = await erp.desk.until(seeded.vendor_id, 1)
    for _ in range(2):
        answer = await erp.stage.post(f"/stage/events/{event['id']}/redeliver")
        assert answer.status_code == 202
    again = await erp.desk.until(seeded.vendor_id, 3)
    assert again == [event] * 3
    assert (await erp.stage.post(f"/stage/events/{new_id()}/redeliver")).status_code == 404


async def test_events_of_one_invoice_arrive_in_order_though_the_receiver_refuses_some(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    erp.desk.refuse = 4
    for _ in range(5):
        found = await seeded.invoice()
        exception = found["exceptions"][0]
        if exception["holds"]:
            await erp.send("release-hold", found, by="grace.hall", exception_id=exception["id"])
        else:
            await erp.send("hold", found, by="emma.lind", exception_id=exception["id"])
    arrived = await erp.desk.until(seeded.vendor_id, 6)
    assert [event["data"].get("version", 1) for event in arrived] == [1, 2, 3, 4, 5, 6]


async def test_many_invoices_lose_no_event_while_the_receiver_is_unwell(erp: RunningErp) -> None:
    erp.desk.refuse = 15
    seeded = await asyncio.gather(*(erp.seed(situation(invoice(lines=DEAR))) for _ in range(30)))
    for one in seeded:
        await erp.desk.until(one.vendor_id, 1)
    assert erp.desk.refuse == 0


async def test_an_event_that_nobody_takes_is_given_up_where_people_see_it_and_can_be_sent_again(
    erp_postgres: Path,
) -> None:
    await new_database(erp_postgres, "dead")
    backoff = Backoff(first=0.001, most=0.001, attempts_while_away=3)
    async with running(erp_postgres, "dead", backoff=backoff) as erp:
        erp.desk.refuse = 3
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        await erp.send("reject", await seeded.invoice(), by="grace.hall")
        rest = await erp.desk.until(seeded.vendor_id, 2)  # what comes after a dead letter goes on
        assert [event["type"] for event in rest] == [
            "deskworld.erp.match-exception.resolved",
            "deskworld.erp.invoice.changed",
        ]
        (dead,) = (await erp.get("/events/dead-letters"))["items"]
        assert (dead["attempts"], dead["last_error"]) == (3, "answered 503")
        await erp.stage.post(f"/stage/events/{dead['id']}/redeliver")
        again = await erp.desk.until(seeded.vendor_id, 3)
        assert again[-1]["id"] == dead["id"]
        assert (await erp.get("/events/dead-letters"))["items"] == []


async def test_what_was_committed_before_the_dispatcher_ran_is_delivered_when_it_does(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "later")
    async with running(erp_postgres, "later") as erp:
        erp.desk.refuse = 10_000
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
    async with running(erp_postgres, "later") as erp:
        (event,) = await erp.desk.until(seeded.vendor_id, 1)
        assert event["subject"] == seeded.exception("PRICE_VARIANCE")


async def test_a_broken_database_connection_is_opened_again(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "cut")
    async with running(erp_postgres, "cut") as erp:
        first = await erp.seed(situation(invoice(lines=DEAR)))
        await erp.desk.until(first.vendor_id, 1)
        await run_sql(
            erp_postgres,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'cut'",
        )
        second = await erp.seed(situation(invoice(lines=DEAR)))
        await erp.desk.until(second.vendor_id, 1)


async def test_however_a_session_of_the_dispatcher_ends_another_follows(erp_postgres: Path) -> None:
    """A cut connection may show as any error, or as a cancellation."""
    await new_database(erp_postgres, "ended")
    before = asyncio.all_tasks()
    async with running(erp_postgres, "ended") as erp:
        for _ in range(3):
            seeded = await erp.seed(situation(invoice(lines=DEAR)))
            await erp.desk.until(seeded.vendor_id, 1)
            (session,) = {one for one in asyncio.all_tasks() - before if one.get_name() == "outbox-session"}
            session.cancel()


async def test_of_two_dispatchers_on_a_database_one_delivers(erp: RunningErp) -> None:
    async with running(erp.home, erp.database_name) as second:
        seeded = await asyncio.gather(*(erp.seed(situation(invoice(lines=DEAR))) for _ in range(10)))
        for one in seeded:
            await erp.desk.until(one.vendor_id, 1)
        assert second.desk.taken == []


async def test_a_dispatcher_that_is_told_to_end_while_it_wakes_ends(erp: RunningErp) -> None:
    async with httpx.AsyncClient() as http:
        for _ in range(20):
            dispatcher = Dispatcher(
                dsn=f"postgresql://erp_service@/{erp.database_name}?host={erp.home}",
                receiver=Receiver("webhook", "http://nowhere", "s"),
                http=http,
                randomness=Random(1),
                table="outbox",
            )
            task = asyncio.create_task(dispatcher.run())
            await asyncio.wait([task], timeout=0.005)
            dispatcher.wake()
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=20)
            assert task in done


async def test_a_webhook_leaves_at_once(erp: RunningErp) -> None:
    """Far below any polling interval; the bench has the figures."""
    waits = []
    for _ in range(5):
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        since = monotonic()
        await erp.desk.until(seeded.vendor_id, 1)
        waits.append(monotonic() - since)
    assert min(waits) < 0.5, waits
