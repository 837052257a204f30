"""What the workbench shows of flags, and what this person may do about each."""

from typing import Any

from sqlalchemy import select

from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import stamp
from deskworld_desk.desk import Desk
from deskworld_desk.flags.clearing import MAY_ASK, MAY_CONFIRM
from deskworld_desk.flags.tables import Flag
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

LIMIT = 200


async def flags_of(desk: Desk, case_id: str, who: Principal) -> list[dict[str, Any]]:
    """All flags that were raised on the case, oldest first. Raises Problem 404."""
    async with desk.db.transaction() as session:
        if await session.get(Case, case_id) is None:
            raise Problem(404, "NOT_FOUND", f"there is no case {case_id}")
        found = await session.scalars(select(Flag).where(Flag.case_id == case_id).order_by(Flag.id))
        return [shown(flag, who) for flag in found]


async def standing_flags(desk: Desk, who: Principal) -> list[dict[str, Any]]:
    """The oldest flags that are not cleared, over all cases; those that wait for a second person come first."""
    async with desk.db.transaction() as session:
        found = await session.scalars(
            select(Flag).where(Flag.state != "CLEARED").order_by(Flag.state == "RAISED", Flag.id).limit(LIMIT)
        )
        return [shown(flag, who) for flag in found]


def shown(flag: Flag, who: Principal) -> dict[str, Any]:
    second = flag.state == "ASKED" and flag.asked_by_sub != who.subject
    return {
        "flag_id": flag.id,
        "case_id": flag.case_id,
        "mail_id": flag.mail_id,
        "flag": flag.flag,
        "state": flag.state,
        "raised_at": stamp(flag.raised_at),
        "reason": flag.reason,
        "asked_by": flag.asked_by,
        "asked_at": flag.asked_at and stamp(flag.asked_at),
        "confirmed_by": flag.confirmed_by,
        "cleared_at": flag.cleared_at and stamp(flag.cleared_at),
        "may_ask": flag.state == "RAISED" and bool(who.roles & MAY_ASK),
        "may_confirm": second and bool(who.roles & MAY_CONFIRM),
        "may_keep": flag.state == "ASKED" and (not second or bool(who.roles & MAY_CONFIRM)),
    }
