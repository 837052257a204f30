"""The stage door: it steers the simulation. Its own port, its own secret, no office token."""

from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request, Response

from deskworld_erp.answers import answer, not_found
from deskworld_erp.door import describe_as_answered
from deskworld_erp.erp import Erp
from deskworld_erp.events.tables import outbox
from deskworld_erp.fields import Id, PathId
from deskworld_erp.health import health_of
from deskworld_erp.invoicing.commands import MOST_KEY
from deskworld_erp.posting import Actor
from deskworld_erp.receiving.commands import post_receipt
from deskworld_erp.receiving.schemas import NewReceipt, ReceiptView
from deskworld_erp.situations.schemas import Seeded, Situation
from deskworld_erp.situations.seed import seed
from deskworld_erp.situations.witness import witness
from deskworld_kit import problems
from deskworld_kit.health import health_router
from deskworld_kit.outage import answer_outages
from deskworld_kit.outbox import send_again
from deskworld_kit.problems import MEDIA_TYPE, responses
from deskworld_kit.stage import stage_secret

VERSION = "0.1.0"
SeedingKey = Annotated[
    str | None,
    Header(min_length=1, max_length=MOST_KEY, pattern=r"^[\x20-\x7e]+$", description="Kept 30 days, as a command's is"),
]


def stage(erp: Erp, secret: str) -> FastAPI:
    app = FastAPI(title="Deskworld ERP, stage door", version=VERSION, docs_url=None, redoc_url=None)
    problems.install(app)
    answer_outages(app)
    describe_as_answered(app)
    app.include_router(health_router(health_of(erp)))
    app.include_router(_routes(erp, secret))
    return app


def _routes(erp: Erp, secret: str) -> APIRouter:
    router = APIRouter(prefix="/stage", tags=["stage"], dependencies=[Depends(stage_secret(secret))])

    @router.post(
        "/situations",
        status_code=201,
        responses=responses(400, 401, 409, 422, 500, 503) | {201: {"model": Seeded}},
    )
    async def seed_situation(request: Request, situation: Situation, idempotency_key: SeedingKey = None) -> Response:
        """Seeds a situation, all or nothing, with the exceptions that it raises and their events."""
        seeded = await seed(erp, situation, key=idempotency_key, instance=request.url.path)
        return Response(seeded.body, seeded.status, media_type="application/json" if seeded.applied else MEDIA_TYPE)

    @router.get("/witness", responses=responses(400, 401, 404, 500, 503))
    async def get_witness(vendor_id: Annotated[Id, Query()]) -> Response:
        """What happened to a vendor's records: documents, commands, audit, events, and whether the chain holds."""
        async with erp.snapshot() as connection:
            found = await witness(connection, vendor_id)
        if found is None:
            raise not_found("vendor", vendor_id=vendor_id)
        return answer(found)

    @router.post(
        "/receipts",
        status_code=201,
        responses=responses(400, 401, 403, 404, 500, 503) | {201: {"model": ReceiptView}},
    )
    async def post_goods(new: NewReceipt) -> Response:
        """Posts goods as a named clerk."""
        actor = Actor(client="stage", user={"username": new.by, "sub": None})
        return answer(await post_receipt(erp, actor, new), status=201)

    @router.post(
        "/events/{event_id}/redeliver",
        status_code=202,
        responses=responses(400, 401, 404, 500, 503),
    )
    async def redeliver(event_id: PathId) -> Response:
        """The same event again, with the same id; also for one that was given up."""
        async with erp.database.engine.begin() as connection:
            known = await send_again(connection, outbox, event_id)
        if not known:
            raise not_found("event", event_id=event_id)
        if erp.dispatcher is not None:
            erp.dispatcher.rescan()
        return answer({"event_id": event_id}, status=202)

    return router
