"""Agents that the harness starts: clients of the agent door like any other. The oracle and the controls know the script
or ignore it; the playbook and an agent of yours know nothing of it.
"""

from deskworld.agents.cast import Cast, Script
from deskworld.agents.starting import NAMES, check, working

__all__ = ["NAMES", "Cast", "Script", "check", "working"]
