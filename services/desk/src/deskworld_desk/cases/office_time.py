"""Office time: what a case's deadlines live in. Machine time, moved ahead case by case through the stage door.

The timeline, tokens and leases are in machine time.
"""

from datetime import datetime, timedelta

from deskworld_desk.cases.tables import Case
from deskworld_kit import clock

MOST_AHEAD = timedelta(days=3650)
SHORTEST_DEADLINE = timedelta(days=3)
"""No deadline of the office is shorter."""


def office_now(case: Case) -> datetime:
    return clock.now() + case.office_ahead
