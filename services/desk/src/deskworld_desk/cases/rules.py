"""Rules first: when they run, what they may come to, and handing the case to the agent when they stop."""

from typing import Literal

import structlog

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rows import write_facts, write_policy
from deskworld_desk.cases.snapshot import case_now
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.decisions.proposing import request_decision
from deskworld_desk.desk import Desk
from deskworld_desk.letters.writing import LETTERS_PER_CASE, letters_written, queue_letter
from deskworld_desk.timeline.kinds import Actor, RulesRan
from deskworld_desk.turns.inputs import rules_stopped, tell
from deskworld_desk.world import CaseNow, PolicyAnswer, Resolution
from deskworld_kit import clock, ids
from deskworld_kit.outage import is_outage
from deskworld_kit.telemetry.logs import about

log = structlog.get_logger(__name__)
RULES = Actor(type="rules", id="rules")
# a record that changes under the rules' feet this often is for somebody who can look at it
RUNS_ON_CHANGING_RECORD = 3


def due_rules(
    docket: Docket, desk: Desk, case: Case, *, why: str, cause: int | None, now: CaseNow | None = None
) -> None:
    """Queues a run, as a row; it begins after the commit. `now` spares the run reading what the caller knows."""
    run_id = ids.new_id()
    case.rules_run, case.rules_since, case.rules_why, case.rules_cause = run_id, clock.now(), why, cause
    docket.show(case)
    docket.after(lambda: start_rules(desk, case.id, run_id, now))


def start_rules(desk: Desk, case_id: str, run_id: str, now: CaseNow | None = None) -> None:
    async def run() -> None:
        with about(case_id=case_id):
            try:
                await _run(desk, case_id, run_id, now)
            except Exception as error:
                if is_outage(error):
                    raise
                # recorded here and on the timeline: a case must never hang on a bug
                log.exception("rules broke")
                await _give_up(desk, case_id, run_id, "failed")

    desk.background.start_due(run, name=f"rules of case {case_id}")


async def stop_rules(docket: Docket, desk: Desk, case: Case, *, reason: str, cause: int | None) -> None:
    """The case is the agent's from here on, and it is told why and what was established."""
    case.rules_run = case.rules_since = None
    case.owner, case.stopped = "agent", reason
    docket.move(case, State.INVESTIGATING, f"rules stopped: {reason}", cause, RULES)
    # what this transaction established must be among the facts
    await docket.session.flush()
    tell(docket, desk, case, await rules_stopped(docket, case, reason), cause)


async def stop_without_run(docket: Docket, desk: Desk, case: Case, *, reason: str, cause: int | None) -> None:
    """The rules stop because of what came, without reading anything."""
    entry = RulesRan(outcome="stop", row=None, reason=reason, read=(), input_digest=None, revision=None)
    ran = docket.write(case, entry, RULES, cause)
    await stop_rules(docket, desk, case, reason=reason, cause=ran)


async def _run(desk: Desk, case_id: str, run_id: str, now: CaseNow | None) -> None:
    for _ in range(RUNS_ON_CHANGING_RECORD):
        if now is None:
            async with desk.db.transaction() as session:
                case = await session.get(Case, case_id)
                if case is None or case.rules_run != run_id:
                    return
                now = await case_now(session, case)
        resolution, answer = await _resolve(desk, now)
        now = None
        async with desk.dockets.of_case(case_id) as docket:
            case = docket.cases[case_id]
            if case.rules_run != run_id:
                return
            if resolution.draft is None or resolution.draft.version >= case.record_version:
                await _record(docket, desk, case, resolution, answer)
                return
    await _give_up(desk, case_id, run_id, "stale")


async def _give_up(desk: Desk, case_id: str, run_id: str, reason: str) -> None:
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        if case.rules_run == run_id:
            await stop_without_run(docket, desk, case, reason=reason, cause=case.rules_cause)


async def _resolve(desk: Desk, now: CaseNow) -> tuple[Resolution, PolicyAnswer | None]:
    """The world's answer, and the policy's about what it wants."""
    world = desk.worlds[now.world]
    resolution = await world.resolve(now)
    wanted = resolution.draft or resolution.letter
    if wanted is None:
        return resolution, None
    return resolution, await desk.policy.routing(world.name, wanted.routing_input)


async def _record(docket: Docket, desk: Desk, case: Case, resolution: Resolution, answer: PolicyAnswer | None) -> None:
    cause = case.rules_cause
    write_facts(docket, case, resolution.facts, cause, RULES)
    asked = resolution.asked
    because = write_policy(docket, case, asked, cause) if asked else cause
    if answer is not None:
        because = write_policy(docket, case, answer, because)
    outcome, reason = await _outcome(docket, case, resolution, answer)
    entry = RulesRan(
        outcome=outcome,
        row=asked.row if asked else None,
        reason=reason,
        read=resolution.read,
        input_digest=docket.keep(asked.input) if asked else None,
        revision=asked.revision if asked else None,
    )
    ran = docket.write(case, entry, RULES, because)
    case.rules_run = case.rules_since = None
    if reason is not None:
        await stop_rules(docket, desk, case, reason=reason, cause=ran)
    elif resolution.draft is not None and answer is not None:
        await request_decision(
            docket, desk, case, resolution.draft, answer, proposer="rules", actor=RULES, turn_id=None, cause=ran
        )
    elif resolution.letter is not None:
        queue_letter(docket, desk, case, resolution.letter, to_kind="vendor", turn_id=None, cause=ran)
        docket.move(case, State.AWAITING_ANSWER, "the rules asked the vendor", ran, RULES)


async def _outcome(
    docket: Docket, case: Case, resolution: Resolution, answer: PolicyAnswer | None
) -> tuple[Literal["propose", "ask", "stop"], str | None]:
    """What the run came to, and the stop reason if it came to nothing."""
    if resolution.outcome == "stop":
        first = case.rules_why in {"opened", "stale"} or resolution.reason == "failed"
        return "stop", resolution.reason if first else case.rules_why
    if answer is None or answer.failed:
        return "stop", "failed"
    if answer.effect != ("route" if resolution.outcome == "propose" else "allow"):
        return "stop", "refused"
    if resolution.outcome == "ask" and await letters_written(docket, case, "vendor") >= LETTERS_PER_CASE:
        return "stop", "exhausted"
    return resolution.outcome, None
