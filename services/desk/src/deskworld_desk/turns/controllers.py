"""Who oversees agents: controllers, and nobody else."""

from deskworld_desk.timeline.kinds import Person
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

CONTROLLER = "controller"


def controller(who: Principal, what: str) -> Person:
    """Raises Problem 403."""
    if CONTROLLER not in who.roles:
        raise Problem(403, "NOT_AUTHORISED", f"to {what} takes the role {CONTROLLER}", roles=[CONTROLLER])
    return Person(username=who.username, sub=who.subject)
