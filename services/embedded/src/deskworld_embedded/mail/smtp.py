"""SMTP by aiosmtpd: a port that takes mail for the world's domains from anybody, and one where logins submit.

What is answered with 250 is in the store. Nothing is ever relayed.
"""

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from aiosmtpd.smtp import Session as SmtpSession

from deskworld_embedded.mail.domains import mailbox_of, may_send
from deskworld_embedded.mail.headers import fields, split
from deskworld_embedded.mail.session import password_holds
from deskworld_embedded.mail.store import Store

HOSTNAME = "mail.deskworld.example"
LARGEST_MESSAGE = 25 * 1024 * 1024
MOST_RECIPIENTS = 1000
MOST_HOPS = 100  # RFC 5321, 6.3
MOST_HEADER_READ = 256 * 1024
SILENCE_SECONDS = 600

PATH = re.compile(
    r"""\s*(?P<open><)?(?:@[^:>]*:)?               # a source route, to be ignored (RFC 5321, 4.1.1.3)
        (?P<address>(?:"(?:[^"\\]|\\.)*"|[^\s<>"@]+)(?:@(?:\[[^\]\s]+\]|[^\s<>@,;]+))?|(?(open)))
        (?(open)>)(?:\s+(?P<parameters>.*))?""",
    re.VERBOSE | re.DOTALL,
)
NOBODY = "<>"

log = logging.getLogger(__name__)


class Server(SMTP):
    """aiosmtpd's, with room for real lines and addresses, and a parser of paths that takes microseconds."""

    line_length_limit = LARGEST_MESSAGE + 2
    command_size_limit = 4096
    command_size_limits = defaultdict(lambda: 4096)  # noqa: RUF012 - aiosmtpd adds to it and clears it

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        if not arg.strip():
            return "", ""
        found = PATH.fullmatch(arg)
        if found is None or any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 for letter in arg):
            return None, None
        if any(0xD800 <= ord(letter) < 0xE000 for letter in arg):  # bytes that are not UTF-8
            return None, None
        return found["address"] or NOBODY, found["parameters"] or ""


class Handler:
    """`logins` None: the port for mail from outside. Else only a login submits, from its own addresses."""

    def __init__(self, store: Store, logins: Mapping[str, str] | None) -> None:
        self._store = store
        self._logins = logins

    def authenticate(
        self, _server: SMTP, _session: SmtpSession, _envelope: Envelope, _mechanism: str, given: object
    ) -> AuthResult:
        if self._logins is None or not isinstance(given, LoginPassword):
            return AuthResult(success=False, handled=False)
        login = given.login.decode("utf-8", "replace")
        if not password_holds(self._logins, login, given.password.decode("utf-8", "replace")):
            return AuthResult(success=False, handled=False)
        return AuthResult(success=True, auth_data=login)

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, session: SmtpSession, _envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        return [*responses[:-1], "250-PIPELINING", responses[-1]]

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, session: SmtpSession, envelope: Envelope, address: str, options: Sequence[str]
    ) -> str:
        if self._logins is not None and not session.authenticated:
            return "530 5.7.0 Authentication required"
        if not address.isascii() and not envelope.smtp_utf8:
            return "553 5.6.7 This address needs SMTPUTF8"
        if self._logins is not None and not may_send(str(session.auth_data), address):
            return f"550 5.7.1 {session.auth_data} may not send from {address}"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: SmtpSession, envelope: Envelope, address: str, options: Sequence[str]
    ) -> str:
        if not address.isascii() and not envelope.smtp_utf8:
            return "553 5.6.7 This address needs SMTPUTF8"
        if mailbox_of(address) is None:
            return f"550 5.7.1 {address}: not an address of this world, and nothing is relayed"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        if address not in envelope.rcpt_tos:
            envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_exception(self, error: Exception) -> str:
        """The one place that records: a command that aiosmtpd trips over ends no session."""
        log.warning("a command failed: %r", error)
        return "500 5.5.2 That cannot be read"

    async def handle_DATA(self, _server: SMTP, _session: SmtpSession, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        content = envelope.original_content or b""
        hops = sum(name.lower() == b"received" for name, _ in fields(split(content[:MOST_HEADER_READ])[0]))
        if hops > MOST_HOPS:
            return f"554 5.4.6 {hops} hops: this message goes round in circles"
        sender = "" if envelope.mail_from in (NOBODY, None) else str(envelope.mail_from)
        recipients = [(login, address) for address in envelope.rcpt_tos if (login := mailbox_of(address))]
        try:
            self._store.deliver(sender, recipients, content)
        except OSError as error:
            log.warning("not kept: %s", error)
            return "452 4.3.1 It could not be kept; try again later"
        return "250 2.0.0 Kept"


async def listen(host: str, port: int, store: Store, logins: Mapping[str, str] | None) -> asyncio.Server:
    """Raises OSError when the address is taken."""
    loop = asyncio.get_running_loop()
    handler = Handler(store, logins)

    def connection() -> Server:
        return Server(
            handler,
            data_size_limit=LARGEST_MESSAGE,
            enable_SMTPUTF8=True,
            hostname=HOSTNAME,
            ident="ESMTP",
            timeout=SILENCE_SECONDS,
            auth_require_tls=logins is None,
            authenticator=handler.authenticate,
            loop=loop,
        )

    return await loop.create_server(connection, host, port)
