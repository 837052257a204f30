"""Bank changes at the office door."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from deskworld_erp.erp import Erp
from deskworld_erp.fields import Id, PathId
from deskworld_erp.invoicing.idempotency import IdempotencyKey, Stored
from deskworld_erp.vendors.bank_change_schemas import (
    BODIES,
    BankChangeAnswer,
    BankChangeDetail,
    BankChangesView,
    Status,
)
from deskworld_erp.vendors.bank_changes import Sent, bank_change, bank_changes_after, carry_out
from deskworld_erp.vendors.rules.bank_changes import Step
from deskworld_kit.answers import Cursor, Limit, answer, not_found, records_page, text_position
from deskworld_kit.door import LIST_ERRORS, READ_ERRORS, CallerDependency
from deskworld_kit.identity import Principal
from deskworld_kit.problems import MEDIA_TYPE, responses

STEP_ERRORS = responses(400, 401, 403, 404, 422, 500, 503) | {200: {"model": BankChangeAnswer}}
PATHS: Mapping[Step, str] = {
    Step.CALL_BACK: "/bank-changes/{change_id}/call-back",
    Step.CONFIRM: "/bank-changes/{change_id}/confirm",
    Step.REJECT: "/bank-changes/{change_id}/reject",
}


def _takes(step: Step) -> dict[str, Any]:
    schema = BODIES[step].model_json_schema()
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _answered(stored: Stored) -> Response:
    media_type = "application/json" if stored.applied else MEDIA_TYPE
    return Response(stored.body, status_code=stored.status, media_type=media_type)


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(tags=["bank changes"])
    _reads(router, erp, caller)
    _steps(router, erp, caller)
    return router


def _reads(router: APIRouter, erp: Erp, caller: CallerDependency) -> None:
    who = Annotated[Principal, Depends(caller)]

    @router.get("/bank-changes", responses=LIST_ERRORS | {200: {"model": BankChangesView}})
    async def get_bank_changes(
        _: who,
        vendor_id: Id | None = None,
        status: Annotated[list[Status] | None, Query(description="may be given often; absent: any")] = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Response:
        """Bank changes, in the order in which they were proposed."""
        after = text_position(cursor)
        async with erp.read() as connection:
            found = await bank_changes_after(
                connection, after, limit=limit + 1, vendor_id=vendor_id, statuses=status or ()
            )
        return answer(records_page(found, limit, lambda one: one["id"]))

    @router.get("/bank-changes/{change_id}", responses=READ_ERRORS | {200: {"model": BankChangeDetail}})
    async def get_bank_change(change_id: PathId, _: who) -> Response:
        """A bank change with the record of each step."""
        async with erp.read() as connection:
            found = await bank_change(connection, change_id)
        if found is None:
            raise not_found("bank change", change_id=change_id)
        return answer(found)


def _steps(router: APIRouter, erp: Erp, caller: CallerDependency) -> None:
    who = Annotated[Principal, Depends(caller)]

    @router.post("/vendors/{vendor_id}/bank-changes", responses=STEP_ERRORS, openapi_extra=_takes(Step.PROPOSE))
    async def propose_bank_change(
        request: Request, vendor_id: PathId, person: who, idempotency_key: IdempotencyKey
    ) -> Response:
        """Another account for a vendor, on somebody's word. Nothing pays until it is verified or rejected."""
        body, path = await request.body(), request.url.path
        sent = Sent(person, Step.PROPOSE, idempotency_key, body, path, vendor_id=vendor_id)
        return _answered(await carry_out(erp, sent))

    async def take(step: Step, request: Request, change_id: str, person: Principal, key: str) -> Response:
        sent = Sent(person, step, key, await request.body(), request.url.path, change_id=change_id)
        return _answered(await carry_out(erp, sent))

    @router.post(PATHS[Step.CALL_BACK], responses=STEP_ERRORS, openapi_extra=_takes(Step.CALL_BACK))
    async def call_back(request: Request, change_id: PathId, person: who, idempotency_key: IdempotencyKey) -> Response:
        """Records the call about it, on a number that was trusted before the request. A "no" rejects the change."""
        return await take(Step.CALL_BACK, request, change_id, person, idempotency_key)

    @router.post(PATHS[Step.CONFIRM], responses=STEP_ERRORS, openapi_extra=_takes(Step.CONFIRM))
    async def confirm_bank_change(
        request: Request, change_id: PathId, person: who, idempotency_key: IdempotencyKey
    ) -> Response:
        """A second person confirms: the new account is ACTIVE, the old one SUPERSEDED."""
        return await take(Step.CONFIRM, request, change_id, person, idempotency_key)

    @router.post(PATHS[Step.REJECT], responses=STEP_ERRORS, openapi_extra=_takes(Step.REJECT))
    async def reject_bank_change(
        request: Request, change_id: PathId, person: who, idempotency_key: IdempotencyKey
    ) -> Response:
        """Whoever may verify it, and did not propose it, says no."""
        return await take(Step.REJECT, request, change_id, person, idempotency_key)
