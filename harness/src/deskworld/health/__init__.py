"""What is wrong with a stack, in words, each with the next step. Asks every door; leaves nothing but one letter in the
counterparties' mailbox."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path

from deskworld.errors import HarnessError
from deskworld.health import clocks, identity, mail, policy, services
from deskworld.values.stack import Stack

SIDE_BY_SIDE = 4
"""A look has a deadline, which is the door's to miss: on a busy machine a crowd of looks would miss it by itself."""


@dataclass(frozen=True, slots=True)
class Examined:
    part: str
    well: bool
    said: str
    next_step: str = ""


async def examine(stack: Stack, policies: Path | None = None) -> tuple[Examined, ...]:
    """One line a part, in the order in which a case meets them. `policies`: the folder that should be in force."""
    identity.load()
    looks: dict[str, Awaitable[str]] = {
        **{name: services.health(name, url) for name, url in services.doors(stack).items()},
        "ERP stage's secret": services.secret("ERP stage", stack.erp_stage, stack.secrets.erp_stage, services.ERP_ASK),
        "desk stage's secret": services.secret(
            "desk stage", stack.desk_stage, stack.secrets.desk_stage, services.DESK_ASK
        ),
        "policy": policy.loaded(stack, policies),
        "SMTP": mail.greets("SMTP", stack.smtp),
        "submission": mail.greets("submission", stack.submission),
        "IMAP": mail.greets("IMAP", stack.imap),
        "mail arrives": mail.arrives(stack),
        "identity": identity.realm(stack),
        "sign-in": identity.person(stack),
        "desk's sign-in": identity.desk(stack),
        "agent's sign-in": identity.agent(stack),
        "clocks": clocks.together(stack),
    }
    places = asyncio.Semaphore(SIDE_BY_SIDE)
    return tuple(await asyncio.gather(*(_look(part, look, places) for part, look in looks.items())))


async def _look(part: str, look: Awaitable[str], places: asyncio.Semaphore) -> Examined:
    try:
        async with places:
            said = await look
    except HarnessError as error:
        return Examined(part, well=False, said=error.what, next_step=error.next_step)
    return Examined(part, well=True, said=said)
