"""Situations at the stage door: seed, ask the witness, send an event again."""

from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response

from deskworld_erp.erp import Erp
from deskworld_erp.events.tables import outbox
from deskworld_erp.fields import Id, PathId, Short
from deskworld_erp.invoicing.idempotency import MOST_KEY
from deskworld_erp.situations.company import Companies, CompanySeeded, seed_company
from deskworld_erp.situations.schemas import Redelivered, Seeded, Situation, WitnessView
from deskworld_erp.situations.seed import seed
from deskworld_erp.situations.told import Subject, about
from deskworld_erp.situations.witness import witness
from deskworld_kit.answers import answer, not_found
from deskworld_kit.outbox import send_again
from deskworld_kit.problems import MEDIA_TYPE, Problem, responses

SeedingKey = Annotated[
    str | None,
    Header(min_length=1, max_length=MOST_KEY, pattern=r"^[\x20-\x7e]+$", description="Kept 30 days, as a command's is"),
]


def routes(erp: Erp, office_routes: Callable[[], Sequence[str]]) -> APIRouter:
    router = APIRouter(tags=["situations"])
    _seeding(router, erp, office_routes)
    _telling(router, erp)
    return router


def _seeding(router: APIRouter, erp: Erp, office_routes: Callable[[], Sequence[str]]) -> None:
    @router.post(
        "/situations", status_code=201, responses=responses(400, 401, 409, 422, 500, 503) | {201: {"model": Seeded}}
    )
    async def seed_situation(request: Request, situation: Situation, idempotency_key: SeedingKey = None) -> Response:
        """Seeds a situation, all or nothing, with the exceptions that it raises, their events, and its faults."""
        stored = await seed(erp, situation, office_routes(), key=idempotency_key, instance=request.url.path)
        return Response(stored.body, stored.status, media_type="application/json" if stored.applied else MEDIA_TYPE)

    @router.post(
        "/companies", status_code=201, responses=responses(400, 401, 409, 500, 503) | {201: {"model": CompanySeeded}}
    )
    async def seed_company_part(company: Companies) -> Response:
        """Seeds many vendors at once, all or nothing. Their events stand in the feed; nobody is sent them."""
        return answer(await seed_company(erp, company, office_routes()), status=201)


def _telling(router: APIRouter, erp: Erp) -> None:
    @router.get("/witness", responses=responses(400, 401, 404, 500, 503) | {200: {"model": WitnessView}})
    async def get_witness(
        vendor_id: Annotated[Id | None, Query()] = None,
        invoice_id: Annotated[Id | None, Query()] = None,
        po_number: Annotated[Short | None, Query()] = None,
    ) -> Response:
        """What happened to a vendor's records, or to one invoice's or one order's: documents, commands, audit, events,
        and whether the chain holds. One of the three names it."""
        given = [one for one in (vendor_id, invoice_id, po_number) if one is not None]
        if len(given) != 1:
            raise Problem(400, "INVALID_REQUEST", "name one of vendor_id, invoice_id and po_number", field="vendor_id")
        subject = Subject(vendor_id, invoice_id, po_number)
        async with erp.snapshot() as connection:
            owner = await subject.vendor(connection)
            found = None if owner is None else await witness(connection, owner)
        if found is None:
            raise not_found(subject.kind, **subject.named)
        return answer(about(found, subject))

    @router.post(
        "/events/{event_id}/redeliver",
        status_code=202,
        responses=responses(400, 401, 404, 500, 503) | {202: {"model": Redelivered}},
    )
    async def redeliver(event_id: PathId) -> Response:
        """The same event again, with the same id; also for one that was given up."""
        async with erp.connections.begun() as connection:
            known = await send_again(connection, outbox, event_id)
        if not known:
            raise not_found("event", event_id=event_id)
        if erp.dispatchers is not None:
            erp.dispatchers.rescan()
        return answer({"event_id": event_id}, status=202)
