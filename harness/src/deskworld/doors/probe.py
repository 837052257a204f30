"""Small looks at a door, for `harness doctor`."""

import asyncio

from deskworld.doors.http import HttpDoor
from deskworld.errors import DoorFailed
from deskworld.values.stack import Address

SECONDS = 5.0


async def banner(name: str, address: Address, expected: bytes) -> str:
    """The first line that a mail server says. Raises DoorFailed."""
    where = f"{address.host}:{address.port}"
    try:
        async with asyncio.timeout(SECONDS):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            line = await reader.readline()
            writer.close()
    except (OSError, TimeoutError) as error:
        raise DoorFailed(f"{name} does not answer at {where}: {error}", next_step="is the mail server up?") from error
    if not line.startswith(expected):
        raise DoorFailed(f"{name} at {where} said {line[:60]!r}", next_step="is the port taken by another program?")
    return f"{where} {line.decode(errors='replace').strip()}"


async def discovery(issuer: str) -> str:
    """What the issuer calls itself. Raises DoorFailed."""
    door = HttpDoor("identity", issuer, timeout=SECONDS)
    try:
        found = await door.get("/.well-known/openid-configuration")
    finally:
        await door.close()
    return str(found["issuer"])
