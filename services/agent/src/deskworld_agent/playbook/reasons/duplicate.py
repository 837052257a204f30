"""The same invoice again, or one that looks like it: what counts is the original, and what was delivered."""

from collections import defaultdict
from decimal import Decimal

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import approve, first_open, hold, propose
from deskworld_agent.playbook.moves import Move, Propose
from deskworld_agent.playbook.records import Invoice

EVIDENCE = ("invoice", "similar", "order", "receipts")
SAME_NUMBER = "same-number-key"


def duplicate(file: CaseFile) -> Move:
    if file.brief.held or not _original_found(file):
        return hold(file, "The invoice that this one repeats could not be found.", "invoice", "similar")
    reject = propose(
        file, "reject", "The vendor billed this before: the original invoice was found.", ("invoice", "similar")
    )
    return first_open(file, reject, why_hold="The original invoice was found, but rejecting is not wanted.")


def _original_found(file: CaseFile) -> bool:
    own = file.invoice.id if file.invoice else None
    return any(
        found.id != own and found.why == SAME_NUMBER and found.status not in {None, "REJECTED"}
        for found in file.similar or ()
    )


def possible_duplicate(file: CaseFile) -> Move:
    if not file.alone:
        return hold(file, "Something else stands open on this invoice, or behind this exception.", *EVIDENCE)
    accepted, before = _accepted(file), _billed_before(file)
    if accepted is None or before is None or file.invoice is None or not file.invoice.lines:
        return hold(file, "What was delivered and what was billed before could not be compared.", *EVIDENCE)
    left = [_left(line.order_line, accepted, before) for line in file.invoice.lines]
    billed = _billed(file.invoice)
    if billed is not None and all(before[no] + count <= accepted[no] for no, count in billed.items()):
        pay: Propose = approve(
            file, "Two deliveries: what was accepted covers this and every earlier one.", evidence=EVIDENCE
        )
        return first_open(file, pay, why_hold="Deliveries cover the invoice, but approving is not wanted.")
    if all(rest is not None and rest <= 0 for rest in left):
        reject = propose(file, "reject", "Nothing was accepted beyond what earlier invoices bill.", EVIDENCE)
        return first_open(file, reject, why_hold="Nothing was delivered for it, but rejecting is not wanted.")
    return hold(file, "Only a part of it was delivered beyond what earlier invoices bill.", *EVIDENCE)


def _left(no: int | None, accepted: dict[int, Decimal], before: dict[int, Decimal]) -> Decimal | None:
    return None if no is None else accepted[no] - before[no]


def _accepted(file: CaseFile) -> dict[int, Decimal] | None:
    if file.receipts is None:
        return None
    total: dict[int, Decimal] = defaultdict(Decimal)
    for receipt in file.receipts:
        for no, count in receipt.accepted:
            total[no] += count
    return total


def _billed_before(file: CaseFile) -> dict[int, Decimal] | None:
    """By order line, what the earlier invoices of the same order bill that were not rejected."""
    own = file.invoice
    if file.history is None or own is None or own.order_number is None or own.sequence is None:
        return None
    total: dict[int, Decimal] = defaultdict(Decimal)
    for earlier in file.history:
        if earlier.id == own.id or earlier.order_number != own.order_number:
            continue
        if earlier.sequence is None or earlier.status is None:
            return None
        if earlier.sequence > own.sequence or earlier.status == "REJECTED":
            continue
        if any(found.reason == "DUPLICATE" for found in earlier.open):
            continue
        billed = _billed(earlier)
        if billed is None:
            return None
        for no, count in billed.items():
            total[no] += count
    return total


def _billed(invoice: Invoice) -> dict[int, Decimal] | None:
    total: dict[int, Decimal] = defaultdict(Decimal)
    for line in invoice.lines:
        if line.order_line is None or line.quantity is None:
            return None
        total[line.order_line] += line.quantity
    return total
