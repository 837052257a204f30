"""What is wrong with a stack, in words, each with the next step. Asks every door; changes nothing."""

import asyncio
from dataclasses import dataclass

from deskworld.doors.http import HttpDoor
from deskworld.doors.identity import People
from deskworld.doors.probe import banner, discovery
from deskworld.errors import DoorFailed, HarnessError
from deskworld.values.realm import holders
from deskworld.values.stack import Stack


@dataclass(frozen=True, slots=True)
class Examined:
    part: str
    well: bool
    said: str
    next_step: str = ""


async def examine(stack: Stack) -> tuple[Examined, ...]:
    """One line a part, in the order in which a case meets them."""
    looks = {
        "ERP": _health("ERP", stack.erp),
        "ERP stage": _health("ERP stage", stack.erp_stage),
        "desk": _health("desk", stack.desk),
        "desk stage": _health("desk stage", stack.desk_stage),
        "agent door": _health("agent door", stack.agent_door),
        "policy": _health("policy", stack.policy),
        "SMTP": banner("SMTP", stack.smtp, b"220"),
        "submission": banner("submission", stack.submission, b"220"),
        "IMAP": banner("IMAP", stack.imap, b"* OK"),
        "identity": _issuer(stack),
        "sign-in": _sign_in(stack),
    }
    return tuple(await asyncio.gather(*(_look(part, look) for part, look in looks.items())))


async def _look(part: str, look: object) -> Examined:
    try:
        said = await look  # type: ignore[misc]
    except HarnessError as error:
        return Examined(part, well=False, said=error.what, next_step=error.next_step)
    return Examined(part, well=True, said=str(said))


async def _health(name: str, url: str) -> str:
    door = HttpDoor(name, url, timeout=5)
    try:
        answer = await door.get("/health")
    finally:
        await door.close()
    checks = answer.get("checks", {}) if isinstance(answer, dict) else {}
    return f"{url} " + (", ".join(f"{part}: {state}" for part, state in checks.items()) or "ok")


async def _issuer(stack: Stack) -> str:
    found = await discovery(stack.issuer)
    if found != stack.issuer:
        raise DoorFailed(
            f"identity calls itself {found}, and the stack says {stack.issuer}",
            next_step="one public issuer string everywhere: set OIDC_ISSUER to what the issuer calls itself",
        )
    return stack.issuer


async def _sign_in(stack: Stack) -> str:
    people = People(stack)
    try:
        someone = holders("clerk")[0]
        await people.token(someone)
    finally:
        await people.close()
    return f"{someone} signed in"
