"""Office time: what a vendor's records live in. Machine time, moved ahead case by case through the stage door.

It dates documents, holds, bank changes, audit rows and events. Tokens, idempotency keys, leases, rate limits and HTTP
are in machine time.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func

from deskworld_erp.vendors.tables import vendors
from deskworld_kit import clock

MOST_AHEAD = timedelta(days=3650)


def office_now(ahead: timedelta) -> datetime:
    return clock.now() + ahead


def due_at(moment: ColumnElement[Any]) -> ColumnElement[Any]:
    """SQL: the machine time at which an office moment of a row that is joined with `vendors` is reached."""
    return moment - vendors.c.office_ahead


def reached(moment: ColumnElement[Any]) -> ColumnElement[bool]:
    """SQL: whether an office moment of a row that is joined with `vendors` is reached now."""
    return moment <= func.clock_timestamp() + vendors.c.office_ahead
