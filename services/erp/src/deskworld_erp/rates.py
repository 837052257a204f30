"""How much one caller may ask of the office door."""

from fastapi import Request

from deskworld_kit.door import CallerDependency
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem
from deskworld_kit.rates import Rates


def limited(caller: CallerDependency, rates: Rates | None) -> CallerDependency:
    """The caller, or Problem RATE_LIMITED with Retry-After in whole seconds."""
    if rates is None:
        return caller

    async def within(request: Request) -> Principal:
        who = await caller(request)
        wait = rates.take(who.subject)
        if wait > 0:
            raise Problem(
                429,
                "RATE_LIMITED",
                "Too many requests of one caller; try again later.",
                headers={"Retry-After": str(max(1, -int(-wait // 1)))},
                per_second=rates.per_second,
                burst=rates.burst,
            )
        return who

    return within
