"""More billed than came: the invoice waits for the goods, and is paid when they are there."""

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import approve, first_open, hold, short_pay
from deskworld_agent.playbook.moves import Move


def goods_missing(file: CaseFile) -> Move:
    if _all_there(file) and file.alone and not file.declined("approve-variance"):
        return first_open(
            file,
            approve(file, "Everything that is billed was accepted."),
            why_hold="Everything that is billed was accepted, but nobody may approve it.",
        )
    why = "More is billed than was accepted: the rest of the goods is awaited."
    if not file.brief.held and file.declined("hold"):
        return first_open(file, short_pay(file, "What was accepted is paid."), why_hold=why)
    return hold(file, why, "invoice", "order", "receipts")


def _all_there(file: CaseFile) -> bool:
    """The ERP lets the whole invoice through, and there are receipts that say why."""
    return (
        bool(file.receipts) and file.total is not None and file.payable is not None and file.payable >= file.total > 0
    )
