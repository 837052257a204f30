"""A reading raises what it found; each finding stands until it is cleared, whatever the next mail says."""

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.tables import Case
from deskworld_desk.flags.tables import Flag
from deskworld_desk.quarantine.reading import Reading
from deskworld_kit import clock, ids


def raise_flags(docket: Docket, case: Case, mail_id: str, reading: Reading, row: int) -> None:
    """`row` is the reading's own. That the reader saw instructions and that it failed are two findings."""
    found = {"instructions": reading.contains_instructions, "reader_failed": reading.failed}
    now = clock.now()
    for flag in (name for name, raised in found.items() if raised):
        docket.session.add(
            Flag(
                id=ids.new_id(),
                case_id=case.id,
                mail_id=mail_id,
                flag=flag,
                state="RAISED",
                raised_at=now,
                raised_seq=row,
            )
        )
    case.instructions_seen = case.instructions_seen or reading.contains_instructions
    case.reader_failed = case.reader_failed or reading.failed
