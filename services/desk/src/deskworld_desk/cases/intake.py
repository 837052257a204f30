"""Events of the system of record become cases, exactly once, and close, wake or outdate them."""

from functools import partial

from sqlalchemy import bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.happenings import change, close, ignore, recheck
from deskworld_desk.cases.opening import open_case
from deskworld_desk.cases.tables import Event
from deskworld_desk.decisions.tables import Decision
from deskworld_desk.desk import Desk
from deskworld_desk.world import Changed, Closes, Heard, Json, Opens, Rechecked, World
from deskworld_kit import clock
from deskworld_kit.plans import constant

_NOT_HANDLED = Event.record_id == bindparam("record_id"), Event.handled_at.is_(None)
_PENDING = constant(select(Event).where(*_NOT_HANDLED).order_by(Event.position))
_ONE_BEFORE = constant(select(Event.id).where(*_NOT_HANDLED, Event.id != bindparam("event_id")).limit(1))


async def take_event(desk: Desk, world: World, heard: Heard, body: Json) -> None:
    """Records the event and does what it means for cases, in one transaction. A repeated one changes nothing; one about
    a case that is not open yet is taken up when that opens, so that any order comes to the same end."""
    record_id = heard.happening.record_id if heard.happening else None
    async with desk.dockets.of_record(record_id, alone=True) as docket:
        now = clock.now()
        fresh = await docket.session.scalar(
            insert(Event)
            .values(
                id=heard.event_id,
                world=world.name,
                type=heard.type,
                subject=heard.subject,
                record_id=record_id,
                case_id=heard.case_id,
                decision_id=heard.decision_id,
                parked=False,
                body=body,
                received_at=now,
                handled_at=now,
            )
            .on_conflict_do_nothing()
            .returning(Event.id)
        )
        if fresh is None:
            _note_repeated(docket, heard)
        elif heard.happening is not None:
            if await _must_wait(docket, desk, heard):
                await docket.session.execute(update(Event).where(Event.id == heard.event_id).values(handled_at=None))
            elif not await _apply(docket, desk, world, heard):
                await docket.session.execute(update(Event).where(Event.id == heard.event_id).values(parked=True))


async def apply_pending(docket: Docket, desk: Desk, world: World) -> None:
    """Events of this docket's record that waited for the outcome of the command that caused them, oldest first."""
    if not docket.cases:
        return
    for event in list(await docket.session.scalars(_PENDING, {"record_id": _record_of(docket)})):
        event.parked = not await _apply(docket, desk, world, world.hear(event.body))
        event.handled_at = clock.now()


async def _must_wait(docket: Docket, desk: Desk, heard: Heard) -> bool:
    """An event of a command whose outcome is not on record yet waits for it, and so do those behind it."""
    if not docket.cases:
        return False
    decision = await docket.session.get(Decision, heard.decision_id) if heard.decision_id else None
    if decision is not None and decision.state == "NEEDS_DECIDER":
        # it was carried out after all
        decision.state = "MADE"
        docket.after(partial(desk.unsettled.put, decision.id))
    if decision is not None and decision.state == "MADE":
        return True
    others = {"record_id": _record_of(docket), "event_id": heard.event_id}
    return await docket.session.scalar(_ONE_BEFORE, others) is not None


def _record_of(docket: Docket) -> str:
    """All cases of a docket are of one record."""
    return next(iter(docket.cases.values())).record_id


async def _apply(docket: Docket, desk: Desk, world: World, heard: Heard) -> bool:
    """False when the event is about a case that is not open yet."""
    match heard.happening:
        case Opens() as opens:
            for event, earlier in await open_case(docket, desk, world, heard, opens):
                event.parked = not await _apply(docket, desk, world, earlier)
        case Closes() as closes:
            return await close(docket, heard, closes)
        case Rechecked() as rechecked:
            return await recheck(docket, desk, heard, rechecked)
        case Changed() as changed:
            await change(docket, desk, heard, changed)
    return True


def _note_repeated(docket: Docket, heard: Heard) -> None:
    match heard.happening:
        case Opens(case_id=case_id) | Closes(case_id=case_id) | Rechecked(case_id=case_id):
            about = [docket.cases[case_id]] if case_id in docket.cases else []
        case _:
            about = list(docket.cases.values())
    for case in about:
        ignore(docket, case, heard, "repeated")
