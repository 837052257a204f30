"""Where a kill hits the ERP: each point waits until the process is at its step, so that the kill finds it there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

from tests.support.erp_process import ErpProcess, connect

from deskworld_kit.clock import monotonic, pause

WITHIN = 60.0
_WAITING = """SELECT count(*) FROM pg_stat_activity
WHERE usename = 'erp_service' AND wait_event_type = 'Lock' AND query ~ $1"""
# Regular expressions: what a session of the ERP is at; the server keeps the first 1,024 bytes of it. Where a connection
# uses a statement for the first time, it prepares it and waits there.
TAKING = r"^(BEGIN; EXECUTE|PREPARE) take_key\M"
WRITING = r"UPDATE invoices SET|^EXECUTE (change_invoice|place_hold|release_hold)\("
ENDING = r"^(PREPARE append_audit|EXECUTE )"


class NotReached(Exception):
    """The process did not come to the step in time."""


def blocked(statement: str, query: str) -> Callable[[ErpProcess, Random], AbstractAsyncContextManager[None]]:
    """While the block of this lasts, somebody of the ERP's stands before `query`, which `statement` bars."""

    @asynccontextmanager
    async def point(erp: ErpProcess, _draw: Random) -> AsyncIterator[None]:
        barring = await connect(host=str(erp.home), user="postgres", database="erp")
        try:
            await barring.execute("BEGIN")
            await barring.execute(statement)
            await _until(lambda: erp.watching.fetchval(_WAITING, query), f"a session waits at {query!r}")
            yield
        finally:
            await barring.close()

    return point


@asynccontextmanager
async def committed(erp: ErpProcess, _draw: Random) -> AsyncIterator[None]:
    """A command is committed, and the ERP has not been told: the server waits for a standby that there is not."""
    count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'erp_service' AND wait_event = 'SyncRep'"
    commits = f"{count} AND query ~ '^(COMMIT|EXECUTE)'"
    await erp.watching.execute("ALTER SYSTEM SET synchronous_standby_names TO 'nobody'")
    await erp.watching.execute("SELECT pg_reload_conf()")
    try:
        await _until(lambda: erp.watching.fetchval(commits), "a commit waits to be told of")
        yield
    finally:
        await erp.watching.execute("ALTER SYSTEM RESET synchronous_standby_names")
        await erp.watching.execute("SELECT pg_reload_conf()")
        await _until(lambda: erp.watching.fetchval(f"SELECT (({count}) = 0)::int"), "no commit waits any more")


@asynccontextmanager
async def in_hand(erp: ErpProcess, _draw: Random) -> AsyncIterator[None]:
    """The receiver has an event and has not answered."""
    recorder = erp.recorder
    recorder.in_hand.clear()
    recorder.let_go.clear()
    recorder.hold_next = True
    try:
        try:
            async with asyncio.timeout(WITHIN):
                await recorder.in_hand.wait()
        except TimeoutError:
            raise NotReached(f"awaited for {WITHIN} s that the receiver has an event in hand") from None
        yield
    finally:
        recorder.hold_next = False
        recorder.let_go.set()


@asynccontextmanager
async def marking(erp: ErpProcess, draw: Random) -> AsyncIterator[None]:
    """The receiver took an event, and the mark that says so is not written."""
    barring = await connect(host=str(erp.home), user="postgres", database="erp")
    try:
        async with in_hand(erp, draw):
            await barring.execute("BEGIN")
            await barring.execute("LOCK TABLE outbox_deliveries IN SHARE MODE")
        query = "^UPDATE outbox_deliveries"
        await _until(lambda: erp.watching.fetchval(_WAITING, query), f"a session waits at {query!r}")
        yield
    finally:
        await barring.close()


@asynccontextmanager
async def anywhere(_erp: ErpProcess, draw: Random) -> AsyncIterator[None]:
    """Under load, at a moment drawn from the seed."""
    await pause(draw.uniform(0.0, 0.5))
    yield


async def _until(count: Callable[[], Awaitable[int]], what: str) -> None:
    deadline, seen = monotonic() + WITHIN, 0
    while monotonic() < deadline:
        seen = await count()
        if seen:
            return
        await pause(0.005)
    raise NotReached(f"awaited for {WITHIN} s: {what}; last seen: {seen}")


POINTS: Mapping[str, Callable[[ErpProcess, Random], AbstractAsyncContextManager[None]]] = {
    "taking the key": blocked("LOCK TABLE commands IN SHARE MODE", TAKING),
    "taking the vendor's lock": blocked("SELECT id FROM vendors FOR UPDATE", TAKING),
    "writing the invoice": blocked("LOCK TABLE invoices IN SHARE MODE", WRITING),
    "writing the audit": blocked("LOCK TABLE audit IN SHARE MODE", ENDING),
    "hanging on the audit": blocked("SELECT seq FROM audit_head FOR UPDATE", ENDING),
    "publishing": blocked("SELECT pg_advisory_xact_lock(hashtext('outbox:order'))", ENDING),
    "committed and not told": committed,
    "an event in the receiver's hand": in_hand,
    "marking an event as sent": marking,
    "anywhere": anywhere,
}
