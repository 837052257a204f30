"""The stage door: steers the simulation and hands out evidence. It listens apart and takes a credential of its own."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Depends, FastAPI, Header, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from deskworld_desk.cases.deadlines import move_office_time
from deskworld_desk.cases.office_time import MOST_AHEAD
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case, PartyRules
from deskworld_desk.cases.view import read_views, stamp
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.reading import blobs_named, first_cursor, own_rows_since, rows_of
from deskworld_desk.timeline.sse import stream_response
from deskworld_desk.workbench.case_routes import replayer
from deskworld_kit import clock
from deskworld_kit.health import health_router
from deskworld_kit.outage import answer_outages
from deskworld_kit.problems import install, responses
from deskworld_kit.stage import stage_secret

AT_AN_END = (State.RESOLVED.value, State.ON_HOLD.value, State.NEEDS_PERSON.value)


class Rules(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    rules: Literal["on", "off"]


class OfficeTime(BaseModel):
    """Where the clock goes: so many seconds ahead of machine time, or to a moment. It never goes back."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    ahead_seconds: Annotated[int | None, Field(ge=0, le=int(MOST_AHEAD.total_seconds()), strict=True)] = None
    to: AwareDatetime | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.ahead_seconds is None) == (self.to is None):
            raise ValueError("either ahead_seconds or to")
        return self


class OfficeTimeView(BaseModel):
    case_id: str
    office_now: str
    ahead_seconds: float


def stage(desk: Desk, secret: str, health: Callable[[], Awaitable[Mapping[str, str]]]) -> FastAPI:
    app = FastAPI(title="Deskworld desk, stage door", version="1")
    install(app)
    answer_outages(app)
    app.include_router(health_router(health))
    router = APIRouter(prefix="/stage", dependencies=[Depends(stage_secret(secret))], responses=responses(401))

    @router.put("/vendors/{vendor_id}/rules", status_code=204)
    async def rules(vendor_id: str, body: Rules) -> None:
        async with desk.db.transaction() as session:
            told = insert(PartyRules).values(party_id=vendor_id, rules=body.rules)
            await session.execute(
                told.on_conflict_do_update(index_elements=[PartyRules.party_id], set_={"rules": body.rules})
            )

    @router.get("/stream")
    async def stream(
        after: Annotated[int | None, Query(ge=0)] = None,
        last_event_id: Annotated[int | None, Header(ge=0)] = None,
    ) -> StreamingResponse:
        start = after if after is not None else last_event_id
        return stream_response(desk.broadcast, after=start, replay=replayer(desk))

    @router.get("/vendors/{vendor_id}/evidence")
    async def evidence(vendor_id: str) -> dict[str, Any]:
        return await _evidence(desk, vendor_id)

    @router.put("/cases/{case_id}/office-time", responses=responses(400, 404))
    async def office_time(case_id: str, wanted: OfficeTime) -> OfficeTimeView:
        """Moves the office time of one case ahead; deadlines that are reached have passed before the answer."""
        ahead = None if wanted.ahead_seconds is None else timedelta(seconds=wanted.ahead_seconds)
        now_ahead = await move_office_time(desk, case_id, to=wanted.to, ahead=ahead)
        now = stamp(clock.now() + now_ahead)
        return OfficeTimeView(case_id=case_id, office_now=now, ahead_seconds=now_ahead.total_seconds())

    @router.get("/open-cases")
    async def open_cases() -> dict[str, Any]:
        async with desk.db.transaction() as session:
            cases = list(await session.scalars(select(Case.id).where(Case.state.not_in(AT_AN_END)).order_by(Case.id)))
        return {"count": len(cases), "cases": cases}

    app.include_router(router)
    return app


async def _evidence(desk: Desk, vendor_id: str) -> dict[str, Any]:
    """All cases of the vendor. Mail that joined no case is everything set aside since the first of them was opened."""
    async with desk.db.transaction() as session:
        # one snapshot: a view and its timeline must tell of the same moment
        await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        cases = (await session.scalars(select(Case).where(Case.party_id == vendor_id).order_by(Case.id))).all()
        case_ids = [case.id for case in cases]
        timelines = await rows_of(session, case_ids)
        views = await read_views(session, cases, desk.names)
        since = await first_cursor(session, case_ids)
        aside = await own_rows_since(session, since) if since is not None else []
        rows = [row for timeline in timelines.values() for row in timeline]
        blobs = await blobs_named(session, [*rows, *aside])
    return {
        "cases": [{"view": view, "timeline": timelines[view["case_id"]]} for view in views],
        "blobs": blobs,
        "set_aside": aside,
    }
