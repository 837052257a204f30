"""Agents that the harness starts: clients of the agent door like any other. The oracle and the controls know the script
or ignore it; the playbook and an agent of yours know nothing of it.
"""

from deskworld.agents.cast import Cast, Script
from deskworld.agents.models import is_model, playbook_digest
from deskworld.agents.starting import NAMES, check, is_attached, named, working

__all__ = ["NAMES", "Cast", "Script", "check", "is_attached", "is_model", "named", "playbook_digest", "working"]
