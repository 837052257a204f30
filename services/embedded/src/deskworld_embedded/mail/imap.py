"""IMAP4rev1 by pymap, with what a long-lived session on real mail needs: it survives what it cannot answer."""

import asyncio
import logging
import ssl
from argparse import Namespace
from collections.abc import Mapping
from contextlib import AsyncExitStack, closing

from proxyprotocol.sock import SocketInfoLocal
from pymap.concurrent import Subsystem
from pymap.config import BackendCapability, IMAPConfig
from pymap.context import connection_exit
from pymap.imap import IMAPConnection
from pymap.imap.state import ConnectionState
from pymap.parsing.command import Command
from pymap.parsing.response import CommandResponse, Response, ResponseCode, ResponseNo
from pysasl import SASLAuth
from pysasl.creds.server import ServerCredentials
from pysasl.exception import AuthenticationError
from pysasl.mechanism.login import LoginMechanism
from pysasl.mechanism.plain import PlainMechanism

from deskworld_embedded.mail.message import BROKEN
from deskworld_embedded.mail.session import Login
from deskworld_embedded.mail.store import Store

LARGEST_LINE = 1024 * 1024
LARGEST_APPEND = 25 * 1024 * 1024

log = logging.getLogger(__name__)


class Config(IMAPConfig):
    def __init__(self) -> None:
        super().__init__(
            Namespace(passlib_cfg=None, proxy_protocol=None),
            host=None,
            port=0,
            ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
            tls_enabled=False,
            reject_dnsbl=False,
            cpu_subsystem=Subsystem.for_asyncio(),
            max_append_len=LARGEST_APPEND,
        )
        self._mechanisms = SASLAuth([PlainMechanism(), LoginMechanism()])

    @property
    def backend_capability(self) -> BackendCapability:
        return BackendCapability(idle=True, object_id=False, multi_append=True)

    @property
    def tls_auth(self) -> SASLAuth:
        return self._mechanisms

    @property
    def greeting(self) -> bytes:
        return b"Deskworld mail ready"


class State(ConnectionState):
    async def do_command(self, cmd: Command) -> CommandResponse:
        """The one place that records what went wrong: a session, and whoever idles in it, outlives a bad command."""
        try:
            return await super().do_command(cmd)
        except OSError as error:
            log.warning("%s: not kept: %s", cmd.command.decode("ascii", "replace"), error)
            return ResponseNo(cmd.tag, b"It could not be kept.", ResponseCode.of(b"UNAVAILABLE"))
        except BROKEN:
            log.exception("%s failed", cmd.command.decode("ascii", "replace"))
            return ResponseNo(cmd.tag, b"The server could not do that.", ResponseCode.of(b"SERVERBUG"))


class _Gathered:
    """A response as one piece: pymap writes it in dozens, each of which would be a packet."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.parts.append(data)


class Connection(IMAPConnection):
    async def authenticate(self, state: ConnectionState, mech_name: bytes) -> ServerCredentials | None:
        try:
            return await super().authenticate(state, mech_name)
        except UnicodeDecodeError as error:
            raise AuthenticationError("Credentials are UTF-8.") from error

    async def write_response(self, resp: Response) -> None:
        if self.writer.is_closing():
            return  # the reader sees the end of the connection and ends the session
        gathered = _Gathered()
        await resp.async_write(gathered)
        try:
            self.writer.write(b"".join(gathered.parts))
            await self.writer.drain()
        except ConnectionError:
            return


async def listen(host: str, port: int, store: Store, logins: Mapping[str, str]) -> asyncio.Server:
    """Raises OSError when the address is taken."""
    config = Config()
    commands = config.commands
    login = Login(config, store, logins)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(commands, config, reader, writer, SocketInfoLocal(writer))
        async with AsyncExitStack() as stack:
            connection_exit.set(stack)
            stack.enter_context(closing(connection))
            try:
                await connection.run(State(login, config))
            except (ConnectionError, asyncio.IncompleteReadError):
                log.info("a client left in the middle of a command")
            except (*BROKEN, asyncio.LimitOverrunError):
                log.exception("a session ended")

    return await asyncio.start_server(connected, host, port, limit=LARGEST_LINE)
