"""A mail of a case becomes a typed reading; the reading is told, never the text. A claim becomes a fact only when the
system of record confirms it."""

import structlog
from sqlalchemy import select, update

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.rows import write_facts
from deskworld_desk.cases.rules import due_rules, stop_without_run
from deskworld_desk.cases.snapshot import case_now
from deskworld_desk.cases.states import WAKES, State
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.flags.raising import raise_flags
from deskworld_desk.letters.agreeing import agreed
from deskworld_desk.letters.parsing import parsed_of
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.parse import DOUBTFUL, HALF_READ, Parsed
from deskworld_desk.quarantine.reader import Reader
from deskworld_desk.quarantine.reading import Reading
from deskworld_desk.timeline.kinds import Actor, ReadingMade
from deskworld_desk.turns import inputs
from deskworld_desk.world import CaseNow, FactFound, Unreachable
from deskworld_kit.outage import is_outage
from deskworld_kit.telemetry.logs import about

log = structlog.get_logger(__name__)
FIELDS = (
    "intent",
    "offers",
    "stated_price",
    "po_number",
    "substitution_reason",
    "shipped_item",
    "contains_instructions",
    "failed",
)


async def read_joined(desk: Desk, case_id: str) -> None:
    """Reads what joined the case and was not read, in the order in which it came. Not two at a time for one case."""
    while True:
        async with desk.db.transaction() as session:
            mail = await session.scalar(
                select(Mail).where(Mail.case_id == case_id, Mail.state == "JOINED").order_by(Mail.id).limit(1)
            )
            if mail is None:
                return
            case = await session.get_one(Case, case_id)
            now = await case_now(session, case)
        with about(case_id=case_id):
            try:
                await _read_one(desk, now, mail)
            except Exception as error:
                if is_outage(error):
                    raise
                # what broke on one mail is a failure to read it, which bars what commits; the next one is read
                log.exception("reading broke", mail=mail.id)
                await _tell(desk, case_id, mail.id, Reading(failed=True, reader=desk.reader.name), ())


async def _read_one(desk: Desk, now: CaseNow, mail: Mail) -> None:
    parsed = await parsed_of(mail)
    reading = await _read(desk.reader, parsed)
    facts = await _confirmed(desk, now, mail, parsed, reading)
    await _tell(desk, now.id, mail.id, reading, facts)


async def _tell(desk: Desk, case_id: str, mail_id: str, reading: Reading, facts: tuple[FactFound, ...]) -> None:
    async with desk.dockets.of_case(case_id) as docket:
        mail = await docket.session.get_one(Mail, mail_id)
        if mail.state == "JOINED":
            mail.state = "DONE"
            await _record(docket, desk, docket.cases[case_id], mail, reading, facts)


async def _read(reader: Reader, parsed: Parsed) -> Reading:
    """Where plain text and HTML say different things, what both readings say; what cannot be read has failed."""
    if parsed.unreadable is not None:
        return Reading(failed=True, reader=reader.name)
    try:
        readings = [await reader.read(text) for text in parsed.versions or (parsed.text,)]
    except Exception:
        # a line of the reader's own that broke is no outage of the database, whatever the error is called
        log.exception("reader broke")
        return Reading(failed=True, reader=reader.name)
    reading = agreed(readings)
    return reading.model_copy(update={"failed": True}) if HALF_READ & set(parsed.defects) else reading


async def _confirmed(desk: Desk, now: CaseNow, mail: Mail, parsed: Parsed, reading: Reading) -> tuple[FactFound, ...]:
    """Nothing that a stranger claims, nothing from a mail that steers the desk, or whose words are in doubt."""
    if mail.sender != "known" or reading.failed or reading.contains_instructions or DOUBTFUL & set(parsed.defects):
        return ()
    try:
        return await desk.worlds[now.world].confirm(now, reading, mail.id)
    except Unreachable as error:
        # what could not be confirmed stays a claim
        log.warning("claim not confirmed", why=str(error))
        return ()


async def _record(
    docket: Docket, desk: Desk, case: Case, mail: Mail, reading: Reading, facts: tuple[FactFound, ...]
) -> None:
    dumped = reading.model_dump(mode="json")
    fields = {name: dumped[name] for name in FIELDS}
    mail.reading = fields
    entry = ReadingMade.model_validate(
        {"mail_id": mail.id, "reader": reading.reader, "usage": dumped["usage"], **fields}
    )
    row = docket.write(case, entry, Actor(type="desk", id=reading.reader), mail.seq)
    raise_flags(docket, case, mail.id, reading, row)
    if case.state == State.RESOLVED:
        return
    told = inputs.reply(mail.id, fields, mail.sender or "stranger")
    if mail.sender != "known":
        # recorded, and told where an agent works the case; it answers nothing and wakes nothing
        if case.owner == "agent":
            inputs.tell(docket, desk, case, told, row)
        return
    write_facts(docket, case, facts, row)
    await docket.session.execute(
        update(Letter).where(Letter.case_id == case.id, Letter.state == "SENT").values(awaited=False)
    )
    if case.owner == "agent":
        if case.state in WAKES:
            docket.move(case, State.INVESTIGATING, "the vendor replied", row)
        inputs.tell(docket, desk, case, told, row)
    else:
        await _told_to_rules(docket, desk, case, reading, told, row, useful=bool(facts))


async def _told_to_rules(
    docket: Docket, desk: Desk, case: Case, reading: Reading, told: inputs.Told, row: int, *, useful: bool
) -> None:
    """The rules go on with what they asked for; anything else is the agent's."""
    if case.state not in WAKES:
        return
    if useful and case.state == State.AWAITING_ANSWER:
        docket.move(case, State.INVESTIGATING, "the vendor replied", row)
        due_rules(docket, desk, case, why="reply", cause=row)
        return
    await stop_without_run(docket, desk, case, reason="unread" if reading.failed else "reply", cause=row)
    inputs.tell(docket, desk, case, told, row)
