"""The match runs on a recorded invoice: what changes, written, audited and published."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import Update, bindparam

from deskworld_erp.closing import Made
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.fields import money_text
from deskworld_erp.invoicing.book import Book
from deskworld_erp.invoicing.record import Document, InvoiceRecord, counts_document, notes_document
from deskworld_erp.invoicing.rules.commands import Code
from deskworld_erp.invoicing.rules.match import match
from deskworld_erp.invoicing.rules.reconcile import reconcile
from deskworld_erp.invoicing.tables import exceptions, holds, invoices
from deskworld_erp.posting import Posting
from deskworld_kit.ids import new_id
from deskworld_kit.lean import fixed
from deskworld_kit.problems import Problem

_OURS = (
    "status",
    "version",
    "payable",
    "counts",
    "matched_po",
    "approved_amount",
    "cleared",
    "credits",
    "credited",
    "notes",
)
_WORDS = ("summary", "lines", "amount", "masked")
CHANGE = fixed(
    invoices.update()
    .where(invoices.c.id == bindparam("of"), invoices.c.version == bindparam("seen"))
    .values({name: bindparam(name) for name in _OURS}),
    name="change_invoice",
)
"""Conditional on the version that was seen; a command adds to it what else it writes."""
_REWORD = (
    exceptions.update().where(exceptions.c.id == bindparam("of")).values({name: bindparam(name) for name in _WORDS})
)
_RESOLVE = (
    exceptions.update()
    .where(exceptions.c.id.in_(bindparam("ids", expanding=True)))
    .values(status="RESOLVED", resolved_at=bindparam("resolved_at"))
)
_FREE = (
    holds.update()
    .where(holds.c.exception_id.in_(bindparam("ids", expanding=True)), holds.c.released_at.is_(None))
    .values(released_at=bindparam("freed_at"), released_by=bindparam("freed_by"), released_why="settled")
)


@dataclass(frozen=True, slots=True)
class Change:
    """One new version of an invoice; `before` is None for one that was just received."""

    before: InvoiceRecord | None
    now: InvoiceRecord

    @property
    def raised(self) -> tuple[Document, ...]:
        known = set() if self.before is None else {one["id"] for one in self.before.exceptions}
        return tuple(one for one in self.now.exceptions if one["id"] not in known)

    @property
    def resolved(self) -> tuple[Document, ...]:
        was_open = set() if self.before is None else {one["id"] for one in self.before.open}
        return tuple(one for one in self.now.exceptions if one["id"] in was_open and one["status"] != "OPEN")

    @property
    def reworded(self) -> tuple[Document, ...]:
        if self.before is None:
            return ()
        was = {one["id"]: one for one in self.before.open}
        return tuple(
            one
            for one in self.now.open
            if one["id"] in was and any(one[name] != was[one["id"]][name] for name in _WORDS)
        )

    @property
    def alone(self) -> bool:
        """Whether no exception changes with the invoice, but for its holds."""
        return not (self.raised or self.resolved or self.reworded)

    def detail(self) -> dict[str, Any]:
        """For the audit."""
        return {
            "status": self.now.status,
            "version": self.now.version,
            "payable": money_text(self.now.payable),
            "raised": [{"id": one["id"], "reason": one["reason"]} for one in self.raised],
            "resolved": [one["id"] for one in self.resolved],
        }


def matched(book: Book, record: InvoiceRecord) -> InvoiceRecord:
    """The invoice after a run of the match, at the version it had. No I/O."""
    inputs = book.inputs(record)
    outcome = match(inputs)
    changes = reconcile(record.standing(), outcome)
    return replace(
        record,
        status=str(changes.status),
        payable=outcome.payable,
        counts=counts_document(outcome.counts),
        notes=notes_document(outcome.notes),
        matched_po=record.matched_po if inputs.order is None else inputs.order.number,
        exceptions=record.changed_by(changes, new_id) if changes.exceptions_changed else record.exceptions,
    )


async def recheck(posting: Posting, book: Book, invoice_ids: Iterable[str], cause: Cause) -> None:
    """In order of arrival: a later invoice sees what became of an earlier one."""
    waiting = set(invoice_ids)
    for record in list(book.records.values()):
        if record.id not in waiting:
            continue
        now = matched(book, record)
        if now != record:
            now = replace(now, version=record.version + 1)
            change = Change(record, now)
            await write(posting, change)
            detail = change.detail() | {"cause": cause.shown()}
            posting.audit("invoice", now.id, now.vendor_id, "recheck", detail, decision_id=cause.decision_id)
            publish_exceptions(posting, change, cause)
        publish_rechecked(posting, now, cause)
        if now != record:
            publish_changed(posting, now, "recheck", cause.decision_id)
            seen_before = book.others[record.id]
            book.note(now)
            if book.others[now.id] != seen_before:
                waiting.update(book.after(book.others[now.id]))


async def write(
    posting: Posting, change: Change, *, by: Update = CHANGE, besides: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """The invoice's new version and its exceptions. Raises Problem STALE_VERSION when somebody else changed the invoice
    meanwhile: then nothing of the posting is kept.

    `by`: CHANGE, or a statement made of it that writes more, from the values in `besides`."""
    now = change.now
    done = await posting.connection.execute(by, {**_written(change), **besides})
    if done.rowcount != 1:
        raise Problem(409, Code.STALE_VERSION, "The invoice was changed meanwhile.", invoice_id=now.id)
    if change.raised:
        await posting.connection.execute(exceptions.insert(), [raised_row(posting, now, one) for one in change.raised])
    if change.reworded:
        await posting.connection.execute(
            _REWORD, [{"of": one["id"]} | {name: one[name] for name in _WORDS} for one in change.reworded]
        )
    await _resolve(posting, change)


def write_last(posting: Posting, change: Change, *, by: Update, besides: Mapping[str, Any]) -> None:
    """As `write`, of a change that stands alone and after which nothing is read any more: it leaves with the audit, in
    one trip. When somebody else changed the invoice meanwhile, the posting fails."""
    assert change.alone  # noqa: S101 - what it does to exceptions would not be written
    posting.last.append((by, {**_written(change), **besides}))
    posting.made = Made(change.now.id, change.now.version)


def _written(change: Change) -> dict[str, Any]:
    """Values of CHANGE."""
    assert change.before is not None  # noqa: S101 - a new invoice is inserted, not changed
    ours = {name: getattr(change.now, name) for name in _OURS}
    return ours | {"of": change.now.id, "seen": change.before.version}


async def _resolve(posting: Posting, change: Change) -> None:
    ids = [one["id"] for one in change.resolved]
    if not ids or change.before is None:
        return
    await posting.connection.execute(_RESOLVE, {"ids": ids, "resolved_at": posting.at})
    if any(one["holds"] for one in change.before.open if one["id"] in ids):
        await posting.connection.execute(_FREE, {"ids": ids, "freed_at": posting.at, "freed_by": posting.actor.name})


def raised_row(posting: Posting, invoice: InvoiceRecord, one: Document) -> dict[str, Any]:
    names = ("id", "reason", "summary", "lines", "amount", "currency", "status", "masked")
    return {name: one[name] for name in names} | {
        "invoice_id": invoice.id,
        "vendor_id": invoice.vendor_id,
        "raised_at": posting.at,
    }


def publish_exceptions(posting: Posting, change: Change, cause: Cause) -> None:
    for one in change.raised:
        publish_exception(posting, "raised", change.now, one, cause)
    for one in change.resolved:
        publish_exception(posting, "resolved", change.now, one, cause)


def publish_rechecked(posting: Posting, invoice: InvoiceRecord, cause: Cause) -> None:
    """For every held exception, changed or not: whoever holds it learns what came."""
    for one in invoice.open:
        if one["holds"]:
            publish_exception(posting, "rechecked", invoice, one, cause)


def publish_exception(posting: Posting, what: str, invoice: InvoiceRecord, one: Document, cause: Cause) -> None:
    data = {
        "exception_id": one["id"],
        "invoice_id": invoice.id,
        "vendor_id": invoice.vendor_id,
        "po_number": invoice.matched_po,
        "reason": one["reason"],
        "amount": one["amount"],
        "currency": one["currency"],
        "holds": one["holds"],
        "invoice_version": invoice.version,
        "cause": cause.shown(),
    }
    if what == "raised":
        data |= {"summary": one["summary"], "masked": one["masked"]}
    posting.events.append(
        event(
            f"match-exception.{what}",
            subject=one["id"],
            key=invoice.id,
            vendor_id=invoice.vendor_id,
            at=posting.at,
            data=data,
        )
    )


def publish_changed(posting: Posting, invoice: InvoiceRecord, action: str, decision_id: str | None) -> None:
    data = {
        "invoice_id": invoice.id,
        "vendor_id": invoice.vendor_id,
        "action": action,
        "status": invoice.status,
        "version": invoice.version,
        "decision_id": decision_id,
        "user": posting.actor.user,
    }
    posting.events.append(
        event(
            "invoice.changed",
            subject=invoice.id,
            key=invoice.id,
            vendor_id=invoice.vendor_id,
            at=posting.at,
            data=data,
        )
    )
