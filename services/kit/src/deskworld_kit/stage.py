"""The stage door's own credential: a secret that is no OIDC token and opens no office door."""

import hmac
from collections.abc import Awaitable, Callable

from fastapi import Request

from deskworld_kit.identity import bearer
from deskworld_kit.problems import Problem


def stage_secret(secret: str) -> Callable[[Request], Awaitable[None]]:
    """A FastAPI dependency that lets only the holder of `secret` through."""
    if not secret:
        raise ValueError("the stage secret is empty; set one")

    # async, or the framework would take a thread for it
    async def check(request: Request) -> None:
        if not hmac.compare_digest(bearer(request).encode(), secret.encode()):
            raise Problem(
                401,
                "UNAUTHENTICATED",
                "this is the stage door: it takes its own secret, no office token",
                headers={"WWW-Authenticate": 'Bearer realm="deskworld-stage"'},
            )

    return check
