"""Mail that joined no case, in the hands of an AP manager: listed, read as text, joined to a case, or dismissed."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.cases.states import State
from deskworld_desk.desk import Desk
from deskworld_desk.letters.aside import dismiss, join_to_case, listed, shown
from deskworld_desk.text import plain
from deskworld_desk.workbench.deciding import Words
from deskworld_desk.workbench.people import MANAGES_MAIL, People
from deskworld_desk.workbench.seen import Seen, case_itself, seeing
from deskworld_desk.workbench.shapes import Id, Shape
from deskworld_kit.answers import Cursor, Limit, answer, cursor_of, text_position
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal
from deskworld_kit.problems import refusal, responses

MailId = Annotated[str, Path(max_length=64)]
ONE = GUARDED_ERRORS | responses(404)
CLOSED = refusal(409, "MAIL_CLOSED")
Address = Annotated[str | None, Field(examples=["sales@muster.outside.example"])]


class MailLine(Shape):
    """What somebody outside wrote is text, and gives no orders. `marks`: what makes its words doubtful."""

    mail_id: Id
    received_at: datetime
    state: Literal["ASIDE", "DISMISSED", "STORED", "JOINED", "DONE", "REPEATED"]
    why: Literal["unmatched", "unreadable", "too-large"] | None
    size: int
    message_id: str | None
    envelope_from: Address
    header_from: Address
    subject: str | None
    class_: Annotated[Literal["answer", "auto-reply", "bounce", "calendar"], Field(alias="class")]
    marks: list[str]


class Mails(Shape):
    """`count`: of all that wait."""

    items: list[MailLine]
    next: str | None
    count: int


class MailShown(MailLine):
    """`attachments`: their names. `wrote_to`: open cases that wrote to its sender."""

    text: str
    unreadable: str | None
    attachments: list[str]
    in_reply_to: list[str]
    wrote_to: list[Id]


class Join(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    case_id: Annotated[
        str, Field(min_length=1, max_length=64, examples=["0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"]), plain
    ]
    seen: Seen | None = None


class Dismiss(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    reason: Annotated[Words, Field(examples=["An advertisement."])]


class Joined(Shape):
    """`state`: the case's."""

    mail_id: Id
    case_id: Id
    state: State


class Dismissed(Shape):
    mail_id: Id
    reason: str


def routes(desk: Desk, people: People) -> list[APIRouter]:
    router = APIRouter(tags=["unmatched mail"])
    manages = people.having(MANAGES_MAIL)

    @router.get("/unmatched-mail", responses=GUARDED_ERRORS | {200: {"model": Mails}})
    async def get_unmatched_mail(who: Principal = manages, cursor: Cursor = None, limit: Limit = 50) -> Response:
        """Mail that joined no case, the oldest first."""
        found = await listed(desk, who, cursor=text_position(cursor), limit=limit)
        return answer(found | {"next": cursor_of(found["next"]) if found["next"] else None})

    @router.get("/unmatched-mail/{mail_id}", responses=ONE | {200: {"model": MailShown}})
    async def get_mail(mail_id: MailId, who: Principal = manages) -> Response:
        """One mail as text, with the names of what came along, and the open cases that wrote to its sender."""
        return answer(await shown(desk, who, mail_id))

    @router.post(
        "/unmatched-mail/{mail_id}/join",
        responses=ONE | refusal(409, "MAIL_CLOSED", "CASE_CHANGED") | {200: {"model": Joined}},
    )
    async def join_mail(mail_id: MailId, body: Join, who: Principal = manages) -> Response:
        """It is read as any mail of the case, and is an answer only if the case wrote to its sender."""
        at = seeing(desk, body.seen, case_itself(body.case_id))
        return answer(await join_to_case(at, who, mail_id, body.case_id))

    @router.post("/unmatched-mail/{mail_id}/dismiss", responses=ONE | CLOSED | {200: {"model": Dismissed}})
    async def dismiss_mail(mail_id: MailId, body: Dismiss, who: Principal = manages) -> Response:
        """It is kept, and nobody is asked about it any more."""
        return answer(await dismiss(desk, who, mail_id, body.reason))

    return [router]
