"""The audit at the office door: for auditors and controllers."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy import select

from deskworld_erp.audit.chain import audit_row, verify_chain
from deskworld_erp.audit.schemas import AuditRows, ChainView
from deskworld_erp.audit.tables import audit
from deskworld_erp.erp import Erp
from deskworld_erp.fields import Short
from deskworld_erp.invoicing.rules.authority import Duty, has_duty
from deskworld_erp.invoicing.state import grants
from deskworld_kit.answers import Cursor, Limit, answer, number_position, page
from deskworld_kit.door import GUARDED_ERRORS, CallerDependency
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

MOST_SEQ = 2**63 - 1


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/audit", tags=["audit"])

    async def reader(person: Annotated[Principal, Depends(caller)]) -> Principal:
        async with erp.read() as connection:
            held = await grants(connection, person.username) if person.is_person else ()
        if not has_duty(held, Duty.READ_AUDIT):
            raise Problem(403, "NOT_AUTHORISED", "The audit is for auditors and controllers.", user=person.username)
        return person

    who = Annotated[Principal, Depends(reader)]

    @router.get("", responses=GUARDED_ERRORS | {200: {"model": AuditRows}})
    async def get_audit(
        _: who,
        entity: Annotated[Short | None, Query(description="id of a vendor, order, receipt, invoice or change")] = None,
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> Response:
        """Rows of one record, or all, oldest first."""
        wanted = select(audit).where(audit.c.seq > number_position(cursor, most=MOST_SEQ))
        if entity is not None:
            wanted = wanted.where(audit.c.entity_id == entity)
        async with erp.read() as connection:
            rows = await connection.execute(wanted.order_by(audit.c.seq).limit(limit + 1))
            found = [audit_row(row) for row in rows]
        return answer(page(found, limit, lambda one: one["seq"]))

    @router.get("/verify", responses=GUARDED_ERRORS | {200: {"model": ChainView}})
    async def verify_audit(_: who) -> Response:
        """Whether every row follows the one before, and if not, the first that does not."""
        async with erp.snapshot() as connection:
            state = await verify_chain(connection)
        return answer({"ok": state.ok, "broken": state.broken, "rows": state.rows})

    return router
