"""Reading with the tools. A read that fails leaves its record unknown; it never invents one."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from deskworld_agent.door import OpenTurn
from deskworld_agent.playbook import records
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.wire import CallResult

T = TypeVar("T")

READS: dict[str, tuple[str, ...]] = {
    "PRICE_VARIANCE": ("order", "receipts"),
    "ITEM_SUBSTITUTED": ("order", "receipts"),
    "QTY_OVER_RECEIPT": ("order", "receipts"),
    "NO_RECEIPT": ("order", "receipts"),
    "DUPLICATE": ("similar",),
    "POSSIBLE_DUPLICATE": ("order", "receipts", "similar", "history"),
    "UNPLANNED_CHARGE": ("order", "receipts"),
    "CURRENCY_MISMATCH": ("order", "receipts"),
    "UOM_MISMATCH": ("order", "receipts"),
    "DOCUMENT_ARITHMETIC": ("order", "receipts"),
}
"""What belongs to a reason, beside the invoice and the vendor that every case needs."""


async def read(turn: OpenTurn, file: CaseFile) -> CaseFile:
    file = await _invoice(turn, file)
    file = await _vendor(turn, file)
    for what in READS.get(file.reason, ()):
        file = await READERS[what](turn, file)
    named = _order_named(file)
    if named:
        file = await _order(turn, file, named)
        file = await _receipts(turn, file, named) if file.order else file
    return file


def _order_named(file: CaseFile) -> str | None:
    """The order that a vendor named for an invoice that names none."""
    if file.reason != "NO_PO":
        return None
    return file.news.reply.order_number if file.news.reply else file.notes.order_named


async def _invoice(turn: OpenTurn, file: CaseFile) -> CaseFile:
    answer = await turn.persistently("get_invoice")
    found = _one(answer, "invoice", records.invoice)
    return replace(file, invoice=found, cites=_cites(file, "invoice", answer, [_document(answer, "invoice")]))


async def _vendor(turn: OpenTurn, file: CaseFile) -> CaseFile:
    answer = await turn.persistently("get_vendor")
    found = _one(answer, "vendor", records.vendor)
    cites = _cites(file, "vendor", answer, [_document(answer, "vendor")])
    changes = tuple(change for change in (found.pending if found else ()) if change in answer.ids)
    return replace(file, vendor=found, cites={**cites, "change": changes})


async def _order(turn: OpenTurn, file: CaseFile, number: str | None = None) -> CaseFile:
    answer = await turn.persistently("get_purchase_order", **_numbered(number))
    found = _one(answer, "order", records.order)
    return replace(file, order=found, cites=_cites(file, "order", answer, [_document(answer, "order")]))


async def _receipts(turn: OpenTurn, file: CaseFile, number: str | None = None) -> CaseFile:
    answer = await turn.persistently("get_receipts", **_numbered(number))
    found = _all(answer, records.receipt)
    return replace(file, receipts=found, cites=_cites(file, "receipts", answer, records.items(answer.result)))


async def _similar(turn: OpenTurn, file: CaseFile) -> CaseFile:
    answer = await turn.persistently("find_similar_invoices")
    found = _all(answer, records.similar)
    listed = [item.get("invoice", item) for item in records.items(answer.result)]
    return replace(file, similar=found, cites=_cites(file, "similar", answer, listed))


async def _history(turn: OpenTurn, file: CaseFile) -> CaseFile:
    answer = await turn.persistently("get_vendor_invoice_history")
    whole = answer.ok and isinstance(answer.result, dict) and not answer.result.get("next")
    found = _all(answer, records.invoice) if whole else None
    return replace(file, history=found, cites=_cites(file, "history", answer, records.items(answer.result)))


READERS = {"order": _order, "receipts": _receipts, "similar": _similar, "history": _history}


def _numbered(number: str | None) -> dict[str, str]:
    return {"number": number} if number else {}


def _document(answer: CallResult, name: str) -> dict[str, Any]:
    """The record itself, whether it comes bare or under its name."""
    result = answer.result if answer.ok and isinstance(answer.result, dict) else {}
    inner = result.get(name)
    return inner if isinstance(inner, dict) else result


def _one(answer: CallResult, name: str, parse: Callable[[dict[str, Any]], T | None]) -> T | None:
    document = _document(answer, name)
    try:
        return parse(document) if document else None
    except (KeyError, TypeError):
        return None


def _all(answer: CallResult, parse: Callable[[dict[str, Any]], T | None]) -> tuple[T, ...] | None:
    """None as soon as one record of the list cannot be read: a list with a hole says less than none."""
    if not answer.ok:
        return None
    try:
        found = [parse(item) for item in records.items(answer.result)]
    except (KeyError, TypeError):
        return None
    kept = tuple(one for one in found if one is not None)
    return kept if len(kept) == len(found) else None


def _cites(
    file: CaseFile, kind: str, answer: CallResult, documents: Iterable[dict[str, Any]]
) -> dict[str, tuple[str, ...]]:
    """One form of each record, and only a form that the call returned."""
    returned = set(answer.ids)
    forms = (_form(document, returned) for document in documents)
    return {**file.cites, kind: tuple(form for form in forms if form)}


def _form(document: dict[str, Any], returned: set[str]) -> str | None:
    named = document.get("ids")
    candidates = [document.get("id"), document.get("number"), document.get("handle")]
    candidates += named if isinstance(named, list) else []
    return next((form for form in candidates if isinstance(form, str) and form in returned), None)
