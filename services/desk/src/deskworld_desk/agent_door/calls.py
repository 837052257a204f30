"""One tool call: schema, whether the turn is valid, policy, the tool. OK, REFUSED and FAILED never mix."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic import ValidationError
from sqlalchemy import bindparam, select

from deskworld_desk.agent_door.acting import check_act, plan
from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rows import write_policy
from deskworld_desk.cases.snapshot import case_now
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import Actor, Outcome, ToolCalled
from deskworld_desk.turns.brief import keep_handles
from deskworld_desk.turns.ending import CALLS_PER_TURN, PAUSED, lease_lost, renew, watch_lease
from deskworld_desk.turns.tables import Call, Handle, Turn
from deskworld_desk.world import (
    Failure,
    Found,
    HandleBook,
    Look,
    PolicyAnswer,
    Prepared,
    Propose,
    Refusal,
    Tool,
    ToolContext,
    Unreachable,
)
from deskworld_kit import chain, clock
from deskworld_kit.plans import constant
from deskworld_kit.problems import Problem

log = structlog.get_logger(__name__)
_CALLS = constant(select(Call).where(Call.case_id == bindparam("case_id")))
_HANDLES = constant(select(Handle.handle, Handle.record_id).where(Handle.case_id == bindparam("case_id")))
PAUSED_WORDS = "all agents are paused: end this turn; what it was told is told again"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the client sent."""

    call_id: str
    tool: str
    args: dict[str, Any]

    @property
    def digest(self) -> str:
        return chain.digest([self.tool, self.args])


@dataclass(slots=True)
class _Call:
    """What a call came to before anything of it was written; filled in step by step."""

    sort: str = "read"
    answer: PolicyAnswer | None = None
    prepared: Prepared | None = None
    found: Found | None = None
    outcome: Outcome = "OK"
    code: str | None = None
    reason: str | None = None

    def no(self, outcome: Outcome, code: str, reason: str) -> None:
        self.outcome, self.code, self.reason = outcome, code, reason
        self.found = self.prepared = None


async def call_tool(desk: Desk, turn_id: str, asked: Asked, tools: Mapping[str, Mapping[str, Tool]]) -> dict[str, Any]:
    """The same call id is answered the same. Raises Problem 409 LEASE_LOST, CALL_ID_REUSED."""
    began = clock.now()
    async with desk.rounds.call(turn_id) as together:
        async with desk.db.transaction() as session:
            turn = await session.get_one(Turn, turn_id)
            calls = (await session.scalars(_CALLS, {"case_id": turn.case_id})).all()
            before = _answered(calls, turn_id, asked)
            if before is not None:
                return before
            if turn.ended_at is not None:
                raise lease_lost()
            case = await session.get_one(Case, turn.case_id)
            handles = await session.execute(_HANDLES, {"case_id": case.id})
            context = ToolContext(
                case=await case_now(session, case),
                handles=HandleBook(dict(handles.all())),
                grounded=frozenset(form for call in calls if call.outcome == "OK" for form in call.ids),
                asked_this_turn=turn.asked,
                proposer="agent",
            )
        own = [call for call in calls if call.turn_id == turn_id]
        number = desk.rounds.since(turn_id, together, max((call.round for call in own), default=0))
        ready = await _ready(desk, tools[case.world], context, asked, len(own))
        answer = await _write(desk, turn_id, case.id, asked, ready, context.handles, number)
        if desk.watch is not None:
            known = asked.tool if asked.tool in tools[case.world] else None
            desk.watch.tool_called(turn, known, outcome=ready.outcome, code=ready.code, began=began)
        return answer


def _answered(calls: Any, turn_id: str, asked: Asked) -> dict[str, Any] | None:
    for call in calls:
        if call.turn_id == turn_id and call.call_id == asked.call_id:
            if call.request_digest != asked.digest:
                raise Problem(409, "CALL_ID_REUSED", f"call {asked.call_id} was another call")
            return dict(call.answer)
    return None


async def _ready(desk: Desk, tools: Mapping[str, Tool], context: ToolContext, asked: Asked, made: int) -> _Call:
    """Everything that reads or asks; nothing here changes a row."""
    ready = _Call()
    try:
        await _prepare(desk, tools, context, asked, made, ready)
    except Refusal as refusal:
        ready.no("REFUSED", refusal.code, refusal.reason)
    except Failure as failure:
        ready.no("FAILED", failure.code, failure.reason)
    except Unreachable as error:
        # the error may quote what a vendor wrote as a reference: it is logged, and not told
        log.warning("not read", tool=asked.tool, why=str(error)[:300])
        ready.no("FAILED", "ERP_UNAVAILABLE", "the system of record could not be read")
    except Exception:
        log.exception("tool broke", tool=asked.tool)
        ready.no("FAILED", "INTERNAL", "something broke at the desk")
    return ready


async def _prepare(
    desk: Desk, tools: Mapping[str, Tool], context: ToolContext, asked: Asked, made: int, ready: _Call
) -> None:
    tool = tools.get(asked.tool)
    if tool is None:
        raise Refusal("TOOL_NOT_OFFERED", f"{asked.tool[:80]!r} is not a tool that was offered")
    ready.sort = tool.sort
    if made >= CALLS_PER_TURN:
        raise Refusal("TOOL_LIMIT", f"a turn has at most {CALLS_PER_TURN} calls")
    try:
        args = tool.args.model_validate(asked.args)
    except ValidationError as error:
        raise Refusal("INVALID_ARGUMENTS", _invalid(error)) from error
    if desk.turnstile.held:
        raise Refusal(PAUSED, PAUSED_WORDS)
    prepared = await tool.prepare(context, args)
    ready.answer = await desk.policy.routing(context.case.world, prepared.routing_input)
    if ready.answer.effect != ("route" if isinstance(prepared.act, Propose) else "allow"):
        reasons = ready.answer.reasons
        code = reasons[0][0] if reasons else "REFUSED"
        raise Refusal(code, " ".join(text for _, text in reasons) or "the policy did not let this through")
    ready.prepared = prepared
    if isinstance(prepared.act, Look):
        ready.found = await prepared.act.fetch()


async def _write(
    desk: Desk, turn_id: str, case_id: str, asked: Asked, ready: _Call, handles: HandleBook, number: int
) -> dict[str, Any]:
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        turn = await docket.session.get_one(Turn, turn_id)
        if turn.ended_at is not None:
            raise lease_lost()
        if desk.turnstile.held and ready.prepared is not None:
            ready.no("REFUSED", PAUSED, PAUSED_WORDS)
        if ready.prepared is not None and ready.found is None:
            try:
                await check_act(docket, case, ready.prepared.act)
            except Refusal as refusal:
                ready.no("REFUSED", refusal.code, refusal.reason)
            except Failure as failure:
                ready.no("FAILED", failure.code, failure.reason)
        because = write_policy(docket, case, ready.answer, turn.started_seq) if ready.answer else turn.started_seq
        planned = plan(ready.prepared.act, ready.answer) if ready.prepared and ready.answer else None
        found = ready.found or (Found(planned.result, ()) if planned else None)
        row = _called(docket, case, turn, asked, ready, found, because)
        if planned is not None:
            await planned.carry(docket, desk, case, turn, row)
        keep_handles(docket, case, handles)
        answer = _answer(asked, ready, found)
        _store(docket, case, turn, asked, ready, answer, number)
        until = renew(turn, clock.now())
        docket.after(lambda: watch_lease(desk, turn_id, until))
        return answer


def _called(docket: Docket, case: Case, turn: Turn, asked: Asked, ready: _Call, found: Found | None, cause: int) -> int:
    entry = ToolCalled(
        turn_id=turn.id,
        call_id=asked.call_id,
        tool=asked.tool,
        arguments=asked.args,
        outcome=ready.outcome,
        code=ready.code,
        detail=ready.reason,
        ids=found.ids if found else (),
        result_digest=docket.keep(found.result) if found else None,
    )
    return docket.write(case, entry, Actor(type="agent", id=turn.agent), cause)


def _answer(asked: Asked, ready: _Call, found: Found | None) -> dict[str, Any]:
    return {
        "call_id": asked.call_id,
        "outcome": ready.outcome,
        "result": found.result if found else None,
        "ids": list(found.ids) if found else [],
        "code": ready.code,
        "reason": ready.reason,
    }


def _store(
    docket: Docket, case: Case, turn: Turn, asked: Asked, ready: _Call, answer: dict[str, Any], number: int
) -> None:
    docket.session.add(
        Call(
            turn_id=turn.id,
            call_id=asked.call_id,
            case_id=case.id,
            round=number,
            tool=asked.tool,
            sort=ready.sort,
            outcome=ready.outcome,
            request_digest=asked.digest,
            answer=answer,
            ids=answer["ids"],
        )
    )


def _invalid(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in item['loc']) or 'args'}: {item['msg']}" for item in error.errors()
    )
