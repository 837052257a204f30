"""Whether a case could be seeded now: the database takes writes, events leave, and people's tokens can be checked."""

from functools import partial

from sqlalchemy import func, select

from deskworld_erp.audit.tables import audit_head
from deskworld_erp.erp import Erp
from deskworld_kit.health import Check, Health, Unwell

WITHIN = 1.5
"""Seconds: less than the desk gives us, so that it hears what is wrong here and not that we are silent."""


def health_of(erp: Erp) -> Health:
    checks: dict[str, Check] = {"database": partial(_database, erp)}
    if erp.dispatchers is not None:
        checks["dispatcher"] = partial(_dispatcher, erp)
    if erp.keys is not None:
        checks["identity"] = erp.keys.asked
    return Health(checks, within=WITHIN)


async def _database(erp: Erp) -> None:
    """Migrated, and not a standby or out of service for writes."""
    async with erp.read() as connection:
        await connection.execute(select(audit_head.c.seq))
        read_only = await connection.scalar(select(func.current_setting("transaction_read_only")))
    if read_only != "off":
        raise Unwell("the database takes no writes: transaction_read_only is on")


async def _dispatcher(erp: Erp) -> None:
    if erp.dispatchers is not None and not erp.dispatchers.at_work:
        raise Unwell("the dispatcher has no connection to the outbox, so no event leaves")
