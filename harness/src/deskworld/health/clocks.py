"""Clock skew: every door's Date against our clock."""

import asyncio

from deskworld.doors.probe import said_by
from deskworld.errors import DoorFailed
from deskworld.health import services
from deskworld.values.stack import Stack

SKEW_SECONDS = 5.0
"""What the services forgive in a token's times."""


async def together(stack: Stack) -> str:
    """Raises DoorFailed naming every door whose clock is too far from ours. A door that cannot be asked is told of
    under its own name, not here."""
    asked = {name: (url, "/health") for name, url in services.doors(stack).items()}
    asked |= {"policy": (stack.policy, "/health"), "identity": (stack.issuer, "/.well-known/openid-configuration")}
    found = dict(zip(asked, await asyncio.gather(*(_ahead(name, *door) for name, door in asked.items())), strict=True))
    told = {name: ahead for name, ahead in found.items() if ahead is not None}
    wrong = {name: ahead for name, ahead in told.items() if abs(ahead) > SKEW_SECONDS}
    if wrong:
        raise DoorFailed(f"clock skew: {', '.join(in_words(*one) for one in wrong.items())}", next_step=NEXT)
    if not told:
        raise DoorFailed("no door tells the time", next_step="the other lines say which of them cannot be asked")
    return f"{len(told)} doors within {max(abs(ahead) for ahead in told.values()):.0f} s of ours"


def in_words(name: str, ahead: float) -> str:
    return f"{name} is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} our clock"


NEXT = f"set the clocks of both machines by NTP: tokens and signed events are refused beyond {SKEW_SECONDS:.0f} s"


async def _ahead(name: str, url: str, path: str) -> float | None:
    try:
        return (await said_by(name, url, path)).clock_ahead
    except DoorFailed:
        return None
