"""A bank account that changed: money and letters wait until somebody has called a number on record."""

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import hold
from deskworld_agent.playbook.moves import Move


def bank_changed(file: CaseFile) -> Move:
    """The change itself was met before; here it is no longer pending, and the ERP closes the case when it agrees."""
    return hold(file, "A bank change was open on this vendor.", "vendor", "invoice")
