"""A person proposes on a case that needs one. The policy routes it as any proposal; another person decides it."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select

from deskworld_desk.cases.exits import MAY_TAKE_UP, actor, check_needs_person, check_seen, require, take_from_rules
from deskworld_desk.cases.rows import write_policy
from deskworld_desk.cases.snapshot import case_now
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import Proposer, request_decision
from deskworld_desk.desk import Desk
from deskworld_desk.turns.tables import Call, Handle
from deskworld_desk.world import Draft, HandleBook, PolicyAnswer, Propose, Refusal, ToolContext, Unreachable
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

PERSON: Proposer = "person"


@dataclass(frozen=True, slots=True)
class Routed:
    decision_id: str
    role: str | None
    user: str | None
    seq: int


async def propose(desk: Desk, case_id: str, who: Principal, args: dict[str, Any], *, seen: int | None) -> Routed:
    """`args` as the agent's tool takes them. What nobody cites is what the desk reads for this proposal.

    Raises Problem 404, 403 NOT_AUTHORISED, 400, 409 CASE_CHANGED, NO_PERSON_NEEDED, STALE_READ, 422 with the code of
    the first reason (the policy's, or a rule's of the world), 503 when the system of record or the policy is away.
    """
    require(who, MAY_TAKE_UP, "propose")
    context = await _context(desk, case_id, seen)
    draft = await _drafted(desk, context, args)
    answer = await desk.policy.routing(context.case.world, draft.routing_input)
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        check_needs_person(case)
        if draft.version < case.record_version:
            raise Problem(409, "STALE_READ", "the record changed while this was being proposed: look again")
        asked = write_policy(docket, case, answer, None)
        refusal = _refusal(answer, who)
        if refusal is None:
            if case.owner == "rules":
                take_from_rules(docket, case, asked)
            decision = await request_decision(
                docket, desk, case, draft, answer, proposer=PERSON, actor=actor(who), turn_id=None, cause=asked, by=who
            )
            return Routed(decision.id, decision.role, decision.user, case.seq)
    # only now: the question to the policy stays on record
    raise refusal


async def _context(desk: Desk, case_id: str, seen: int | None) -> ToolContext:
    async with desk.db.transaction() as session:
        case = await session.get(Case, case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}", case_id=case_id)
        check_seen(case, seen)
        check_needs_person(case)
        handles = await session.execute(select(Handle.handle, Handle.record_id).where(Handle.case_id == case_id))
        read = await session.scalars(select(Call.ids).where(Call.case_id == case_id, Call.outcome == "OK"))
        return ToolContext(
            case=await case_now(session, case),
            handles=HandleBook(dict(handles.all())),
            grounded=frozenset(form for ids in read for form in ids),
            asked_this_turn=False,
            proposer=PERSON,
        )


async def _drafted(desk: Desk, context: ToolContext, args: dict[str, Any]) -> Draft:
    tool = desk.worlds[context.case.world].propose
    try:
        prepared = await tool.prepare(context, tool.args.model_validate(args))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in error.errors())
        raise Problem(400, "INVALID_REQUEST", wrong) from error
    except Refusal as refusal:
        raise Problem(422, refusal.code, refusal.reason) from refusal
    except Unreachable as error:
        raise Problem(503, "UNAVAILABLE", "the system of record could not be read: try again") from error
    if not isinstance(prepared.act, Propose):
        raise TypeError(f"{tool.name} does not propose")
    return prepared.act.draft


def _refusal(answer: PolicyAnswer, who: Principal) -> Problem | None:
    if answer.effect == "route" and answer.user != who.username:
        return None
    if answer.effect == "route":
        return Problem(
            422, "PROPOSER_DECIDES", "the decision would be asked of you, and nobody decides their own proposal"
        )
    reasons = [{"code": code, "text": text} for code, text in answer.reasons]
    code = answer.reasons[0][0] if answer.reasons else "REFUSED"
    detail = " ".join(text for _, text in answer.reasons) or "the policy did not let this through"
    return Problem(503 if answer.failed else 422, code, detail, reasons=reasons)
