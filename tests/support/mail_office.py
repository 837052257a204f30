"""A submission server over real sockets, and the desk's sender connected to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import UnthreadedController
from aiosmtpd.smtp import AuthResult

from deskworld_desk.mail.sender import Sender


@dataclass
class Office:
    """What the peer accepts."""

    refused: dict[str, str] = field(default_factory=dict)
    content_answer: str = "250 taken"
    taken: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    sessions: set[int] = field(default_factory=set)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802
        self.sessions.add(id(session))
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.content_answer == "cut":
            server.transport.abort()
            return "250 never sent"
        self.taken.append((envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        return self.content_answer


@asynccontextmanager
async def peer(office: Office) -> AsyncIterator[tuple[Sender, Any]]:
    def login(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        good = (data.login, data.password) == (b"desk", b"secret")
        return AuthResult(success=good, handled=False)

    controller = UnthreadedController(
        office,
        hostname="127.0.0.1",
        port=0,
        loop=asyncio.get_running_loop(),
        authenticator=login,
        auth_require_tls=False,
        server_hostname="peer.example",  # else it asks the name service for its own name
    )
    server: Any = await controller._create_server()  # asyncio's or uvloop's
    sender = Sender("127.0.0.1", server.sockets[0].getsockname()[1], "desk", "secret", timeout=5)
    try:
        yield sender, server
    finally:
        await sender.close()
        server.close()
