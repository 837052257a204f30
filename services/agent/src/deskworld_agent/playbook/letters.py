"""What is written to vendors and asked of buyers. A letter asks for facts and promises nothing."""

from decimal import Decimal

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.moves import Ask, Write

CLOSING = "\n\nPlease answer to this message, so that it finds its case.\n\nAccounts payable"


def which_order(file: CaseFile) -> Write:
    body = (
        f"We could not match {file.called} to a purchase order of ours. "
        "Which purchase order number was it delivered under, and who placed the order?"
    )
    return Write("Which purchase order does this invoice belong to?", body + CLOSING)


def why_another_item(file: CaseFile) -> Write:
    body = (
        f"On {file.called} an item is billed that is not the one on our purchase order. "
        "Which item was delivered, why was it substituted, and at which unit price?"
    )
    return Write("An item that differs from our order", body + CLOSING)


def why_another_item_again(file: CaseFile) -> Write:
    body = (
        f"Your answer about {file.called} did not tell us what we need. Please write in the message itself, "
        "not in an attachment: the code of the item that was delivered, the reason for substituting it, the unit price."
    )
    return Write("Still open: the item that differs from our order", body + CLOSING)


def corrected_invoice(file: CaseFile, what: str) -> Write:
    body = f"We cannot process {file.called} as it stands: {what}. Could you explain it or send a corrected invoice?"
    return Write("A question about your invoice", body + CLOSING)


def price_agreed(billed: Decimal, ordered: Decimal, currency: str | None) -> Ask:
    unit = f" {currency}" if currency else ""
    question = (
        f"The invoice bills {billed.normalize():f}{unit} per unit where the order says {ordered.normalize():f}{unit}. "
        "Was the higher price agreed with the vendor?"
    )
    return Ask(question, about="price")


def order_yours(number: str) -> Ask:
    question = (
        f"The vendor says that an invoice without a valid order number belongs to your order {number}. Is that right?"
    )
    return Ask(question, about="order", order_number=number)


def substitute_accepted() -> Ask:
    question = "The vendor delivered and billed another item than was ordered. Do you accept it at the billed price?"
    return Ask(question, about="substitute")
