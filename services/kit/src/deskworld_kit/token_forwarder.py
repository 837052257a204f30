"""`python -m deskworld_kit.token_forwarder`: the token path of the identity provider, and nothing else of it, for the
agents' network. TOKEN_BIND is where it listens (`HOST:PORT,…`), TOKEN_URL the endpoint that it stands for.
"""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
import uvloop
from fastapi import FastAPI, Request, Response

from deskworld_kit import http
from deskworld_kit.health import health_router
from deskworld_kit.problems import Problem, install
from deskworld_kit.serve import listening, serve

LONGEST_FORM = 16 * 1024
"""Bytes; a token request is a few hundred."""
PASSED_ON = ("content-type", "authorization")
PASSED_BACK = ("content-type", "cache-control", "pragma", "www-authenticate")


def forwarder(token_url: str, client: httpx.AsyncClient) -> FastAPI:
    """Answers POST at the path of `token_url` as the endpoint there does. Any other path is 404."""
    app = FastAPI(title="Deskworld token path", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    install(app)
    app.include_router(health_router(_well))

    @app.post(urlsplit(token_url).path)
    async def token(request: Request) -> Response:
        form = await request.body()
        if len(form) > LONGEST_FORM:
            raise Problem(413, "TOO_LARGE", f"a token request has at most {LONGEST_FORM} bytes")
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        try:
            answer = await client.post(token_url, content=form, headers=headers)
        except httpx.HTTPError as error:
            raise Problem(503, "UNAVAILABLE", f"the identity provider cannot be had: {type(error).__name__}") from error
        back = {name: answer.headers[name] for name in PASSED_BACK if name in answer.headers}
        return Response(answer.content, answer.status_code, back)

    return app


async def _well() -> Mapping[str, str]:
    """That it listens: whether the provider is well is the provider's to say."""
    return {}


@asynccontextmanager
async def opened(token_url: str) -> AsyncIterator[FastAPI]:
    async with http.client(timeout=15.0) as client:
        yield forwarder(token_url, client)


async def run(binds: str, token_url: str) -> None:
    async with opened(token_url) as app:
        await serve(listening("token", app, binds))


def main() -> None:
    missing = [name for name in ("TOKEN_BIND", "TOKEN_URL") if not os.environ.get(name)]
    for name in missing:
        sys.stderr.write(f"setting {name}: set it in the environment\n")
    if missing:
        raise SystemExit(2)
    uvloop.run(run(os.environ["TOKEN_BIND"], os.environ["TOKEN_URL"]))


if __name__ == "__main__":
    main()
