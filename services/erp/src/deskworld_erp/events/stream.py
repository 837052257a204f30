"""The feed as server-sent events (WHATWG HTML, 9.2): each event once and in order, its cursor as its id."""

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi.responses import StreamingResponse

from deskworld_erp.erp import Erp
from deskworld_erp.events.live import Live
from deskworld_erp.events.reads import events_after
from deskworld_kit import clock
from deskworld_kit.answers import cursor_of

KEEP_ALIVE_SECONDS = 15.0
BATCH = 200


def stream_response(erp: Erp, live: Live, *, after: int, until: float) -> StreamingResponse:
    """All after the position `after`, and then what comes, until the caller's token ends (`until`, epoch seconds)."""
    return StreamingResponse(
        _messages(erp, live, after, until),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _messages(erp: Erp, live: Live, position: int, until: float) -> AsyncIterator[bytes]:
    with live.following() as news:
        yield b": the feed of events\n\n"
        while (left := until - clock.now().timestamp()) > 0:
            news.clear()
            async with erp.read() as connection:
                found = await events_after(connection, position, BATCH)
            if found:
                position = found[-1][0]
                yield b"".join(_message(seq, body) for seq, body in found)
                continue
            try:
                async with asyncio.timeout(min(KEEP_ALIVE_SECONDS, left)):
                    await news.wait()
            except TimeoutError:
                yield b": still here\n\n"


def _message(seq: int, body: str) -> bytes:
    kind = json.loads(body)["type"]
    return f"event: {kind}\nid: {cursor_of(seq)}\ndata: {body}\n\n".encode()
