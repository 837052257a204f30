"""Notices by mail to a named colleague: that something waits at the workbench, and never what."""

from typing import Literal

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.letters.writing import LETTERS_PER_CASE, letters_written, queue_letter, staff_address
from deskworld_desk.world import LetterDraft

NOTICES = {
    "question": (
        "A question waits for you at the workbench",
        "A case asks you something. The question is at the workbench; please answer it there, not by mail.\n",
    ),
    "decision": (
        "A decision waits for you at the workbench",
        "A case asks you to decide. What it asks is at the workbench; please decide there, not by mail.\n",
    ),
}


async def notify(
    docket: Docket,
    desk: Desk,
    case: Case,
    user: str,
    about: Literal["question", "decision"],
    *,
    turn_id: str | None,
    cause: int,
) -> None:
    """Says nothing of the case: mail is read on the way, and on telephones. Beyond what a case may write nobody is
    told by mail; the workbench shows what waits all the same."""
    if await letters_written(docket, case, "buyer") >= LETTERS_PER_CASE:
        return
    subject, body = NOTICES[about]
    notice = LetterDraft((staff_address(desk, user),), subject, body, {})
    queue_letter(docket, desk, case, notice, to_kind="buyer", turn_id=turn_id, cause=cause)
