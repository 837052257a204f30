"""Small looks at a door, for finding a stack and for `harness doctor`."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx

from deskworld.doors import clock
from deskworld.errors import DoorFailed
from deskworld.values.stack import Address

SECONDS = 10.0


class NotThere(DoorFailed):
    """Nothing listens at the address."""


class Silent(DoorFailed):
    """Something listens, and does not answer in time."""


class Stranger(DoorFailed):
    """Something answers, and it is not what should stand there."""


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    text: str
    document: Any
    """None for what is no JSON."""
    clock_ahead: float | None
    """By the door's clock (RFC 9110, Date), as in `clock_ahead`; None when it does not tell the time."""


async def said_by(
    name: str,
    url: str,
    path: str,
    *,
    within: float = SECONDS,
    token: str | None = None,
    body: Mapping[str, Any] | None = None,
) -> Said:
    """What a door answers, whatever the status. Raises NotThere, Silent, Stranger."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    asked = clock.now()
    try:
        # httpx's own transport: it tells a port where nothing listens from one that stays silent
        async with httpx.AsyncClient(timeout=within, trust_env=False, verify=_certificates()) as client:
            if body is None:
                answer = await client.get(url + path, headers=headers)
            else:
                answer = await client.post(url + path, headers=headers, json=dict(body))
    except httpx.TimeoutException as error:
        raise Silent(f"{name} at {url} did not answer within {within:.0f} s", next_step=_LOGS) from error
    except httpx.ConnectError as error:
        raise NotThere(f"nothing listens at {url}, where {name} should be", next_step=f"start it; {_LOGS}") from error
    except httpx.HTTPError as error:
        raise _stranger(name, url, f"{type(error).__name__}: {error}") from error
    told = _time(answer.headers.get("date"))
    ahead = None if told is None else clock_ahead(told, asked.timestamp(), clock.now().timestamp())
    return Said(answer.status_code, answer.text, _document(answer), ahead)


def clock_ahead(told: float, asked: float, answered: float) -> float:
    """Seconds by which a clock is surely ahead of ours, negative when it is behind: it told a whole second, some time
    between our question and its answer, however long that took."""
    if told > answered:
        return told - answered
    return min(0.0, told + 1 - asked)


async def banner(name: str, address: Address, expected: bytes) -> str:
    """The first line that a mail server says. Raises NotThere, Silent, Stranger."""
    where = f"{address.host}:{address.port}"
    try:
        async with asyncio.timeout(SECONDS):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            line = await reader.readline()
            writer.close()
    except TimeoutError as error:
        raise Silent(f"{name} at {where} said nothing within {SECONDS:.0f} s", next_step=_LOGS) from error
    except OSError as error:
        raise NotThere(
            f"nothing listens at {where}, where {name} should be", next_step=f"start the mail server; {_LOGS}"
        ) from error
    if not line.startswith(expected):
        raise _stranger(name, where, repr(line[:60]))
    return f"{where} {line.decode(errors='replace').strip()}"


def stranger(name: str, url: str, said: Said) -> Stranger:
    return _stranger(name, url, f"{said.status} {said.text[:60]!r}")


def _stranger(name: str, where: str, what: str) -> Stranger:
    return Stranger(
        f"something else than {name} answers at {where}: {what}",
        next_step="the port is taken by another program: end it, or give this door another port",
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: a client that reads them for itself costs 50 ms of processor, and a doctor looks forty times."""
    return httpx.create_ssl_context(trust_env=False)


def _document(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _time(header: str | None) -> float | None:
    try:
        return parsedate_to_datetime(header or "").timestamp()
    except ValueError:
        return None


_LOGS = "`harness logs` shows what an embedded stack's parts say, `docker compose logs` a compose stack's"
