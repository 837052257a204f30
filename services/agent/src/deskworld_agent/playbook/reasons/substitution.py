"""Another item than was ordered: the vendor says why, the buyer decides whether it will do and at which price."""

from decimal import Decimal

from deskworld_agent.playbook import letters
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import approve, first_open, hold, propose, short_pay
from deskworld_agent.playbook.moves import Move
from deskworld_agent.playbook.news import Reply
from deskworld_agent.playbook.words import Says, Wants, says, wants

LETTERS_AT_MOST = 2
WAITS = "It is not known why another item was delivered."


def item_substituted(file: CaseFile) -> Move:
    if not file.alone:
        return hold(file, "Other exceptions are open on this invoice and come first.")
    if file.declined("approve-variance"):
        return _after_decline(file)
    if file.news.answer is not None:
        return _after_answer(file, file.news.answer)
    if file.news.reply is not None:
        return _after_reply(file, file.news.reply)
    return hold(file, WAITS) if file.brief.held else _ask(file)


def _ask(file: CaseFile) -> Move:
    if file.news.stopped in {"reply", "unread"} or file.notes.letters:
        return _ask_again(file)
    return first_open(file, letters.why_another_item(file), letters.substitute_accepted(), why_hold=WAITS)


def _after_reply(file: CaseFile, reply: Reply) -> Move:
    if reply.substitution_reason is None or reply.intent != "SUBSTITUTED_ITEM":
        return _ask_again(file)
    billed = _billed(file)
    if billed is None:
        return hold(file, "The substituted line could not be read.")
    item, price = billed
    if reply.shipped_item is not None and reply.shipped_item != item:
        return hold(file, "The vendor says that another item was shipped than is billed.")
    if reply.price is not None and reply.price < price:
        credit = propose(file, "request-credit-memo", "The vendor states a lower price than is billed.")
        return first_open(file, credit, short_pay(file, "What the order covers is paid."), why_hold=WAITS)
    return _approve(file, "The vendor says why the item was substituted: the order's buyer decides.")


def _ask_again(file: CaseFile) -> Move:
    again = letters.why_another_item_again(file) if file.notes.letters < LETTERS_AT_MOST else None
    return first_open(file, again, letters.substitute_accepted(), why_hold=WAITS)


def _after_answer(file: CaseFile, answer: str) -> Move:
    if says(answer) is Says.NO:
        credit = propose(file, "request-credit-memo", "The buyer does not accept the item that was delivered.")
        return first_open(file, credit, why_hold="The buyer does not accept the item that was delivered.")
    return _approve(file, "The buyer was asked about the item and decides on it.")


def _after_decline(file: CaseFile) -> Move:
    """A structured reason says it; words are read for it; goods that stay are paid as they were ordered."""
    declined = [one for one in file.brief.declined if one.action == "approve-variance"][-1]
    back = declined.reason == "RETURN_GOODS" or (
        declined.reason is None and wants(declined.words, ordered=_ordered(file)) is Wants.RETURN
    )
    part = short_pay(file, "The substitute stays at the price of the order: what that covers is paid.")
    credit = propose(file, "request-credit-memo", "The substitute goes back: the vendor is asked for credit.")
    wanted = (credit, part) if back else (part, credit)
    return first_open(file, *wanted, why_hold="The substitute was declined, and so was every way to settle it.")


def _approve(file: CaseFile, why: str) -> Move:
    return first_open(file, approve(file, why), why_hold=why)


def _substituted(file: CaseFile) -> tuple[str, Decimal, Decimal | None] | None:
    """Billed item, billed price and the order's price of the one line whose item is not the order's."""
    if file.invoice is None or file.order is None:
        return None
    found = [
        (line.item, line.price, ordered.price)
        for line in file.invoice.lines
        if (ordered := file.order.line(line.order_line)) is not None and line.item != ordered.item
    ]
    if len(found) != 1:
        return None
    item, price, at_order = found[0]
    return (item, price, at_order) if item is not None and price is not None else None


def _billed(file: CaseFile) -> tuple[str, Decimal] | None:
    found = _substituted(file)
    return found[:2] if found else None


def _ordered(file: CaseFile) -> Decimal | None:
    found = _substituted(file)
    return found[2] if found else None
