"""An issuer's token endpoint in this process."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from tests.support.kit import NAME, URL, Issuer

from deskworld_kit.identity_code import CodeFlow, Provider

PROVIDER = Provider(NAME, f"{NAME}/auth", f"{NAME}/logout", f"{URL}/token", "workbench")


class Tokenhouse:
    """A token endpoint that answers what it is told to, and remembers what it was asked."""

    def __init__(self, issuer: Issuer) -> None:
        self.issuer = issuer
        self.nonce = ""
        self.changed: dict[str, Any] = {}
        self.answer: tuple[int, Any] | None = None
        self.forms: list[Mapping[str, Any]] = []
        self.given = 0
        self.lives = 900
        self.access: Callable[[], str] = lambda: "a"
        self.refresh: Callable[[], str] = lambda: "r"

    def flow(self) -> CodeFlow:
        app = FastAPI()

        @app.post("/token")
        async def token(request: Request) -> JSONResponse:
            self.forms.append(dict(await request.form()))
            if self.answer is not None:
                status, body = self.answer
                return JSONResponse(body, status)
            self.given += 1
            id_token = self.issuer.token(**{"aud": "workbench", "nonce": self.nonce, **self.changed})
            given = {"access_token": self.access(), "refresh_token": self.refresh(), "id_token": id_token}
            return JSONResponse({**given, "expires_in": self.lives})

        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL)
        return CodeFlow(PROVIDER, self.issuer.verifier(audience="workbench"), http)
