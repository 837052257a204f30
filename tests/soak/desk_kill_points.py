"""Where a kill hits the desk: each point brings it to one step and keeps it there, so that the kill finds it there."""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random
from typing import Any

from tests.soak.kill_points import NotReached
from tests.soak.playground import Playground
from tests.support.desk import STAGE
from tests.support.erp_process import connect

from deskworld_kit.clock import monotonic, pause

WITHIN = 20.0
WITHHELD_MS = 20_000
ACTIONS = ("approve-variance", "short-pay", "hold", "reject", "request-credit-memo")
Point = Callable[[Playground, Random], AbstractAsyncContextManager[None]]
_STUCK = """SELECT count(*) FROM pg_stat_activity
WHERE usename = 'desk_service' AND wait_event_type = 'Lock' AND query LIKE '{}'"""
_OPEN_RECORDS = "SELECT DISTINCT record_id FROM decisions WHERE state IN ('OPEN', 'MADE')"
UNECHOED = "SELECT count(*) FROM decisions WHERE state = 'APPLIED' AND echo_at IS NULL"


def stuck(query: str) -> str:
    """Counts the desk's sessions that stand before this statement."""
    return _STUCK.format(query)


def barred(statement: str, count: str) -> Point:
    """`statement` bars the desk's next step, and so many rows or sessions stand before it."""

    @asynccontextmanager
    async def point(ground: Playground, _draw: Random) -> AsyncIterator[None]:
        async with _barring(ground, statement):
            await _until(ground, count, f"something stands before {statement!r}")
            yield

    return point


def stopped(part: str, count: str) -> Point:
    """A neighbour says nothing, and the desk waits for it in so many rows."""

    @asynccontextmanager
    async def point(ground: Playground, _draw: Random) -> AsyncIterator[None]:
        pid = getattr(ground.company, part).pid
        os.kill(pid, signal.SIGSTOP)
        try:
            await _until(ground, count, f"something waits for {part}")
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    return point


@asynccontextmanager
async def unechoed(ground: Playground, _draw: Random) -> AsyncIterator[None]:
    """A command is carried out and on record, and the ERP's own event about it waits before the door's first lock."""
    async with _barring(ground) as barring:
        held: set[str] = set()

        async def look() -> int:
            for row in await barring.fetch(_OPEN_RECORDS):
                if row["record_id"] not in held:
                    held.add(row["record_id"])
                    await barring.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", row["record_id"])
            return await ground.count(UNECHOED)

        await _until_(look, "a command's echo is awaited")
        yield


def faulted(kind: str, count: str) -> Point:
    """The ERP meets every command with this fault for long, and so many rows wait for it."""

    @asynccontextmanager
    async def point(ground: Playground, _draw: Random) -> AsyncIterator[None]:
        fault = {"vendor_id": None, "kind": kind, "method": "POST", "milliseconds": WITHHELD_MS}
        url, headers = f"{ground.stack.erp_stage}/stage/faults", {"Authorization": f"Bearer {STAGE}"}
        faults = [fault | {"route": f"/invoices/{{invoice_id}}/{action}"} for action in ACTIONS]
        made = [await ground.company.http.post(url, json=one, headers=headers) for one in faults]
        for one in made:
            one.raise_for_status()
        try:
            await _until(ground, count, f"something waits for commands under {kind!r}")
            yield
        finally:
            for one in made:
                (await ground.company.http.delete(f"{url}/{one.json()['id']}", headers=headers)).raise_for_status()

    return point


@asynccontextmanager
async def anywhere(_ground: Playground, draw: Random) -> AsyncIterator[None]:
    """Under load, at a moment drawn from the seed."""
    await pause(draw.uniform(0.0, 0.5))
    yield


@asynccontextmanager
async def _barring(ground: Playground, statement: str | None = None) -> AsyncIterator[Any]:
    barring = await connect(host=str(ground.company.home), user="postgres", database="desk")
    try:
        await barring.execute("BEGIN")
        if statement is not None:
            await barring.execute(statement)
        yield barring
    finally:
        await barring.close()


async def _until(ground: Playground, count: str, what: str) -> None:
    async def look() -> int:
        return await ground.count(count)

    await _until_(look, what)


async def _until_(look: Callable[[], Awaitable[int]], what: str) -> None:
    deadline, seen = monotonic() + WITHIN, 0
    while monotonic() < deadline:
        seen = await look()
        if seen:
            return
        await pause(0.005)
    raise NotReached(f"awaited for {WITHIN} s: {what}; last seen: {seen}")


HANDED_IN = "a letter is handed in, and that is not on record"
POINTS: Mapping[str, Point] = {
    "rules run": barred("LOCK TABLE proposals IN SHARE MODE", stuck("INSERT INTO proposals%")),
    "the policy is asked": stopped("policy", "SELECT count(*) FROM cases WHERE rules_run IS NOT NULL"),
    "input not yet told": barred("LOCK TABLE turns IN SHARE MODE", stuck("INSERT INTO turns%")),
    "a turn calls a tool": barred("LOCK TABLE calls IN SHARE MODE", stuck("INSERT INTO calls%")),
    "decided, not yet carried out": faulted("latency", "SELECT count(*) FROM decisions WHERE state = 'MADE'"),
    "carried out, its answer lost": faulted(
        "commit-then-timeout", "SELECT count(*) FROM events WHERE handled_at IS NULL"
    ),
    "carried out, its echo not yet heard": unechoed,
    "a letter queued": stopped("mail", "SELECT count(*) FROM letters WHERE state = 'QUEUED'"),
    HANDED_IN: barred("LOCK TABLE letters IN SHARE MODE", stuck("UPDATE letters%")),
    "a mail joined, not yet read": barred(
        "LOCK TABLE facts IN SHARE MODE", "SELECT count(*) FROM mails WHERE state = 'JOINED'"
    ),
    "anywhere": anywhere,
}
