"""A charge that nobody ordered: what was ordered is paid, the charge is not."""

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import first_open, hold, short_pay
from deskworld_agent.playbook.moves import Move


def unplanned_charge(file: CaseFile) -> Move:
    why = "The order names no such charge."
    if not file.alone or file.brief.held:
        return hold(file, why)
    return first_open(file, short_pay(file, f"{why} What was ordered and came is paid."), why_hold=why)
