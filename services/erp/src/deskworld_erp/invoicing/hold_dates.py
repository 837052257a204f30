"""Holds with a date end when it is reached, in office time: the hold goes, and the match runs again."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import structlog
from sqlalchemy import bindparam, func, select

from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.invoicing.book import Book, load_book, lock_statement
from deskworld_erp.invoicing.effects import with_holds
from deskworld_erp.invoicing.matching import (
    Change,
    matched,
    publish_changed,
    publish_exception,
    publish_exceptions,
    recheck,
    write,
)
from deskworld_erp.invoicing.record import InvoiceRecord
from deskworld_erp.invoicing.tables import exceptions, holds
from deskworld_erp.office_time import due_at
from deskworld_erp.posting import Actor, Posting
from deskworld_erp.vendors.tables import vendors
from deskworld_kit import clock
from deskworld_kit.gate import Backoff

log = structlog.get_logger(__name__)

CLOCK = Actor(client="erp", user=None)
LOOK_AGAIN = timedelta(seconds=60)
_LOCK = lock_statement(bindparam("vendor_id"))
_STANDING = (holds.c.released_at.is_(None), holds.c.until.is_not(None))
_NEXT = (
    select(vendors.c.id, func.min(due_at(holds.c.until)).label("due"))
    .join(exceptions, exceptions.c.id == holds.c.exception_id)
    .join(vendors, vendors.c.id == exceptions.c.vendor_id)
    .where(*_STANDING)
    .group_by(vendors.c.id)
    .order_by(func.min(due_at(holds.c.until)))
    .limit(1)
)


async def end_due_holds(erp: Erp, vendor_id: str) -> int:
    """Those of a vendor whose date is reached by its office clock; how many. One transaction."""
    async with erp.posting(CLOCK) as posting:
        if await posting.lock(_LOCK, {"vendor_id": vendor_id}) is None:
            return 0
        due = await posting.connection.execute(
            select(holds.c.id, holds.c.exception_id, holds.c.invoice_id)
            .join(exceptions, exceptions.c.id == holds.c.exception_id)
            .where(exceptions.c.vendor_id == vendor_id, *_STANDING, holds.c.until <= posting.at)
            .order_by(holds.c.until, holds.c.id)
        )
        ended = due.all()
        if not ended:
            return 0
        book = await load_book(posting.connection, vendor_id, erp.tolerances)
        for one in ended:
            await _end(posting, book, book.records[one.invoice_id], one.id, one.exception_id)
    return len(ended)


async def _end(posting: Posting, book: Book, record: InvoiceRecord, hold_id: str, exception_id: str) -> None:
    over = {"released_at": posting.at, "released_by": posting.actor.name, "released_why": "date reached"}
    await posting.connection.execute(holds.update().where(holds.c.id == hold_id).values(over))
    cause = Cause("hold-date", hold_id)
    now = replace(matched(book, with_holds(record, exception_id, lambda _: [])), version=record.version + 1)
    change = Change(record, now)
    await write(posting, change)
    detail = change.detail() | {"hold_id": hold_id, "exception_id": exception_id, "cause": cause.shown()}
    posting.audit("invoice", now.id, now.vendor_id, "end-hold", detail)
    publish_exceptions(posting, change, cause)
    for one in now.open:
        if one["holds"] or one["id"] == exception_id:
            publish_exception(posting, "rechecked", now, one, cause)
    publish_changed(posting, now, "end-hold", None)
    seen_before = book.others[record.id]
    book.note(now)
    if book.others[now.id] != seen_before:
        await recheck(posting, book, {*book.after(seen_before), *book.after(book.others[now.id])}, cause)


class HoldDates:
    """Ends holds as their dates are reached by machine time; whoever moves an office clock ends what is due by then."""

    def __init__(self, erp: Erp, *, backoff: Backoff | None = None) -> None:
        self._erp = erp
        self._backoff = backoff or Backoff()
        self._another = asyncio.Event()
        erp.on_hold_with_date.append(self._another.set)

    async def run(self) -> None:
        """Until cancelled."""
        attempt, randomness = 0, Random("hold dates")  # noqa: S311 - it spreads retries, it keeps no secret
        while True:
            self._another.clear()
            step = asyncio.create_task(self._step(), name="hold-dates")
            try:
                await asyncio.wait([step])
            finally:
                step.cancel()
                await asyncio.wait([step])
            if not step.cancelled() and step.exception() is None:
                attempt = 0
                await self._until(step.result())
                continue
            attempt += 1
            ended = "cancelled" if step.cancelled() else repr(step.exception())
            log.warning("dates of holds cannot be looked at", attempt=attempt, ended=ended)
            await clock.pause(self._backoff.pause(attempt, randomness))

    async def _step(self) -> datetime | None:
        """Ends what is due at one vendor. When the next is due; None: no hold has a date."""
        async with self._erp.read() as connection:
            row = (await connection.execute(_NEXT)).first()
        if row is None:
            return None
        if row.due > clock.now():
            due: datetime = row.due
            return due
        await end_due_holds(self._erp, row.id)
        return clock.now()

    async def _until(self, due: datetime | None) -> None:
        left = LOOK_AGAIN if due is None else min(LOOK_AGAIN, due - clock.now())
        try:
            async with asyncio.timeout(max(0.0, left.total_seconds())):
                await self._another.wait()
        except TimeoutError:
            return
