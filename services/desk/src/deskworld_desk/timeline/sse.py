"""The stream on the wire: server-sent events `hello`, `row`, `view` (WHATWG HTML, 9.2)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from fastapi.responses import StreamingResponse

from deskworld_desk.timeline.rows import dumps
from deskworld_desk.timeline.stream import Broadcast, Listener, Published

KEEP_ALIVE_SECONDS = 15.0
REPLAYED_AT_ONCE = 1_000
Replay = Callable[[int, int], Awaitable[Published]]


def row_message(cursor: int, case_id: str | None, row_text: str) -> bytes:
    case = "null" if case_id is None else dumps(case_id)
    return f'event: row\nid: {cursor}\ndata: {{"cursor":{cursor},"case_id":{case},"row":{row_text}}}\n\n'.encode()


def view_message(view_text: str) -> bytes:
    return f"event: view\ndata: {view_text}\n\n".encode()


def stream_response(
    broadcast: Broadcast, *, after: int | None, replay: Replay, at_once: int = REPLAYED_AT_ONCE
) -> StreamingResponse:
    """Everything after the cursor `after`, and then what comes; without it, from now on. History is read back in pieces
    of `at_once` rows."""
    return StreamingResponse(
        _messages(broadcast, after, replay, at_once),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _messages(broadcast: Broadcast, after: int | None, replay: Replay, at_once: int) -> AsyncIterator[bytes]:
    listener = broadcast.listen()
    try:
        start = listener.cursor if after is None else min(after, listener.cursor)
        yield f'event: hello\ndata: {{"cursor":{start}}}\n\n'.encode()
        for first in range(start + 1, listener.cursor + 1, at_once):
            last = min(first + at_once - 1, listener.cursor)
            yield b"".join((await replay(first, last)).messages)
        async for message in _live(listener):
            yield message
    finally:
        broadcast.leave(listener)


async def _live(listener: Listener) -> AsyncIterator[bytes]:
    while not (listener.lost and listener.queue.empty()):
        try:
            published = await asyncio.wait_for(listener.queue.get(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield b": still here\n\n"
            continue
        yield b"".join(published.messages)
