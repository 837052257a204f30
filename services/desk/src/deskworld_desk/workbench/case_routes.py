"""Cases at the workbench: what waits, what happened, and what people do with a case beside deciding."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.cases.exits import close_case, note_case, resume_case
from deskworld_desk.cases.states import State
from deskworld_desk.decisions.by_person import propose
from deskworld_desk.desk import Desk
from deskworld_desk.text import plain
from deskworld_desk.timeline.reading import replay
from deskworld_desk.timeline.sse import stream_response
from deskworld_desk.timeline.stream import Published
from deskworld_desk.workbench.deciding import Words
from deskworld_desk.workbench.feedback import give
from deskworld_desk.workbench.people import MAY_CLOSE, MAY_TAKE_UP, WORKS, People
from deskworld_desk.workbench.reading import case_timeline, case_view
from deskworld_desk.workbench.seen import Seen, case_itself, seeing, telling_what_changed
from deskworld_desk.workbench.shapes import CaseView, Routed, Timeline, Worklist, Written
from deskworld_desk.workbench.worklist import Wanted, worklist
from deskworld_kit.answers import Cursor, Limit, answer
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Declared, refusal, responses

CaseId = Annotated[str, Path(max_length=64, description="The case's id: that of its exception.")]
Named = Annotated[str | None, Query(max_length=64)]
Mine = Annotated[bool, Query(description="only cases of which something waits for the caller")]
STREAM: Declared = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Endless"}}
ONE = GUARDED_ERRORS | responses(404)
CHANGED = refusal(409, "CASE_CHANGED")
TAKEN_UP = refusal(409, "CASE_CHANGED", "NO_PERSON_NEEDED")


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Note(Body):
    text: Annotated[Words, Field(examples=["The vendor's accountant called: a credit note follows."])]
    seen: Seen | None = None


class Feedback(Body):
    """`about`: the case, one of its turns, or one of its decisions, by id."""

    about: Annotated[str, Field(min_length=1, max_length=64, examples=["0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"]), plain]
    text: Annotated[Words, Field(examples=["It asked the right question first."])]


class Resume(Body):
    note: Annotated[Words, Field(examples=["The order is PO-1001; go on with that."])]
    seen: Seen


class Close(Body):
    reason: Annotated[Words, Field(examples=["Settled with the vendor by phone; the invoice was cancelled."])]
    seen: Seen


class Proposal(Body):
    """As an agent's `propose_resolution`; another person decides it."""

    action: Annotated[str, Field(min_length=1, max_length=64, examples=["hold"]), plain]
    amount: Annotated[str, Field(max_length=32, examples=["1000.00"]), plain] | None = None
    settles: Annotated[list[Annotated[str, Field(max_length=64), plain]], Field(max_length=100)] | None = None
    against_po: Annotated[str, Field(max_length=200, examples=["PO-1001"]), plain] | None = None
    citations: Annotated[list[Annotated[str, Field(max_length=200), plain]], Field(max_length=100)] = []
    rationale: Annotated[Words, Field(examples=["Nothing was received yet."])]
    seen: Seen


def replayer(desk: Desk) -> Callable[[int, int], Awaitable[Published]]:
    async def again(first: int, last: int) -> Published:
        async with desk.db.snapshot() as session:
            return await replay(session, first, last, desk.names)

    return again


def routes(desk: Desk, people: People) -> list[APIRouter]:
    return [_reads(desk, people), _writes(desk, people), _exits(desk, people)]


def _reads(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["cases"])
    anybody = people.anybody()

    @router.get("/worklist", responses=GUARDED_ERRORS | {200: {"model": Worklist}})
    async def get_worklist(
        who: Principal = anybody,
        state: Annotated[list[State] | None, Query(description="may be given often; absent: all but RESOLVED")] = None,
        reason: Named = None,
        vendor_id: Named = None,
        invoice_id: Named = None,
        mine: Mine = False,  # noqa: FBT002 - a parameter of the query
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """What waits on the caller, and cases, newest first."""
        states = tuple(one.value for one in state or ())
        wanted = Wanted(
            states,
            reason=_stored(reason),
            record_id=_stored(invoice_id),
            party_id=_stored(vendor_id),
            mine=mine,
            cursor=cursor,
            limit=limit,
        )
        return answer(await worklist(desk, who, wanted))

    @router.get("/cases/{case_id}", responses=ONE | {200: {"model": CaseView}})
    async def get_case(case_id: CaseId, _: Principal = anybody) -> Response:
        """The case as it stands: its state, what is in motion, and what it waits on."""
        return answer(await case_view(desk, case_id))

    @router.get("/cases/{case_id}/timeline", responses=ONE | {200: {"model": Timeline}})
    async def get_timeline(case_id: CaseId, _: Principal = anybody) -> Response:
        """All that happened, in order; each row hashed over the one before it."""
        return answer(await case_timeline(desk, case_id))

    @router.get("/stream", responses=GUARDED_ERRORS | STREAM, response_class=Response)
    async def stream_rows(
        _: Principal = anybody, after: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None
    ) -> StreamingResponse:
        """Rows and views of all cases as server-sent events, from a cursor on; without one, from now on."""
        return stream_response(desk.broadcast, after=after, replay=replayer(desk))

    return router


def _writes(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["cases"])
    works = people.having(WORKS)

    @router.post("/cases/{case_id}/notes", status_code=201, responses=ONE | CHANGED | {201: {"model": Written}})
    async def note(case_id: CaseId, body: Note, who: Principal = works) -> Response:
        """A note on the record. Where an agent works the case it is told."""
        at = seeing(desk, body.seen, case_itself(case_id))
        seq = await note_case(at, case_id, who, body.text)
        return answer({"case_id": case_id, "seq": seq}, status=201)

    @router.post("/cases/{case_id}/feedback", status_code=201, responses=ONE | {201: {"model": Written}})
    async def feedback(case_id: CaseId, body: Feedback, who: Principal = works) -> Response:
        """What somebody thinks of the work on a case, a turn or a decision. Nothing follows from it."""
        seq = await give(desk, case_id, who, about=body.about, text=body.text)
        return answer({"case_id": case_id, "seq": seq}, status=201)

    return router


def _exits(desk: Desk, people: People) -> APIRouter:
    router = APIRouter(tags=["cases that need a person"])
    takes_up, closes = people.having(MAY_TAKE_UP), people.having(MAY_CLOSE)

    @router.post(
        "/cases/{case_id}/resume",
        responses=ONE | refusal(409, "CASE_CHANGED", "NO_PERSON_NEEDED", "BUDGET_SPENT") | {200: {"model": Written}},
    )
    async def resume(case_id: CaseId, body: Resume, who: Principal = takes_up) -> Response:
        """The agent goes on, and is told the note."""
        async with telling_what_changed(desk, case_id, body.seen):
            seq = await resume_case(desk, case_id, who, body.note, seen=body.seen)
        return answer({"case_id": case_id, "seq": seq})

    @router.post(
        "/cases/{case_id}/proposals",
        status_code=201,
        responses=ONE
        | refusal(409, "CASE_CHANGED", "NO_PERSON_NEEDED", "STALE_READ")
        | refusal(422, "UNGROUNDED_CITATIONS", "PROPOSER_DECIDES")
        | {201: {"model": Routed}},
    )
    async def propose_as_person(case_id: CaseId, body: Proposal, who: Principal = takes_up) -> Response:
        """What this person wants done. The policy says who decides; the proposer never does."""
        async with telling_what_changed(desk, case_id, body.seen):
            routed = await propose(
                desk, case_id, who, body.model_dump(exclude={"seen"}, exclude_none=True), seen=body.seen
            )
        whom: dict[str, Any] = {"role": routed.role, "user": routed.user}
        said = {"case_id": case_id, "seq": routed.seq, "decision_id": routed.decision_id, "whom": whom}
        return answer(said, status=201)

    @router.post("/cases/{case_id}/close", responses=ONE | TAKEN_UP | {200: {"model": Written}})
    async def close(case_id: CaseId, body: Close, who: Principal = closes) -> Response:
        """Nothing more is done here: it is settled elsewhere."""
        async with telling_what_changed(desk, case_id, body.seen):
            seq = await close_case(desk, case_id, who, body.reason, seen=body.seen)
        return answer({"case_id": case_id, "seq": seq})

    return router


def _stored(value: str | None) -> str | None:
    """What no column holds finds nothing."""
    return None if value is None else value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
