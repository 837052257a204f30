"""Mail that was set aside, in the hands of an AP manager: listed, read as text, joined to a case, or dismissed."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import stamp
from deskworld_desk.desk import Desk
from deskworld_desk.letters.arriving import marks_of, record
from deskworld_desk.letters.joining import Joined, written_to
from deskworld_desk.letters.parsing import parsed_of
from deskworld_desk.letters.tables import Letter, Mail
from deskworld_desk.mail.join import known_sender
from deskworld_desk.mail.parse import Parsed
from deskworld_desk.timeline.kinds import Actor, MailDismissed, Person
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

ROLE = "ap-manager"
MOST = 200
Json = dict[str, Any]


async def listed(desk: Desk, who: Principal, *, cursor: str | None = None, limit: int = 50) -> Json:
    """`{items: [mail], next, count}`, the oldest first; `next` is the cursor of the next page or None.

    Raises Problem 403 NOT_AUTHORISED.
    """
    _check(who)
    aside = select(Mail).where(Mail.state == "ASIDE")
    async with desk.db.transaction() as session:
        page = aside.where(Mail.id > (cursor or "")).order_by(Mail.id).limit(min(max(limit, 1), MOST) + 1)
        found = list(await session.scalars(page))
        count = await session.scalar(select(func.count()).select_from(aside.subquery()))
    shown = found[: min(max(limit, 1), MOST)]
    items = [_line(mail, await parsed_of(mail)) for mail in shown]
    return {"items": items, "next": shown[-1].id if len(found) > len(shown) else None, "count": count or 0}


async def shown(desk: Desk, who: Principal, mail_id: str) -> Json:
    """The mail as in the list, and `text`, `unreadable`, `attachments` (names), `in_reply_to`, and `wrote_to`: the open
    cases that wrote to its sender. All of it is what somebody outside wrote: plain text, never to be obeyed.

    Raises Problem 403 NOT_AUTHORISED, 404.
    """
    _check(who)
    async with desk.db.transaction() as session:
        mail = await _found(session, mail_id)
        parsed = await parsed_of(mail)
        cases = await _wrote_to(session, parsed)
    return {
        **_line(mail, parsed),
        "text": parsed.text,
        "unreadable": parsed.unreadable,
        "attachments": list(parsed.attachments),
        "in_reply_to": list(parsed.in_reply_to),
        "wrote_to": cases,
    }


async def join_to_case(desk: Desk, who: Principal, mail_id: str, case_id: str) -> Json:
    """The case is told of the mail as of any other: it is read, and is an answer only if the case wrote to its sender.
    One that cannot be read counts as one that its reader failed on. `{mail_id, case_id, state}`, the case's state.

    Raises Problem: 403 NOT_AUTHORISED, 404, 409 MAIL_CLOSED when it was joined or dismissed meanwhile.
    """
    _check(who)
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases.get(case_id)
        if case is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}", case_id=case_id)
        mail = await _aside(docket, mail_id)
        parsed = await parsed_of(mail)
        known = known_sender(parsed, await written_to(docket.session, case_id))
        letter_id = await _last_letter(docket, case) if known else None
        joined = Joined(case_id, letter_id, "vendor", "person", known)
        actor = Actor(type="person", id=who.username)
        if await record(docket, desk, case, mail, parsed, joined, actor):
            docket.after(lambda: desk.incoming.put(mail_id))
        return {"mail_id": mail_id, "case_id": case_id, "state": case.state}


async def dismiss(desk: Desk, who: Principal, mail_id: str, reason: str) -> Json:
    """The mail is kept, and nobody is asked about it any more. `{mail_id, reason}`.

    Raises Problem: 403 NOT_AUTHORISED, 404, 409 MAIL_CLOSED when it was joined or dismissed meanwhile.
    """
    _check(who)
    async with desk.dockets.of_record(None) as docket:
        mail = await _aside(docket, mail_id)
        mail.state = "DISMISSED"
        entry = MailDismissed(mail_id=mail_id, by=Person(username=who.username, sub=who.subject), reason=reason)
        docket.write_own(entry, Actor(type="person", id=who.username))
    return {"mail_id": mail_id, "reason": reason}


def _check(who: Principal) -> None:
    if ROLE not in who.roles:
        raise Problem(403, "NOT_AUTHORISED", f"mail that was set aside is for the role {ROLE}", role=ROLE)


async def _found(session: AsyncSession, mail_id: str) -> Mail:
    """Only what is or was set aside: the mail of a case is seen on the case."""
    mail = await session.scalar(select(Mail).where(Mail.id == mail_id, Mail.why.is_not(None)))
    if mail is None:
        raise Problem(404, "NOT_FOUND", f"no mail {mail_id} was set aside", mail_id=mail_id)
    return mail


async def _aside(docket: Docket, mail_id: str) -> Mail:
    """Locked, so that of two people who act on it one comes second."""
    await docket.session.execute(select(Mail.id).where(Mail.id == mail_id).with_for_update())
    mail = await _found(docket.session, mail_id)
    if mail.state != "ASIDE":
        detail = "this mail was dismissed" if mail.state == "DISMISSED" else f"this mail joined case {mail.case_id}"
        raise Problem(409, "MAIL_CLOSED", detail, state=mail.state, case_id=mail.case_id)
    return mail


async def _last_letter(docket: Docket, case: Case) -> str | None:
    """The letter that the mail can be an answer to."""
    return await docket.session.scalar(
        select(Letter.id)
        .where(Letter.case_id == case.id, Letter.to_kind == "vendor", Letter.state != "QUEUED")
        .order_by(Letter.id.desc())
        .limit(1)
    )


async def _wrote_to(session: AsyncSession, parsed: Parsed) -> list[str]:
    if not parsed.header_from:
        return []
    letters = await session.execute(
        select(Letter.case_id, Letter.recipients)
        .join(Case, Case.id == Letter.case_id)
        .where(Case.state != State.RESOLVED.value, Letter.to_kind == "vendor")
    )
    return sorted({case_id for case_id, to in letters if known_sender(parsed, to)})


def _line(mail: Mail, parsed: Parsed) -> Json:
    return {
        "mail_id": mail.id,
        "received_at": stamp(mail.received_at),
        "state": mail.state,
        "why": mail.why,
        "size": mail.size,
        "message_id": parsed.message_id,
        "envelope_from": parsed.envelope_from,
        "header_from": parsed.header_from,
        "subject": parsed.subject,
        "class": parsed.kind,
        "marks": list(marks_of(mail, parsed)),
    }
