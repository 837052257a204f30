"""The same events for those who cannot receive webhooks, and those that could not be delivered."""

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy import select

from deskworld_erp.answers import Limit, answer, cursor_of, number_position
from deskworld_erp.door import LIST_ERRORS, CallerDependency
from deskworld_erp.erp import Erp
from deskworld_erp.events.schemas import DeadLetters, Feed
from deskworld_erp.events.tables import outbox
from deskworld_erp.fields import moment_text
from deskworld_kit.identity import Principal
from deskworld_kit.outbox import dead_letters

MOST_SEQ = 2**63 - 1
After = Annotated[str | None, Query(max_length=200, description="`next` of the answer before; absent: the beginning")]


def routes(erp: Erp, caller: CallerDependency) -> APIRouter:
    router = APIRouter(prefix="/events", tags=["events"])
    who = Annotated[Principal, Depends(caller)]

    @router.get("", responses=LIST_ERRORS | {200: {"model": Feed}})
    async def get_events(_: who, after: After = None, limit: Limit = 100) -> Response:
        """Events in the order in which they were committed: whoever goes on from `next` misses none."""
        position = number_position(after, most=MOST_SEQ)
        wanted = select(outbox.c.seq, outbox.c.body).where(outbox.c.seq > position)
        async with erp.read() as connection:
            rows = (await connection.execute(wanted.order_by(outbox.c.seq).limit(limit))).all()
        last = rows[-1].seq if rows else position
        return answer({"items": [json.loads(row.body) for row in rows], "next": cursor_of(last)})

    @router.get("/dead-letters", responses=LIST_ERRORS | {200: {"model": DeadLetters}})
    async def get_dead_letters(_: who) -> Response:
        """Events that were given up after many tries, oldest first."""
        async with erp.read() as connection:
            found = await dead_letters(connection, outbox)
        return answer({"items": [one | {"dead_at": moment_text(one["dead_at"])} for one in found]})

    return router
