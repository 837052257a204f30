"""Where the system of record tells the desk what happened, signed as Standard Webhooks does."""

import json

from fastapi import APIRouter, Request, Response

from deskworld_desk.cases.intake import take_event
from deskworld_desk.desk import Desk
from deskworld_desk.workbench.shapes import Heard
from deskworld_kit import clock
from deskworld_kit.answers import answer
from deskworld_kit.problems import Problem, refusal, responses
from deskworld_kit.webhooks import SignatureRefused, verify

EVENT = {
    "id": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b",
    "specversion": "1.0",
    "source": "/deskworld/erp",
    "type": "deskworld.erp.receipt.posted",
    "subject": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4c",
    "time": "2026-03-10T09:00:00+00:00",
    "data": {},
}
SIGNED = [
    {"name": name, "in": "header", "required": True, "schema": {"type": "string"}, "description": about}
    for name, about in (
        ("webhook-id", "the event's id"),
        ("webhook-timestamp", "seconds since 1970"),
        ("webhook-signature", "v1,<base64 HMAC-SHA256(secret, id.timestamp.body)>"),
    )
]
DESCRIBED = {
    "security": [],
    "parameters": SIGNED,
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "object"}, "example": EVENT}
            for kind in ("application/cloudevents+json", "application/json")
        },
    },
}


def routes(desk: Desk, secret: str) -> APIRouter:
    router = APIRouter(tags=["events"])
    world = next(iter(desk.worlds.values()))
    errors = responses(400, 500, 503) | refusal(401, "SIGNATURE_REFUSED")

    @router.post("/hooks/erp", status_code=202, responses=errors | {202: {"model": Heard}}, openapi_extra=DESCRIBED)
    async def hear(request: Request) -> Response:
        """An event of the system of record. 202 once it is on record; the same event again changes nothing."""
        body = await request.body()
        try:
            event_id = verify(secret, request.headers, body, clock.now())
        except SignatureRefused as error:
            raise Problem(401, "SIGNATURE_REFUSED", str(error)) from error
        try:
            event = json.loads(body)
            heard = world.hear(event)
        except (ValueError, KeyError, TypeError) as error:
            raise Problem(400, "INVALID_REQUEST", f"this is no event of the system of record: {error}") from error
        if heard.event_id != event_id:
            raise Problem(400, "INVALID_REQUEST", "webhook-id is not the id of the event")
        await take_event(desk, world, heard, event)
        return answer({"event_id": event_id}, status=202)

    return router
