"""What a server writes in pieces leaves in one."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from deskworld_kit.joining import JoiningTransport


@dataclass
class Line:
    """A transport that keeps what is sent."""

    sent: list[bytes] = field(default_factory=list)
    ended: str = ""

    def write(self, data: bytes) -> None:
        self.sent.append(bytes(data))

    def is_closing(self) -> bool:
        return bool(self.ended)

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "cut"

    def get_extra_info(self, name: str) -> str:
        return f"the {name}"


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def joining(line: Line) -> JoiningTransport:
    return JoiningTransport(cast("asyncio.Transport", line), asyncio.get_running_loop())


async def turn() -> None:
    """Until all that was asked for before has been done."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_soon(done.set)
    await done.wait()


async def test_a_head_and_a_body_written_together_leave_together(line: Line, joining: JoiningTransport) -> None:
    joining.write(b"head ")
    joining.write(bytearray(b"body"))
    await turn()
    joining.write(b"more")
    await turn()
    assert line.sent == [b"head body", b"more"]


async def test_what_was_written_before_the_end_still_leaves(line: Line, joining: JoiningTransport) -> None:
    joining.write(b"the last answer")
    joining.close()
    await turn()
    assert (line.sent, line.ended) == ([b"the last answer"], "closed")


async def test_of_a_connection_that_is_cut_nothing_leaves(line: Line, joining: JoiningTransport) -> None:
    joining.write(b"half")
    joining.abort()
    await turn()
    assert (line.sent, line.ended) == ([], "cut")


async def test_nothing_is_written_to_a_line_that_the_other_side_closed(line: Line, joining: JoiningTransport) -> None:
    joining.write(b"late")
    line.ended = "lost"
    await turn()
    assert line.sent == []


async def test_all_else_is_the_transports_own(joining: JoiningTransport) -> None:
    other: Any = joining
    assert other.get_extra_info("peer") == "the peer"
