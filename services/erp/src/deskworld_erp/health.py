"""Whether a case could be seeded now."""

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from deskworld_erp.audit.tables import audit_head
from deskworld_erp.erp import Erp


async def check(erp: Erp) -> Mapping[str, str]:
    try:
        async with erp.read() as connection:
            await connection.execute(select(audit_head.c.seq))
    except (OSError, SQLAlchemyError) as error:
        return {"database": f"{type(error).__name__}: {error}"[:200]}
    return {"database": "ok"}
