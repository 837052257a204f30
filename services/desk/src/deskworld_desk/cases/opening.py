"""The event that opens a case; what was heard of its record before that is not lost."""

from datetime import timedelta

from sqlalchemy import bindparam, select

from deskworld_desk.cases.docket import DESK, Docket
from deskworld_desk.cases.happenings import ERP, ignore, received_row
from deskworld_desk.cases.rules import due_rules, stop_without_run
from deskworld_desk.cases.snapshot import snapshot
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case, Event, PartyRules
from deskworld_desk.desk import Desk
from deskworld_desk.timeline.kinds import CaseOpened
from deskworld_desk.world import Changed, Heard, Opens, Rechecked, World
from deskworld_kit import chain, clock
from deskworld_kit.plans import constant

_RULES = constant(select(PartyRules.rules).where(PartyRules.party_id == bindparam("party_id")))
_EARLIER = constant(
    select(Event)
    .where(Event.record_id == bindparam("record_id"), Event.id != bindparam("event_id"), Event.handled_at.is_not(None))
    .where(Event.case_id.is_(None) | (Event.parked & (Event.case_id == bindparam("case_id"))))
    .order_by(Event.position)
)


async def open_case(docket: Docket, desk: Desk, world: World, heard: Heard, opens: Opens) -> list[tuple[Event, Heard]]:
    """Gives what was parked for this case and is to be applied now, in the order in which it happened."""
    if opens.case_id in docket.cases:
        ignore(docket, docket.cases[opens.case_id], heard, "repeated")
        return []
    told = await docket.session.scalar(_RULES, {"party_id": opens.party_id})
    earlier = await _came_before(docket, world, heard, opens)
    case = _new_case(world, opens, rules=told or "on")
    _catch_up(case, earlier)
    docket.add_case(case)
    received = docket.write(case, received_row(heard, opens.cause), ERP)
    opened = docket.write(case, _opened(world, case), DESK, received)
    if case.rules == "off":
        await stop_without_run(docket, desk, case, reason="disabled", cause=opened)
    else:
        due_rules(docket, desk, case, why="opened", cause=opened, now=snapshot(case))
    return [(event, about) for event, about in earlier if event.parked]


async def _came_before(docket: Docket, world: World, heard: Heard, opens: Opens) -> list[tuple[Event, Heard]]:
    """What was heard of the record before this case: its changes, and what was parked for the case, in the order in
    which it happened there."""
    of = {"record_id": opens.record_id, "event_id": heard.event_id, "case_id": opens.case_id}
    found = await docket.session.scalars(_EARLIER, of)
    earlier = [(event, world.hear(event.body)) for event in found]
    return sorted(earlier, key=lambda one: _place(one[1]))


def _place(heard: Heard) -> tuple[int, int]:
    """A re-check says its version; what closes a case comes last."""
    match heard.happening:
        case Rechecked(version=version) | Changed(version=version):
            return (0, version)
    return (1, 0)


def _catch_up(case: Case, earlier: list[tuple[Event, Heard]]) -> None:
    """The record may have moved on before the event that opens the case came."""
    for _, heard in earlier:
        match heard.happening:
            case Changed() as changed if changed.version >= case.status_version:
                case.record_version = max(case.record_version, changed.version)
                case.record_status, case.status_version = changed.status, changed.version


def _opened(world: World, case: Case) -> CaseOpened:
    return CaseOpened.model_validate(
        {
            world.names.subject: case.id,
            world.names.record: case.record_id,
            world.names.party: case.party_id,
            "reason": case.reason,
            "amount": case.amount,
            "currency": case.currency,
            "rules": case.rules,
            "world": world.name,
        }
    )


def _new_case(world: World, opens: Opens, *, rules: str) -> Case:
    return Case(
        id=opens.case_id,
        world=world.name,
        record_id=opens.record_id,
        party_id=opens.party_id,
        reason=opens.reason,
        amount=opens.amount,
        currency=opens.currency,
        opening=opens.opening,
        state=State.INVESTIGATING.value,
        rules=rules,
        owner="rules",
        stopped=None,
        record_version=opens.version,
        rechecked_version=opens.version,
        status_version=opens.version,
        record_status=opens.opening.get("status", "unknown"),
        held=opens.held,
        rerun_used=False,
        declined=[],
        turns=0,
        input_tokens=0,
        instructions_seen=False,
        reader_failed=False,
        memory={},
        memory_versions={},
        resolved_by=None,
        seq=0,
        hash=chain.GENESIS,
        opened_at=clock.now(),
        office_ahead=timedelta(0),
    )
