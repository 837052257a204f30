"""A document that cannot be right as it stands: the vendor is asked, and nothing is paid that it does not support."""

from deskworld_agent.playbook import letters
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import first_open, hold, short_pay
from deskworld_agent.playbook.moves import Move


def currency_mismatch(file: CaseFile) -> Move:
    return _ask_vendor(file, "its currency is not the one of our purchase order")


def uom_mismatch(file: CaseFile) -> Move:
    return _ask_vendor(file, "its unit of measure is not the one of our purchase order")


def document_arithmetic(file: CaseFile) -> Move:
    what = "its lines and its total do not agree"
    if file.alone and not file.brief.held and not file.declined("short-pay"):
        part = short_pay(file, "The document does not add up: what order, receipts and both totals support is paid.")
        if part is not None:
            return first_open(file, part, why_hold="The document does not add up.")
    return _ask_vendor(file, what)


def _ask_vendor(file: CaseFile, what: str) -> Move:
    why = f"The invoice cannot be processed: {what}. A corrected one is awaited."
    asked = file.notes.letters or file.news.reply is not None or file.declined("hold")
    if asked or file.brief.held:
        return hold(file, why)
    return first_open(file, letters.corrected_invoice(file, what), why_hold=why)
