"""Events at the office door: the feed for those who cannot receive webhooks, who receives them, and what did not
arrive."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from deskworld_erp.erp import Erp
from deskworld_erp.events.live import Live
from deskworld_erp.events.reads import events_after
from deskworld_erp.events.schemas import (
    DeadLetters,
    Feed,
    NewSubscription,
    NewSubscriptionView,
    Resend,
    Resent,
    Subscriptions,
)
from deskworld_erp.events.stream import stream_response
from deskworld_erp.events.subscriptions import resend, subscribe, subscriptions, unsubscribe
from deskworld_erp.events.tables import outbox
from deskworld_erp.fields import PathId, PathText, moment_text
from deskworld_kit.answers import Cursor, Limit, answer, cursor_of, number_position, page, text_position
from deskworld_kit.door import LIST_ERRORS, CallerDependency
from deskworld_kit.identity import Principal
from deskworld_kit.outbox import DeadLetter, dead_letters
from deskworld_kit.problems import Problem, responses

MOST_SEQ = 2**63 - 1
NAMED_ERRORS = responses(400, 401, 403, 404, 500, 503)
MADE_ERRORS = responses(400, 401, 403, 409, 500, 503)
ENDED_ERRORS = responses(400, 401, 403, 404, 409, 500, 503)
After = Annotated[str | None, Query(max_length=200, description="`next` of the answer before; absent: the beginning")]
LastEventId = Annotated[str | None, Header(max_length=200, description="`id` of the last event that arrived")]
STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Never ends by itself"}
}


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter()
    router.include_router(_feed(erp, caller))
    router.include_router(_dead_letters(erp, caller))
    router.include_router(_subscriptions(erp, caller))
    return router


def _feed(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/events", tags=["events"])
    who = Annotated[Principal, Depends(caller)]
    live = Live(erp.connections)

    @router.get("", responses=LIST_ERRORS | {200: {"model": Feed}})
    async def get_events(_: who, after: After = None, limit: Limit = 100) -> Response:
        """Events in the order in which they were committed: whoever goes on from `next` misses none."""
        position = number_position(after, most=MOST_SEQ)
        async with erp.read() as connection:
            found = await events_after(connection, position, limit)
        last = found[-1][0] if found else position
        return answer({"items": [json.loads(body) for _, body in found], "next": cursor_of(last)})

    @router.get("/stream", responses=LIST_ERRORS | STREAM, response_class=Response)
    async def follow_events(person: who, after: After = None, last_event_id: LastEventId = None) -> Response:
        """The same feed as server-sent events: what stands after `Last-Event-ID` or `after`, then each as it comes.
        It ends with the caller's token; go on with the last id."""
        position = number_position(last_event_id or after, most=MOST_SEQ)
        return stream_response(erp, live, after=position, until=person.expires_at)

    return router


def _dead_letters(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/events", tags=["events"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("/dead-letters", responses=LIST_ERRORS | {200: {"model": DeadLetters}})
    async def get_dead_letters(_: who, cursor: Cursor = None, limit: Limit = 100) -> Response:
        """Events that were given up after many tries, oldest first."""
        after = _dead_position(cursor)
        async with erp.read() as connection:
            found = await dead_letters(connection, outbox, after=after, limit=limit + 1)
        shown = page(found, limit, lambda one: f"{one.seq} {one.receiver}")
        return answer(shown | {"items": [_dead_letter(one) for one in shown["items"]]})

    @router.post("/dead-letters/{event_id}/resend", status_code=202, responses=NAMED_ERRORS | {202: {"model": Resent}})
    async def resend_dead_letter(event_id: PathId, person: who, body: Resend | None = None) -> Response:
        """The same event once more, with the same id, to whom it did not reach."""
        return answer(await resend(erp, person, event_id, None if body is None else body.receiver), status=202)

    return router


def _subscriptions(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/subscriptions", tags=["events"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": Subscriptions}})
    async def get_subscriptions(_: who) -> Response:
        """Who is sent the events, and what still waits for each."""
        async with erp.read() as connection:
            return answer({"items": await subscriptions(connection)})

    @router.post("", status_code=201, responses=MADE_ERRORS | {201: {"model": NewSubscriptionView}})
    async def post_subscription(new: NewSubscription, person: who) -> Response:
        """Another receiver, from now on. The answer alone tells the secret that signs what it is sent."""
        return answer(await subscribe(erp, person, new.url), status=201)

    @router.delete("/{subscription_id}", status_code=204, responses=ENDED_ERRORS)
    async def delete_subscription(subscription_id: PathText, person: who) -> Response:
        """Ends it; what it was still to be sent is not sent."""
        await unsubscribe(erp, person, subscription_id)
        return Response(status_code=204)

    return router


def _dead_position(cursor: str | None) -> tuple[int, str]:
    """Raises Problem 400."""
    seq, _, receiver = text_position(cursor).partition(" ")
    if not cursor:
        return 0, ""
    if not (seq.isascii() and seq.isdigit() and len(seq) < 19):
        raise Problem(400, "INVALID_REQUEST", "cursor: not one that this service gave", field="cursor", value=cursor)
    return int(seq), receiver


def _dead_letter(one: DeadLetter) -> dict[str, object]:
    return {
        "id": one.id,
        "type": one.type,
        "subject": one.subject,
        "receiver": one.receiver,
        "dead_at": moment_text(one.dead_at),
        "attempts": one.attempts,
        "last_error": one.last_error,
    }
