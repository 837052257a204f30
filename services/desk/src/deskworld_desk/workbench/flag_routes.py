"""Flags at the workbench: what a letter did that bars what commits, until two people clear it."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.cases.docket import Docket
from deskworld_desk.desk import Desk
from deskworld_desk.flags.clearing import ask_to_clear, confirm, keep
from deskworld_desk.flags.reading import flags_of, shown, standing_flags
from deskworld_desk.flags.tables import Flag
from deskworld_desk.workbench.case_routes import CaseId
from deskworld_desk.workbench.deciding import Words
from deskworld_desk.workbench.people import MAY_ASK, MAY_CONFIRM, People
from deskworld_desk.workbench.seen import Seen, Still, seeing
from deskworld_desk.workbench.shapes import Flags, FlagShown
from deskworld_kit.answers import answer
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Declared, refusal, responses

FlagId = Annotated[str, Path(max_length=64)]
ONE = GUARDED_ERRORS | responses(404)
GIVEN: Declared = {200: {"model": FlagShown}}


class Reason(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    reason: Annotated[Words, Field(examples=["The footer is the mail program's own; I read the whole letter."])]
    seen: Seen | None = None


class Confirm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    seen: Seen | None = None


def still_standing(flag_id: str) -> Still:
    async def still(docket: Docket) -> str | None:
        flag = await docket.session.get(Flag, flag_id)
        return None if flag is None or flag.state == "CLEARED" else flag.case_id

    return still


def routes(desk: Desk, people: People) -> list[APIRouter]:
    router = APIRouter(tags=["flags"])
    anybody, asks, confirms = people.anybody(), people.having(MAY_ASK), people.having(MAY_CONFIRM)

    @router.get("/flags", responses=GUARDED_ERRORS | {200: {"model": Flags}})
    async def get_flags(who: Principal = anybody) -> Response:
        """The oldest 200 flags that stand, over all cases; those that wait for a second person first."""
        return answer({"items": await standing_flags(desk, who)})

    @router.get("/cases/{case_id}/flags", responses=ONE | {200: {"model": Flags}})
    async def get_flags_of_case(case_id: CaseId, who: Principal = anybody) -> Response:
        """All flags that were raised on a case, oldest first."""
        return answer({"items": await flags_of(desk, case_id, who)})

    def given(flag: Flag, who: Principal) -> Response:
        return answer(shown(flag, who))

    @router.post(
        "/flags/{flag_id}/clear", responses=ONE | refusal(409, "FLAG_ASKED", "FLAG_CLEARED", "CASE_CHANGED") | GIVEN
    )
    async def clear_flag(flag_id: FlagId, body: Reason, who: Principal = asks) -> Response:
        """Says why it may be cleared. It stands until a second person confirms."""
        return given(
            await ask_to_clear(seeing(desk, body.seen, still_standing(flag_id)), flag_id, who, body.reason), who
        )

    @router.post(
        "/flags/{flag_id}/confirm",
        responses=ONE | refusal(409, "FLAG_NOT_ASKED", "FLAG_CLEARED", "CASE_CHANGED") | GIVEN,
    )
    async def confirm_flag(flag_id: FlagId, body: Confirm, who: Principal = confirms) -> Response:
        """The second person's word; never that of whoever asked."""
        at = seeing(desk, body.seen, still_standing(flag_id))
        return given(await confirm(at, flag_id, who), who)

    @router.post(
        "/flags/{flag_id}/keep", responses=ONE | refusal(409, "FLAG_NOT_ASKED", "FLAG_CLEARED", "CASE_CHANGED") | GIVEN
    )
    async def keep_flag(flag_id: FlagId, body: Reason, who: Principal = asks) -> Response:
        """It stays: a second person says why, or whoever asked takes it back."""
        at = seeing(desk, body.seen, still_standing(flag_id))
        return given(await keep(at, flag_id, who, body.reason), who)

    return [router]
