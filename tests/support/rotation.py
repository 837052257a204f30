"""One rotation of the issuer's signing keys, watched at every door of ERP and desk. It asks not whose issuer it is."""

from collections.abc import Awaitable, Mapping
from typing import Protocol

import jwt
from tests.support.office import Office

from deskworld_kit import clock
from deskworld_kit.identity_keys import KeyTimes

SLACK = 10.0
"""Beside the stated time: a busy machine, and the fetch itself."""


class Administrator(Protocol):
    """Whoever may change an issuer's keys."""

    def new_key(self) -> Awaitable[None]:
        """From now on another key signs; tokens of the one before still count."""

    def withdraw_old_keys(self) -> Awaitable[None]: ...


def kid(token: str) -> str:
    return str(jwt.get_unverified_header(token)["kid"])


async def doors_for(office: Office, person: str, agent: str) -> Mapping[str, int]:
    """What each door answers to these tokens. An agent's claim lacks a name, so that it takes nobody's turn."""
    asked = {
        "ERP": await office.ask("erp", "GET", "/match-exceptions?limit=1", person),
        "desk": await office.ask("desk", "GET", "/worklist", person),
        "agent door": await office.ask("agent_door", "POST", "/turns/claim", agent, json={}),
    }
    return {door: answer.status_code for door, answer in asked.items()}


OPEN = {"ERP": 200, "desk": 200, "agent door": 400}
CLOSED = dict.fromkeys(OPEN, 401)


async def keys_are_rotated_without_a_restart(office: Office, administrator: Administrator) -> None:
    old, old_agent = await office.sign_in("anna.keller"), await office.agent_token()
    assert await doors_for(office, old, old_agent) == OPEN
    before = await office.seed()
    await before.until("decision.requested")

    await administrator.new_key()
    new, new_agent = await office.sign_in("anna.keller"), await office.agent_token()
    assert kid(new) != kid(old)
    assert await doors_for(office, new, new_agent) == OPEN, "a new key counts at once"
    assert await doors_for(office, old, old_agent) == OPEN, "what the old key signed counts until the key is withdrawn"
    assert (await before.decide("anna.keller"))["outcome"] == "applied", "the ERP takes the new key's token as well"

    await administrator.withdraw_old_keys()
    seen = await _until_closed(office, old, old_agent)
    assert seen == CLOSED
    assert await doors_for(office, new, new_agent) == OPEN
    # the desk's own token was signed by the old key: it fetches another as soon as a door refuses it
    after = await office.seed()
    await after.until("decision.requested")
    assert (await after.decide("anna.keller"))["outcome"] == "applied"


async def _until_closed(office: Office, person: str, agent: str) -> Mapping[str, int]:
    within = KeyTimes().fresh + SLACK
    deadline = clock.monotonic() + within
    while (seen := await doors_for(office, person, agent)) != CLOSED:
        assert clock.monotonic() < deadline, f"awaited 401 at every door for {within} s; last seen {seen}"
        await clock.pause(0.2)
    return seen
