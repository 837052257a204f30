"""Two people clear a flag: one says why, another confirms. Until then it bars what commits.

What policy is told (`mail: {instructions, reader_failed}`) follows: false once no flag of that sort stands on the case.
A cleared flag makes no fact of what the letter claims.
"""

from sqlalchemy import select

from deskworld_desk.cases.docket import Docket
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.flags.tables import Flag
from deskworld_desk.timeline.kinds import Actor, FlagCleared, Person, PersonNoted
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

MAY_ASK = frozenset({"clerk", "ap-manager", "controller"})
MAY_CONFIRM = frozenset({"ap-manager", "controller"})


async def ask_to_clear(desk: Desk, flag_id: str, who: Principal, reason: str) -> Flag:
    """The same person asking again with the same reason changes nothing.

    Raises Problem 403 NOT_AUTHORISED, 404, 409 FLAG_ASKED (somebody else's request stands, or another reason), 409
    FLAG_CLEARED.
    """
    check_role(who, MAY_ASK)
    async with desk.dockets.of_case(await _case_of(desk, flag_id)) as docket:
        flag = await _open(docket, flag_id)
        if flag.state == "ASKED":
            if (flag.asked_by_sub, flag.reason) == (who.subject, reason):
                return flag
            raise Problem(409, "FLAG_ASKED", f"{flag.asked_by} has asked for it already", by=flag.asked_by)
        flag.state, flag.reason, flag.asked_at = "ASKED", reason, clock.now()
        flag.asked_by, flag.asked_by_sub = who.username, who.subject
        words = f"asks to clear the flag {flag.flag} of mail {flag.mail_id}: {reason}"
        flag.asked_seq = _note(docket, docket.cases[flag.case_id], who, words, flag.raised_seq)
        return flag


async def confirm(desk: Desk, flag_id: str, who: Principal) -> Flag:
    """The same person confirming again changes nothing.

    Raises Problem 403 NOT_AUTHORISED (also for whoever asked), 404, 409 FLAG_NOT_ASKED, 409 FLAG_CLEARED.
    """
    check_role(who, MAY_CONFIRM)
    async with desk.dockets.of_case(await _case_of(desk, flag_id)) as docket:
        flag = await docket.session.get_one(Flag, flag_id)
        if flag.state == "CLEARED" and flag.confirmed_by_sub == who.subject:
            return flag
        asked_by, reason = _asked(await _open(docket, flag_id))
        if flag.asked_by_sub == who.subject:
            raise Problem(403, "NOT_AUTHORISED", "nobody confirms what they asked for; a second person does")
        flag.state, flag.cleared_at = "CLEARED", clock.now()
        flag.confirmed_by, flag.confirmed_by_sub = who.username, who.subject
        case = docket.cases[flag.case_id]
        said = {"by": asked_by, "flag": flag.flag, "mail_id": flag.mail_id, "reason": reason}
        entry = FlagCleared.model_validate({**said, "confirmed_by": _person(who)})
        docket.write(case, entry, _actor(who), flag.asked_seq)
        await _follow(docket, case)
        return flag


async def keep(desk: Desk, flag_id: str, who: Principal, reason: str) -> Flag:
    """The flag stays: a second person says why, or whoever asked takes it back. It can be asked for again.

    Raises Problem 403 NOT_AUTHORISED, 404, 409 FLAG_NOT_ASKED, 409 FLAG_CLEARED.
    """
    check_role(who, MAY_ASK)
    async with desk.dockets.of_case(await _case_of(desk, flag_id)) as docket:
        flag = await _open(docket, flag_id)
        asked_by, _ = _asked(flag)
        if flag.asked_by_sub != who.subject:
            check_role(who, MAY_CONFIRM)
        words = f"keeps the flag {flag.flag} of mail {flag.mail_id}, which {asked_by.username} asked to clear: {reason}"
        _note(docket, docket.cases[flag.case_id], who, words, flag.asked_seq)
        flag.state = "RAISED"
        flag.reason = flag.asked_by = flag.asked_by_sub = flag.asked_at = flag.asked_seq = None
        return flag


def check_role(who: Principal, allowed: frozenset[str]) -> None:
    """Raises Problem 403 NOT_AUTHORISED."""
    if not who.roles & allowed:
        raise Problem(403, "NOT_AUTHORISED", f"this takes one of the roles {', '.join(sorted(allowed))}")


async def _case_of(desk: Desk, flag_id: str) -> str:
    async with desk.db.transaction() as session:
        case_id = await session.scalar(select(Flag.case_id).where(Flag.id == flag_id))
    if case_id is None:
        raise Problem(404, "NOT_FOUND", f"there is no flag {flag_id}")
    return case_id


async def _open(docket: Docket, flag_id: str) -> Flag:
    flag = await docket.session.get_one(Flag, flag_id)
    if flag.state == "CLEARED":
        raise Problem(409, "FLAG_CLEARED", f"{flag.asked_by} and {flag.confirmed_by} have cleared it")
    return flag


def _asked(flag: Flag) -> tuple[Person, str]:
    """Who asked, and why."""
    if flag.asked_by is None or flag.asked_by_sub is None or flag.reason is None:
        raise Problem(409, "FLAG_NOT_ASKED", "nobody has asked to clear this flag; the first step is a reason")
    return Person(username=flag.asked_by, sub=flag.asked_by_sub), flag.reason


async def _follow(docket: Docket, case: Case) -> None:
    await docket.session.flush()
    standing = await docket.session.scalars(
        select(Flag.flag).where(Flag.case_id == case.id, Flag.state != "CLEARED").distinct()
    )
    left = set(standing)
    case.instructions_seen, case.reader_failed = "instructions" in left, "reader_failed" in left


def _note(docket: Docket, case: Case, who: Principal, words: str, cause: int | None) -> int:
    return docket.write(case, PersonNoted(by=_person(who), text=words), _actor(who), cause)


def _person(who: Principal) -> Person:
    return Person(username=who.username, sub=who.subject)


def _actor(who: Principal) -> Actor:
    return Actor(type="person", id=who.username)
