"""Bank changes at the workbench: the change as the ERP shows it, the call-back, and a second person's word."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.desk import Desk
from deskworld_desk.text import plain
from deskworld_desk.workbench.people import VERIFIES, People
from deskworld_desk.workbench.shapes import Shape
from deskworld_desk.workbench.verifying import listed, one, take
from deskworld_kit.answers import Cursor, answer
from deskworld_kit.door import GUARDED_ERRORS
from deskworld_kit.identity import Principal, bearer
from deskworld_kit.problems import refusal, responses

ChangeId = Annotated[str, Path(max_length=64)]
Key = Annotated[
    str, Header(alias="Idempotency-Key", min_length=1, max_length=200, description="the same again is done once")
]
Comment = Annotated[str, Field(max_length=4000), plain]
Done = Annotated[bool, Query(description="those that were verified or rejected, too")]
ONE = GUARDED_ERRORS | responses(404)
STEP = ONE | refusal(422, "INVALID_TRANSITION", "VERIFICATION_REFUSED", "IDEMPOTENCY_KEY_REUSED")
ReadsAs = Literal["call-back", "confirm", "reject"]


class CallBack(BaseModel):
    """`phone`: the number that was called, one that was on record before the request. A "no" rejects the change."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    phone: Annotated[str, Field(min_length=1, max_length=200, examples=["+1 555 0142"]), plain]
    answer: Literal["yes", "no"]
    comment: Comment | None = None


class Reasoned(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    comment: Annotated[Comment, Field(examples=["The account stands on their paper of 2024 too."])] | None = None


class ChangeShown(Shape):
    """`change` is the ERP's document; `party` the vendor with the contacts on record; `next`: what may follow."""

    change: dict[str, Any]
    party: dict[str, Any]
    next: list[ReadsAs]


class ChangesShown(Shape):
    items: list[ChangeShown]
    next: str | None


class StepTaken(BaseModel):
    change_id: str
    account_id: str
    vendor_id: str
    action: str
    status: Literal["PROPOSED", "CALLED_BACK", "VERIFIED", "REJECTED"]
    key: str


def routes(desk: Desk, people: People) -> list[APIRouter]:
    router = APIRouter(tags=["bank changes"])
    anybody, verifies = people.anybody(), people.having(VERIFIES)

    @router.get("/bank-changes", responses=GUARDED_ERRORS | {200: {"model": ChangesShown}})
    async def get_bank_changes(
        request: Request,
        _: Principal = anybody,
        done: Done = False,  # noqa: FBT002 - a parameter of the query
        cursor: Cursor = None,
    ) -> Response:
        """Bank changes that nobody verified or rejected yet, as the ERP shows them to the caller."""
        return answer(await listed(desk, bearer(request), cursor=cursor, done_too=done))

    @router.get("/bank-changes/{change_id}", responses=ONE | {200: {"model": ChangeShown}})
    async def get_bank_change(request: Request, change_id: ChangeId, _: Principal = anybody) -> Response:
        """One change, with the numbers that were on record before it was asked for."""
        return answer(await one(desk, change_id, bearer(request)))

    async def taken(request: Request, change_id: str, step: str, body: BaseModel, key: str) -> Response:
        return answer(await take(desk, change_id, step, body, token=bearer(request), key=key))

    @router.post("/bank-changes/{change_id}/call-back", responses=STEP | {200: {"model": StepTaken}})
    async def call_back(
        request: Request, change_id: ChangeId, body: CallBack, key: Key, _: Principal = verifies
    ) -> Response:
        """Somebody called the vendor, on a number known before. Done at the ERP, with the caller's token."""
        return await taken(request, change_id, "call-back", body, key)

    @router.post("/bank-changes/{change_id}/confirm", responses=STEP | {200: {"model": StepTaken}})
    async def confirm_bank_change(
        request: Request, change_id: ChangeId, body: Reasoned, key: Key, _: Principal = verifies
    ) -> Response:
        """A second person confirms, who neither proposed nor called. Done at the ERP, with the caller's token."""
        return await taken(request, change_id, "confirm", body, key)

    @router.post("/bank-changes/{change_id}/reject", responses=STEP | {200: {"model": StepTaken}})
    async def reject_bank_change(
        request: Request, change_id: ChangeId, body: Reasoned, key: Key, _: Principal = verifies
    ) -> Response:
        """The account stays what it was. Done at the ERP, with the caller's token."""
        return await taken(request, change_id, "reject", body, key)

    return [router]
