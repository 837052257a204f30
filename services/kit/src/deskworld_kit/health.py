"""Health that means: a case could be seeded."""

from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse


def health_router(
    check: Callable[[], Awaitable[Mapping[str, str]]], *, stack: Mapping[str, str] | None = None
) -> APIRouter:
    """`check` gives each part `"ok"` or what is wrong with it, in words; `stack` names the stack behind this door."""
    router = APIRouter(tags=["health"])

    @router.get("/health", summary="Whether a case could be seeded now", responses={503: {"description": "Not now"}})
    async def health() -> JSONResponse:
        checks = dict(await check())
        well = all(state == "ok" for state in checks.values())
        named = {} if stack is None else {"stack": dict(stack)}
        said = {"status": "ok" if well else "unwell", "checks": checks, **named}
        return JSONResponse(said, status_code=200 if well else 503)

    return router
