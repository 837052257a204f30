"""What the three stand-in servers share: addresses on the loopback, settings from the environment, an end on SIGTERM.

Kept light on purpose: each of these processes is to start in well under a second and to stay small.
"""

import asyncio
import gc
import ipaddress
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

import uvloop


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int


class SettingMissing(ValueError):
    """The environment lacks a setting, or holds one that cannot be used."""


def required(environ: Mapping[str, str], name: str) -> str:
    """Raises SettingMissing."""
    value = environ.get(name, "")
    if not value:
        raise SettingMissing(f"{name} is not set")
    return value


def address(environ: Mapping[str, str], name: str) -> Address:
    """`127.0.0.1:2525`, `[::1]:2525`. A stand-in knows passwords that stand in a public file, so it serves the
    loopback only. Raises SettingMissing."""
    text = required(environ, name)
    host, _, port = text.rpartition(":")
    host = host.strip("[]")
    try:
        at_home = ipaddress.ip_address(host).is_loopback
    except ValueError:
        at_home = host == "localhost"
    if not port.isdigit() or int(port) > 65535:
        raise SettingMissing(f"{name}={text!r} is not HOST:PORT")
    if not at_home:
        raise SettingMissing(f"{name}={text!r}: the embedded stack listens on the loopback only")
    return Address(host, int(port))


def until_told(main: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Runs `main` in an event loop; its event is set by SIGTERM or SIGINT. Exits 2 when settings are wrong or an
    address is taken."""

    async def run() -> None:
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, told.set)
        await main(told)

    try:
        uvloop.run(run())
    except (SettingMissing, OSError) as error:
        give_up(error)


def give_up(error: Exception) -> NoReturn:
    sys.stderr.write(f"{error}\n")
    raise SystemExit(2)


def settle_memory() -> None:
    """What start-up made lives for ever: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
