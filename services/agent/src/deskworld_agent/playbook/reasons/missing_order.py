"""No order, or none that exists: the vendor is asked which it is, and a named one counts when ERP and buyer agree."""

from deskworld_agent.playbook import letters
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import approve, first_open, hold
from deskworld_agent.playbook.moves import Move
from deskworld_agent.playbook.words import Says, says

NO_ORDER = "No purchase order of ours stands behind this invoice."
LETTERS_AT_MOST = 2


def no_order(file: CaseFile) -> Move:
    if file.declined("approve-variance"):
        return hold(file, "Paying against the order that was named is not wanted.")
    if file.news.answer is not None and file.notes.asked == "order":
        return _after_answer(file, file.news.answer)
    if file.news.reply is not None and not file.news.reply.stranger:
        return _after_reply(file)
    if file.brief.held or file.declined("hold") or file.notes.letters:
        return hold(file, NO_ORDER)
    return first_open(file, letters.which_order(file), why_hold=NO_ORDER)


def _after_reply(file: CaseFile) -> Move:
    reply = file.news.reply
    if reply is None or reply.order_number is None:
        again = reply is not None and reply.intent == "ASKS_QUESTION" and file.notes.letters < LETTERS_AT_MOST
        return first_open(file, letters.which_order(file) if again else None, why_hold=NO_ORDER)
    obstacle = _obstacle(file)
    if obstacle or file.order is None:
        return hold(file, obstacle or NO_ORDER)
    return first_open(file, letters.order_yours(file.order.number), why_hold=NO_ORDER)


def _after_answer(file: CaseFile, answer: str) -> Move:
    if says(answer) is not Says.YES:
        return hold(file, "The order's buyer does not say that the invoice belongs to it.")
    obstacle = _obstacle(file)
    if obstacle or file.order is None:
        return hold(file, obstacle or NO_ORDER)
    why = "The vendor named the order, the ERP knows it, and its buyer confirms that the invoice belongs to it."
    return first_open(file, approve(file, why, against_po=file.order.number), why_hold=NO_ORDER)


def _obstacle(file: CaseFile) -> str | None:
    """What speaks against paying this invoice on the named order; the first thing that does."""
    if file.order is None or file.invoice is None:
        return "The order that the vendor named is not known to the ERP."
    payable, total = file.order.payable, file.total
    ordered = {line.item for line in file.order.lines}
    strange = [line for line in file.invoice.lines if line.item is not None and line.item not in ordered]
    against = (
        ("Other exceptions are open on this invoice.", len(file.open) != 1),
        ("The named order is in another currency.", file.order.currency != file.invoice.currency),
        ("Nothing was accepted on the named order.", not file.receipts),
        ("The named order does not cover this invoice.", payable is None or total is None or payable < total),
        ("The named order is for something else.", bool(strange)),
    )
    return next((why for why, stands in against if stands), None)
