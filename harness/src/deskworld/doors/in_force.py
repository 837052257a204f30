"""What decides on a stack, as digests: policies, the rules' table, the ERP's tolerances. A run names them."""

import asyncio
import hashlib
from typing import Any

from deskworld.doors.http import HttpDoor
from deskworld.doors.identity import People
from deskworld.errors import DoorFailed
from deskworld.values.chain import canonical
from deskworld.values.realm import holders
from deskworld.values.stack import Stack

TEST = "_test.rego"


async def in_force(stack: Stack, world: str) -> dict[str, str | None]:
    """None for what could not be heard, which is not the same as what does not decide."""
    policy = HttpDoor("policy", stack.policy, away=0.0, timeout=10.0)
    people = People(stack, away=0.0)
    try:
        policies, rules, tolerances = await asyncio.gather(
            _policies(policy, world), _table(policy, world), _tolerances(stack, people)
        )
    finally:
        await asyncio.gather(policy.close(), people.close())
    return {"policies": policies, "rules": rules, "tolerances": tolerances}


async def _policies(policy: HttpDoor, world: str) -> str | None:
    """Rego but for its tests, and the limits beside it."""
    try:
        modules = await policy.get("/v1/policies")
        limits = await policy.get(f"/v1/data/{world}/data")
        sources = sorted(str(one["raw"]) for one in modules["result"] if not str(one["id"]).endswith(TEST))
        return _digest([sources, limits.get("result")])
    except (DoorFailed, LookupError, TypeError, AttributeError):
        return None


async def _table(policy: HttpDoor, world: str) -> str | None:
    try:
        return _digest((await policy.get(f"/v1/data/{world}/resolution/table"))["result"])
    except (DoorFailed, LookupError, TypeError):
        return None


async def _tolerances(stack: Stack, people: People) -> str | None:
    try:
        erp = HttpDoor("erp", stack.erp, secret=await people.token(holders("auditor")[0]), away=0.0, timeout=10.0)
    except (DoorFailed, LookupError, TypeError):
        return None
    try:
        return str((await erp.get("/tolerances"))["digest"])
    except (DoorFailed, LookupError, TypeError):
        return None
    finally:
        await erp.close()


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()
