"""After a restart or an outage: rules that were due are run, and events that waited for a command are applied."""

from sqlalchemy import select

from deskworld_desk.cases.intake import apply_pending
from deskworld_desk.cases.rules import start_rules
from deskworld_desk.cases.tables import Case, Event
from deskworld_desk.decisions.tables import Decision
from deskworld_desk.desk import Desk


async def resume(desk: Desk) -> None:
    async with desk.db.transaction() as session:
        due = await session.execute(select(Case.id, Case.rules_run).where(Case.rules_run.is_not(None)))
        for case_id, run_id in due:
            if desk.background.running(f"rules of case {case_id}") is None:
                start_rules(desk, case_id, str(run_id))
        in_flight = select(Decision.record_id).where(Decision.state == "MADE")
        waiting = await session.execute(
            select(Event.record_id, Event.world)
            .where(Event.handled_at.is_(None), Event.record_id.not_in(in_flight))
            .distinct()
        )
        records = waiting.all()
    for record_id, world in records:
        async with desk.dockets.of_record(record_id) as docket:
            await apply_pending(docket, desk, desk.worlds[world])
