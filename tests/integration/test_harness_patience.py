"""A door that is away for the seconds of a restart costs nobody a case; one that stays away is told, and soon."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.support.little_doors import serving, stack_file
from tests.support.servers import LOOPBACK, free_ports, identity_server, issuer_of, running

from deskworld.doors import clock
from deskworld.doors.http import HttpDoor, Refusal
from deskworld.doors.identity import People
from deskworld.doors.mail import Outside
from deskworld.doors.patience import Patience
from deskworld.doors.stream import DeskStream
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack

DESK = "ap@deskworld.example"
UNWELL = {"code": "UNAVAILABLE", "detail": "The database cannot be had now; try again."}


class Office:
    """Answers as it is told, one answer after the other; the last one stays. `hangs_up` hears and does not answer."""

    def __init__(self, *answers: tuple[int, Any] | str) -> None:
        self._answers = deque(answers)
        self.heard: list[Request] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._answer, methods=["GET", "POST", "PUT"])])

    async def _answer(self, request: Request) -> Response:
        self.heard.append(request)
        said = self._answers.popleft() if len(self._answers) > 1 else self._answers[0]
        if isinstance(said, str):
            return _CutOff()
        return JSONResponse(said[1], status_code=said[0])


class _CutOff(Response):
    """Hears the request, and is gone."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


@asynccontextmanager
async def door_to(office: Office, away: float = 5.0) -> AsyncIterator[HttpDoor]:
    async with serving(office.app()) as url:
        door = HttpDoor("desk", url, away=away)
        try:
            yield door
        finally:
            await door.close()


async def test_a_door_that_is_unwell_for_a_moment_is_asked_again() -> None:
    office = Office((503, UNWELL), (502, {}), (200, {"count": 0}))
    async with door_to(office) as door:
        assert await door.get("/open-cases") == {"count": 0}


async def test_a_post_with_a_key_is_sent_again_under_the_same_key_when_its_answer_was_cut_off() -> None:
    office = Office("hangs up", (503, UNWELL), (201, {"seeded": True}))
    async with door_to(office) as door:
        assert await door.post("/situations", {}, key="v-1") == {"seeded": True}
    assert [request.headers["idempotency-key"] for request in office.heard] == ["v-1"] * 3


@pytest.mark.parametrize("first", ["hangs up", (503, UNWELL)])
async def test_a_post_without_a_key_that_may_have_been_heard_is_never_sent_again(first: Any) -> None:
    office = Office(first, (200, {}))
    async with door_to(office) as door:
        with pytest.raises(DoorFailed):
            await door.post("/receipts", {})
    assert len(office.heard) == 1


async def test_a_post_that_nobody_heard_is_sent_once_somebody_listens() -> None:
    office = Office((200, {"done": True}))
    async with serving(office.app()) as url:
        port = url.rpartition(":")[2]
    door = HttpDoor("desk", f"http://127.0.0.1:{port}", away=10.0)
    posting = asyncio.create_task(door.post("/receipts", {}))
    server = await asyncio.start_server(_one_answer, "127.0.0.1", int(port))
    try:
        assert await posting == {"done": True}
    finally:
        server.close()
        await door.close()


async def _one_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    body = json.dumps({"done": True}).encode()
    head = ("HTTP/1.1 200 OK", "content-type: application/json", f"content-length: {len(body)}", "connection: close")
    writer.write("\r\n".join((*head, "", "")).encode() + body)
    await writer.drain()
    writer.close()


async def test_a_refusal_and_a_fault_of_the_door_are_final() -> None:
    for status, kind in ((409, Refusal), (500, DoorFailed)):
        office = Office((status, {"code": "X", "detail": "y"}))
        async with door_to(office) as door:
            with pytest.raises(kind):
                await door.get("/anything")
        assert len(office.heard) == 1


async def test_a_door_that_stays_away_is_waited_for_once_and_not_once_a_case() -> None:
    office = Office((503, UNWELL))
    async with door_to(office, away=0.5) as door:
        began = clock.monotonic()
        with pytest.raises(DoorFailed, match="503 UNAVAILABLE"):
            await door.get("/first")
        tried = len(office.heard)
        for _ in range(20):
            with pytest.raises(DoorFailed, match="503 UNAVAILABLE"):
                await door.get("/later")
        assert clock.monotonic() - began < 20 * 0.5, "waited again for a later request"
    assert tried > 2
    assert len(office.heard) == tried + 20


async def test_a_door_that_was_given_up_and_answers_again_has_all_our_patience_again() -> None:
    patience = Patience(0.2)
    assert len([one async for one in patience.tries()]) > 1
    assert len([one async for one in patience.tries()]) == 1
    patience.met()
    assert len([one async for one in patience.tries()]) > 1


async def test_people_sign_in_once_identity_is_back(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    people = People(Stack.model_validate(stack_file(issuer=issuer_of(server))))
    signing_in = asyncio.create_task(people.token("anna.keller"))
    started = running(server)
    await asyncio.to_thread(started.__enter__)
    try:
        assert await signing_in
    finally:
        started.__exit__(None, None, None)
        await people.close()


async def test_identity_that_stays_away_is_told() -> None:
    people = People(Stack.model_validate(stack_file()), away=0.3)
    with pytest.raises(DoorFailed, match=r"anna\.keller cannot sign in: Can't connect to server") as ended:
        await people.token("anna.keller")
    assert ended.value.next_step == "is identity up?"
    await people.close()


async def test_the_stream_goes_on_from_its_cursor_when_the_desk_is_back() -> None:
    heard: list[int] = []
    all_heard = asyncio.Event()

    def row(told: dict[str, Any]) -> None:
        heard.append(told["nr"])
        if len(heard) == 3:
            all_heard.set()

    asked: list[str | None] = []

    async def stream(request: Request) -> Response:
        asked.append(request.query_params.get("after"))
        match len(asked):
            case 1:
                said = _hello(4) + _row(5)
            case 2:
                return JSONResponse(UNWELL, status_code=503)
            case 3:
                # a row that was told before is told again
                said = _hello(5) + _row(5) + _row(6) + _row(7)
            case _:
                return JSONResponse(UNWELL, status_code=503)
        return Response(said, media_type="text/event-stream")

    async with serving(Starlette(routes=[Route("/stage/stream", stream)])) as url:
        door = HttpDoor("desk stage", url)
        broken: list[str] = []
        following = DeskStream(door, on_row=row, on_view=lambda _: None, on_broken=broken.append, away=2.0)
        await following.open()
        await asyncio.wait_for(all_heard.wait(), 10)
        assert (heard, asked[:3], broken) == ([5, 6, 7], [None, "5", "5"], [])
        await following.close()
        await door.close()


async def test_a_stream_that_stays_away_is_told_to_the_plays() -> None:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def stream(_: Request) -> Response:
        return Response(_hello(1), media_type="text/event-stream")

    async with serving(Starlette(routes=[Route("/stage/stream", stream)])) as url:
        door = HttpDoor("desk stage", url)
        following = DeskStream(door, on_row=lambda _: None, on_view=lambda _: None, on_broken=told.put_nowait, away=0.5)
        await following.open()
    assert "its stream has been away for 0 s" in await asyncio.wait_for(told.get(), 10)
    await following.close()
    await door.close()


def _hello(cursor: int) -> bytes:
    return f'event: hello\ndata: {{"cursor": {cursor}}}\n\n'.encode()


def _row(cursor: int) -> bytes:
    return f'event: row\nid: {cursor}\ndata: {{"cursor": {cursor}, "row": {{"nr": {cursor}}}}}\n\n'.encode()


class Post:
    """Answers each letter as it is told; `hangs up` takes the letter, and its answer is lost."""

    def __init__(self, *answers: str) -> None:
        self._answers = deque(answers)
        self.taken: list[bytes] = []

    async def handle_DATA(self, server: SMTP, _: Any, envelope: Any) -> str:  # noqa: N802 - the library's name
        answer = self._answers.popleft()
        if answer == "hangs up":
            server.transport.abort()
        if not answer.startswith("4"):
            self.taken.append(envelope.content)
        return answer


async def _handed_in(post: Post, *, away: float = 10.0) -> None:
    (port,) = free_ports(1)
    stack = Stack.model_validate(stack_file(smtp={"host": LOOPBACK, "port": port}))
    outside = Outside(stack, on_mail=lambda _: None, on_broken=lambda _: None, away=away)
    sending = asyncio.create_task(outside.send(b"Message-ID: <1@v>\r\n\r\nx\r\n", sender="a@v.example", recipient=DESK))
    try:
        await asyncio.wait([sending], timeout=0.3)
        server = await asyncio.get_running_loop().create_server(lambda: SMTP(post), LOOPBACK, port)
        try:
            await sending
        finally:
            server.close()
            await outside.close()
            await server.wait_closed()
    finally:
        sending.cancel()


async def test_a_letter_is_handed_in_once_the_mail_server_is_back_and_again_when_its_answer_was_lost() -> None:
    post = Post("451 4.3.0 in a moment", "hangs up", "250 OK")
    await _handed_in(post)
    assert len(post.taken) == 2
    assert post.taken[0] == post.taken[1]


async def test_a_letter_that_is_refused_is_not_handed_in_again() -> None:
    post = Post("554 5.6.0 malformed", "250 OK")
    with pytest.raises(DoorFailed, match=r"was not accepted: .*554"):
        await _handed_in(post)


async def test_a_mail_server_that_stays_away_is_told() -> None:
    stack = Stack.model_validate(stack_file())
    outside = Outside(stack, on_mail=lambda _: None, on_broken=lambda _: None, away=0.3)
    with pytest.raises(DoorFailed, match=r"no connection to hand in a letter from a@v\.example"):
        await outside.send(b"x", sender="a@v.example", recipient=DESK)
    await outside.close()


@pytest.mark.parametrize("key", [None, "goods-1"])
async def test_what_was_sent_and_not_answered_at_all_is_sent_again_under_a_key_alone(key: str | None) -> None:
    """Killed between the work and the first octet of its answer, a service may have done what it was asked."""
    heard: list[bytes] = []

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"}"))
        writer.close()

    server = await asyncio.start_server(hang_up, LOOPBACK, 0)
    door = HttpDoor("ERP stage", f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}", away=0.5)
    try:
        with pytest.raises(DoorFailed, match="did not answer POST"):
            await door.post("/goods", {"lines": 1}, key=key)
    finally:
        await door.close()
        server.close()
        await server.wait_closed()
    assert (len(heard) == 1) is (key is None)
