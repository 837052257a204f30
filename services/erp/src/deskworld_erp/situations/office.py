"""The office clock of a vendor's records, moved through the stage door."""

from datetime import datetime, timedelta
from typing import Annotated, Self

from fastapi import APIRouter, Response
from pydantic import AwareDatetime, Field, model_validator
from sqlalchemy import bindparam

from deskworld_erp.erp import Erp
from deskworld_erp.fields import WHOLE, Id, PathId, Value, moment_text
from deskworld_erp.invoicing.book import lock_statement
from deskworld_erp.invoicing.hold_dates import end_due_holds
from deskworld_erp.office_time import MOST_AHEAD
from deskworld_erp.posting import Actor
from deskworld_erp.vendors.tables import vendors
from deskworld_kit import clock
from deskworld_kit.answers import answer, not_found
from deskworld_kit.problems import Problem, responses

_LOCK = lock_statement(bindparam("vendor_id"))
STAGE = Actor(client="stage", user=None)


class OfficeTime(Value):
    """Where the clock goes: so many seconds ahead of machine time, or to a moment. It never goes back."""

    ahead_seconds: Annotated[int, Field(ge=0, le=int(MOST_AHEAD.total_seconds()), strict=True), WHOLE] | None = None
    to: Annotated[AwareDatetime | None, Field(examples=["2026-03-20T09:00:00+00:00"])] = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.ahead_seconds is None) == (self.to is None):
            raise ValueError("either ahead_seconds or to")
        return self

    def ahead(self, now: datetime) -> timedelta:
        return timedelta(seconds=self.ahead_seconds or 0) if self.to is None else self.to - now


class OfficeTimeView(Value):
    vendor_id: Id
    office_now: datetime
    ahead_seconds: float


async def move(erp: Erp, vendor_id: str, wanted: OfficeTime) -> dict[str, object]:
    """Raises Problem: NOT_FOUND, INVALID_REQUEST for a move back or too far ahead."""
    async with erp.posting(STAGE) as posting:
        if await posting.lock(_LOCK, {"vendor_id": vendor_id}) is None:
            raise not_found("vendor", vendor_id=vendor_id)
        now = clock.now()
        ahead, was = wanted.ahead(now), posting.at - now
        if ahead < was or ahead > MOST_AHEAD:
            raise Problem(
                400,
                "INVALID_REQUEST",
                "to: office time does not go back" if ahead < was else f"to: at most {MOST_AHEAD.days} days ahead",
                field="to",
                office_now=moment_text(posting.at),
            )
        await posting.connection.execute(vendors.update().where(vendors.c.id == vendor_id).values(office_ahead=ahead))
    await end_due_holds(erp, vendor_id)
    return {"vendor_id": vendor_id, "office_now": moment_text(now + ahead), "ahead_seconds": ahead.total_seconds()}


def routes(erp: Erp) -> APIRouter:
    router = APIRouter(prefix="/vendors/{vendor_id}/office-time", tags=["office time"])

    @router.put("", responses=responses(400, 401, 404, 500, 503) | {200: {"model": OfficeTimeView}})
    async def move_office_time(vendor_id: PathId, wanted: OfficeTime) -> Response:
        """Moves the office clock of a vendor's records ahead; what is due by then happens."""
        return answer(await move(erp, vendor_id, wanted))

    return router
