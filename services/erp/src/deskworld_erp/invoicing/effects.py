"""What each action does to an invoice once its checks let it through."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from sqlalchemy import Update, bindparam
from sqlalchemy.dialects.postgresql import insert

from deskworld_erp.erp import Erp
from deskworld_erp.fields import moment_text
from deskworld_erp.invoicing.book import Book, load_book
from deskworld_erp.invoicing.matching import CHANGE, matched
from deskworld_erp.invoicing.record import InvoiceRecord, counts_document
from deskworld_erp.invoicing.rules.allocation import taken
from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.rules.commands import Situation
from deskworld_erp.invoicing.rules.match import match
from deskworld_erp.invoicing.rules.values import Status
from deskworld_erp.invoicing.state import Locked
from deskworld_erp.invoicing.tables import askings, holds
from deskworld_erp.posting import Posting
from deskworld_kit.ids import new_id
from deskworld_kit.lean import fixed

CREDIT_MEMO = "credit memo"
_PLACED = ("id", "exception_id", "invoice_id", "why", "by", "since", "until")
# written together with the invoice: a statement less in each of the two commands that come most often
_PLACE = fixed(
    CHANGE.add_cte(holds.insert().values({name: bindparam(name) for name in _PLACED}).cte("placed")), name="place_hold"
)
_RELEASE = fixed(
    CHANGE.add_cte(
        holds.update()
        .where(holds.c.id == bindparam("hold"))
        .values(released_at=bindparam("at"), released_by=bindparam("who"), released_why=bindparam("why"))
        .cte("released")
    ),
    name="release_hold",
)


@dataclass(frozen=True, slots=True)
class Effect:
    now: InvoiceRecord
    amount: Decimal | None = None
    hold_id: str | None = None
    by: Update = CHANGE
    """What writes it, with the values in `besides`."""
    besides: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doing:
    erp: Erp
    posting: Posting
    locked: Locked
    comment: str | None

    @property
    def situation(self) -> Situation:
        return self.locked.situation

    @property
    def record(self) -> InvoiceRecord:
        return self.locked.record

    async def book(self, *order_numbers: str) -> Book:
        return await load_book(
            self.posting.connection, self.record.vendor_id, self.erp.tolerances, orders_too=order_numbers
        )


async def _pay(of: Doing) -> Effect:
    """A short-pay counts on its order with the quantity that `payable` let through, unless more was paid."""
    paid, before = of.situation.amount, of.record
    ours: dict[str, Any] = {"approved_amount": paid}
    against = of.situation.against
    if before.matched_po is None and against is not None:
        book = await of.book(against.number)
        assigned = replace(before, matched_po=against.number)
        ours |= {"matched_po": against.number, "counts": counts_document(taken(book.inputs(assigned), paid))}
    elif of.situation.command.action is Action.SHORT_PAY and paid <= before.payable:
        book = await of.book()
        ours["counts"] = counts_document(match(book.inputs(before)).let_through)
    return Effect(before.closed(Status.APPROVED, **ours), amount=paid)


async def _reject(of: Doing) -> Effect:
    return Effect(of.record.closed(Status.REJECTED))


async def _hold(of: Doing) -> Effect:
    return await _place(of, of.comment or "held")


async def _request_credit_memo(of: Doing) -> Effect:
    """Places a hold, or renames the one that stands."""
    named = of.situation.named
    if named is None or named.hold_id is None:
        return await _place(of, CREDIT_MEMO)
    until = of.situation.command.until
    dated = {} if until is None else {"until": until}
    await of.posting.connection.execute(
        holds.update().where(holds.c.id == named.hold_id).values(why=CREDIT_MEMO, **dated)
    )
    shown = {"why": CREDIT_MEMO} | ({} if until is None else {"until": moment_text(until)})
    renamed = with_holds(of.record, named.id, lambda standing: [{**one, **shown} for one in standing])
    return Effect(replace(renamed, version=renamed.version + 1), hold_id=named.hold_id)


async def _release_hold(of: Doing) -> Effect:
    named = of.situation.named
    assert named is not None  # noqa: S101 - the checks found it
    freed = {"at": of.posting.at, "who": of.posting.actor.name, "why": of.comment or "released"}
    released = with_holds(of.record, named.id, lambda _: [])
    now = _again(await of.book(), released)
    return Effect(now, hold_id=named.hold_id, by=_RELEASE, besides={"hold": named.hold_id, **freed})


async def _assign_po(of: Doing) -> Effect:
    against = of.situation.against
    assert against is not None  # noqa: S101 - the checks found it
    await _asked(of)
    return Effect(_again(await of.book(against.number), replace(of.record, matched_po=against.number)))


async def _clear_duplicate(of: Doing) -> Effect:
    await _asked(of)
    book = await of.book()
    earlier = [other.id for other in book.others.values() if other.sequence < of.record.sequence]
    return Effect(_again(book, replace(of.record, cleared=sorted({*of.record.cleared, *earlier}))))


async def _asked(of: Doing) -> None:
    """Kept, because somebody else has to decide on what comes of it."""
    who = {"action": str(of.situation.command.action), "username": of.posting.actor.name, "at": of.posting.at}
    await of.posting.connection.execute(insert(askings).values(invoice_id=of.record.id, **who).on_conflict_do_nothing())


async def _place(of: Doing, why: str) -> Effect:
    named = of.situation.named
    assert named is not None  # noqa: S101 - the checks found it
    until = of.situation.command.until
    hold = {"id": new_id(), "why": why, "by": of.posting.actor.name, "since": of.posting.at, "until": until}
    dates = {"since": moment_text(of.posting.at), "until": None if until is None else moment_text(until)}
    shown = {**hold, **dates, "released_at": None}
    held = with_holds(of.record, named.id, lambda _: [shown])
    now = replace(held, status=str(Status.ON_HOLD), version=held.version + 1)
    placed = {"exception_id": named.id, "invoice_id": of.record.id, **hold}
    return Effect(now, hold_id=str(hold["id"]), by=_PLACE, besides=placed)


def _again(book: Book, record: InvoiceRecord) -> InvoiceRecord:
    now = matched(book, record)
    return replace(now, version=record.version + 1)


def with_holds(record: InvoiceRecord, exception_id: str, change: Callable[[list[Any]], list[Any]]) -> InvoiceRecord:
    """The invoice with the holds of one exception changed, at the version it had."""
    return replace(
        record,
        exceptions=tuple(
            {**one, "holds": change(one["holds"])} if one["id"] == exception_id else one for one in record.exceptions
        ),
    )


EFFECTS: Mapping[Action, Callable[[Doing], Awaitable[Effect]]] = {
    Action.APPROVE_VARIANCE: _pay,
    Action.SHORT_PAY: _pay,
    Action.HOLD: _hold,
    Action.RELEASE_HOLD: _release_hold,
    Action.REJECT: _reject,
    Action.REQUEST_CREDIT_MEMO: _request_credit_memo,
    Action.ASSIGN_PO: _assign_po,
    Action.CLEAR_DUPLICATE: _clear_duplicate,
}
