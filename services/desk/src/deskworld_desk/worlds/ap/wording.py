"""A proposal about an invoice in the words of the person who decides it."""

from collections.abc import Iterable

from deskworld_desk.world import InWords, Json, Proposed
from deskworld_desk.worlds.ap.labels import summary

HEADLINES = {
    "approve-variance": "Pay {amount} to {vendor}: invoice {number} as it was billed",
    "short-pay": "Pay {amount} to {vendor} on invoice {number}, and no more of it",
    "hold": "Hold invoice {number} of {vendor}: nothing is paid until the hold is released",
    "reject": "Reject invoice {number} of {vendor}: it is never paid",
    "request-credit-memo": "Ask {vendor} for a credit memo on invoice {number}: nothing is paid meanwhile",
}


def in_words(proposed: Proposed) -> InWords:
    """`changes` may lack anything: a proposal can be made when the invoice could not be read."""
    changes = proposed.changes
    vendor = _named(changes.get("vendor"), "name", "a vendor who could not be read")
    number = _named(changes.get("invoice"), "number", "that could not be read")
    amount = f"{proposed.amount} {proposed.currency}" if proposed.amount else "nothing"
    words = HEADLINES.get(proposed.action, "{action}: invoice {number} of {vendor}, {amount}")
    headline = words.format(action=proposed.action, amount=amount, vendor=vendor, number=number)
    lines = [("What changes", headline), ("For whom", vendor), ("How much is paid", amount)]
    status = changes.get("status") or {}
    if status.get("to"):
        lines.append(("Status of the invoice", f"{status.get('from')} → {status['to']}"))
    for label, name in (("Billed in all", "computed_total"), ("Payable by order and receipts", "payable")):
        if changes.get(name):
            lines.append((label, f"{changes[name]} {proposed.currency}"))
    if proposed.against:
        lines.append(("Against order", proposed.against))
    settles = tuple(_reasons(changes.get("settles")))
    if settles:
        lines.append(("Settles", "; ".join(settles)))
    return InWords(headline, tuple(lines), tuple(_warnings(changes)))


def _warnings(changes: Json) -> Iterable[str]:
    if not changes:
        yield "The invoice could not be read when this was proposed."
    for masked in _reasons(changes.get("masked")):
        yield f"The match found this as well, behind what is open: {masked}"


def _reasons(found: object) -> Iterable[str]:
    for one in found if isinstance(found, list) else ():
        reason = str(one.get("reason") or "")
        yield f"{reason} ({summary(reason)})" if reason else str(one.get("id"))


def _named(found: object, name: str, otherwise: str) -> str:
    return str(found.get(name) or otherwise) if isinstance(found, dict) else otherwise
