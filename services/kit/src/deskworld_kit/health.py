"""Health that means: a case could be seeded, and worked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from deskworld_kit import clock

OK = "ok"
WITHIN = 2.5
FRESH, FRESH_UNWELL = 0.5, 0.1
LONGEST_WORDS = 300
Check = Callable[[], Awaitable[None]]
"""Returns when the part is well; raises with what is wrong with it, in words."""


class Unwell(Exception):
    """The words are for somebody who looks at the health of a service."""


class Health:
    """What a service needs for a case: all parts are asked side by side, each for at most `within` seconds.

    Whoever asks meanwhile, or less than FRESH seconds after an answer, shares it: being asked often costs nothing. An
    answer of "unwell" is soon out of date, because somebody may wait for the end of it.
    """

    def __init__(self, checks: Mapping[str, Check], *, within: float = WITHIN) -> None:
        self._checks = dict(checks)
        self._within = within
        self._look: asyncio.Task[Mapping[str, str]] | None = None
        self._fresh_until = float("-inf")

    async def __call__(self) -> Mapping[str, str]:
        """Each part with "ok" or with what is wrong."""
        look = self._look
        if look is None or (look.done() and clock.monotonic() >= self._fresh_until):
            look = self._look = asyncio.create_task(self._ask(), name="health")
        # whoever asked may go away: others wait for the same answer
        return await asyncio.shield(look)

    async def _ask(self) -> Mapping[str, str]:
        said = await asyncio.gather(*(self._words(check) for check in self._checks.values()))
        found = dict(zip(self._checks, said, strict=True))
        well = all(words == OK for words in found.values())
        self._fresh_until = clock.monotonic() + (FRESH if well else FRESH_UNWELL)
        return found

    async def _words(self, check: Check) -> str:
        try:
            async with asyncio.timeout(self._within):
                await check()
        except TimeoutError:
            return f"no answer within {self._within:g} s"
        except Unwell as unwell:
            return str(unwell)[:LONGEST_WORDS]
        except Exception as error:  # noqa: BLE001 - whatever it is, the health answer is where it is recorded
            first = str(error).partition("\n")[0]
            return f"{type(error).__name__}: {first}"[:LONGEST_WORDS]
        return OK


def health_router(
    check: Callable[[], Awaitable[Mapping[str, str]]], *, stack: Mapping[str, str] | None = None
) -> APIRouter:
    """`check` gives each part `"ok"` or what is wrong with it, in words; `stack` names the stack behind this door."""
    router = APIRouter(tags=["health"])

    @router.get("/health", summary="Whether a case could be seeded now", responses={503: {"description": "Not now"}})
    async def health() -> JSONResponse:
        checks = dict(await check())
        well = all(state == OK for state in checks.values())
        named = {} if stack is None else {"stack": dict(stack)}
        said = {"status": OK if well else "unwell", "checks": checks, **named}
        return JSONResponse(said, status_code=200 if well else 503)

    return router
