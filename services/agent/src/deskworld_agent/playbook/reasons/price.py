"""A price above the order's: the buyer decides on what is small or agreed, the vendor credits what is not."""

from decimal import Decimal

from deskworld_agent.playbook import letters
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import approve, first_open, hold, propose, short_pay
from deskworld_agent.playbook.moves import Move
from deskworld_agent.playbook.words import Says, says_of_price

ASK_ABOVE = Decimal(3)
"""Percent over the order's price from which the buyer is asked first."""
CREDIT_ABOVE = Decimal(10)
"""Percent over the order's price from which the vendor is asked for credit without more ado."""
SETTLED_TOGETHER = {"PRICE_VARIANCE", "ITEM_SUBSTITUTED"}


def price_variance(file: CaseFile) -> Move:
    worst = _worst_line(file)
    if worst is None:
        return hold(file, "The billed price could not be compared with the order.")
    if not {found.reason for found in file.open} <= SETTLED_TOGETHER:
        return hold(file, "Other exceptions are open on this invoice and come first.")
    if file.declined("approve-variance"):
        return _after_decline(file)
    if file.brief.held:
        return _credit_came(file)
    return _by_size(file, *worst)


def _by_size(file: CaseFile, billed: Decimal, ordered: Decimal) -> Move:
    over = (billed - ordered) / ordered * 100
    seen = f"A line is billed {over:.1f} % above the order."
    if over > CREDIT_ABOVE:
        return _credit(file, seen)
    if over <= ASK_ABOVE:
        return _pay(file, f"{seen} That is small.")
    if file.news.answer is None:
        question = letters.price_agreed(billed, ordered, file.invoice.currency if file.invoice else None)
        return first_open(file, question, approve(file, seen), why_hold=seen)
    if says_of_price(file.news.answer, billed=billed, ordered=ordered) is Says.NO:
        return _credit(file, "The buyer did not agree to the higher price.")
    return _pay(file, f"{seen} The buyer was asked about the price and decides on it.")


def _worst_line(file: CaseFile) -> tuple[Decimal, Decimal] | None:
    """Billed and ordered price of the line furthest above its order; None when any line cannot be compared."""
    if file.invoice is None or file.order is None:
        return None
    compared = []
    for line in file.invoice.lines:
        ordered = file.order.line(line.order_line)
        if ordered is None or not ordered.price or line.price is None:
            return None
        compared.append((line.price, ordered.price))
    return max(compared, key=lambda pair: pair[0] / pair[1], default=None)


def _after_decline(file: CaseFile) -> Move:
    declined = [one for one in file.brief.declined if one.action == "approve-variance"][-1]
    part = short_pay(file, "The price was declined: what the order covers is paid.")
    credit = propose(
        file, "request-credit-memo", "The price was declined: the vendor is asked to credit the difference."
    )
    wanted = (part, credit) if declined.reason == "PAY_PO_PRICE" else (credit, part)
    return first_open(file, *wanted, why_hold="Neither a credit nor a part is wanted.")


def _credit_came(file: CaseFile) -> Move:
    credited = file.invoice.credits if file.invoice else None
    issue = file.brief.exception.amount
    if file.news.rechecked == "credit-note" and credited and issue and credited >= Decimal(issue):
        return _pay(file, "The vendor's credit covers the difference.")
    return hold(file, "What the invoice waits for has not come yet.")


def _credit(file: CaseFile, why: str) -> Move:
    credit = propose(file, "request-credit-memo", why)
    part = short_pay(file, f"{why} What the order covers is paid.")
    return first_open(file, credit, part, why_hold=why)


def _pay(file: CaseFile, why: str) -> Move:
    return first_open(file, approve(file, why), why_hold=why)
