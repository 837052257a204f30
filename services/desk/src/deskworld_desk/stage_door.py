"""The stage door: steers the simulation and hands out evidence. It listens apart and takes a credential of its own."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Depends, FastAPI, Header, Path, Query, Response
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
from deskworld_desk.text import plain
from deskworld_desk.timeline.reading import blobs_named, first_cursor, own_rows_since, rows_of
from deskworld_desk.timeline.sse import stream_response
from deskworld_desk.workbench.case_routes import replayer
from deskworld_kit import clock
from deskworld_kit.answers import answer
from deskworld_kit.description import Described
from deskworld_kit.door import door
from deskworld_kit.health import health_router
from deskworld_kit.problems import responses
from deskworld_kit.stage import stage_secret

EXAMPLE_ID = "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"
DESCRIBED = Described(
    title="Deskworld desk, stage door",
    about="Steers the simulation (rules on or off, office time) and hands out what happened: the stream of all rows, "
    "the evidence of a vendor's cases.",
    credential="The stage's own secret. An office token opens nothing here.",
)
RecordId = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^\x00]*$", examples=[EXAMPLE_ID]), plain]
MOST_CURSOR = 2**62
Cursor = Annotated[int | None, Query(ge=0, le=MOST_CURSOR, description="A cursor of the stream; absent: its end")]
LastEventId = Annotated[int | None, Header(ge=0, le=MOST_CURSOR)]
STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events: hello, row, view", "content": {"text/event-stream": {}}}
}
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


class Evidence(BaseModel):
    cases: list[dict[str, Any]] = Field(description="`{view, timeline: [row]}` of every case of the vendor")
    blobs: dict[str, Any] = Field(description="By digest: what the rows name")
    set_aside: list[dict[str, Any]] = Field(description="Rows about mail that joined no case")


class OpenCases(BaseModel):
    count: int
    cases: list[str]


def stage(desk: Desk, secret: str, health: Callable[[], Awaitable[Mapping[str, str]]]) -> FastAPI:
    router = APIRouter(
        prefix="/stage",
        tags=["stage"],
        dependencies=[Depends(stage_secret(secret))],
        responses=responses(400, 401, 500, 503),
    )
    _steering(router, desk)
    _telling(router, desk)
    return door(DESCRIBED, [health_router(health), router])


def _steering(router: APIRouter, desk: Desk) -> None:
    @router.put("/vendors/{vendor_id}/rules", status_code=204)
    async def rules(vendor_id: RecordId, body: Rules) -> None:
        """Whether the rules work for this vendor. May be told before the vendor is known."""
        async with desk.db.transaction() as session:
            told = insert(PartyRules).values(party_id=vendor_id, rules=body.rules)
            await session.execute(
                told.on_conflict_do_update(index_elements=[PartyRules.party_id], set_={"rules": body.rules})
            )

    @router.put("/cases/{case_id}/office-time", responses=responses(404))
    async def office_time(case_id: RecordId, wanted: OfficeTime) -> OfficeTimeView:
        """Moves the office time of one case ahead; deadlines that are reached have passed before the answer."""
        ahead = None if wanted.ahead_seconds is None else timedelta(seconds=wanted.ahead_seconds)
        now_ahead = await move_office_time(desk, case_id, to=wanted.to, ahead=ahead)
        now = stamp(clock.now() + now_ahead)
        return OfficeTimeView(case_id=case_id, office_now=now, ahead_seconds=now_ahead.total_seconds())


def _telling(router: APIRouter, desk: Desk) -> None:
    @router.get("/stream", response_class=Response, responses=STREAM)
    async def stream(after: Cursor = None, last_event_id: LastEventId = None) -> StreamingResponse:
        """Every row from now on (or after a cursor), and the views of the cases as they then stand."""
        start = after if after is not None else last_event_id
        return stream_response(desk.broadcast, after=start, replay=replayer(desk))

    @router.get("/vendors/{vendor_id}/evidence", responses={200: {"model": Evidence}})
    async def evidence(vendor_id: RecordId) -> Response:
        """All cases of the vendor, with all that their rows name."""
        return answer(await _evidence(desk, vendor_id))

    @router.get("/open-cases")
    async def open_cases() -> OpenCases:
        """Those that are not resolved, on hold or a person's."""
        async with desk.db.transaction() as session:
            cases = list(await session.scalars(select(Case.id).where(Case.state.not_in(AT_AN_END)).order_by(Case.id)))
        return OpenCases(count=len(cases), cases=cases)


async def _evidence(desk: Desk, vendor_id: str) -> dict[str, Any]:
    """All cases of the vendor. Mail that joined no case is everything set aside since the first of them was opened."""
    async with desk.db.snapshot() as session:
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
