"""An issuer in this process: keys, tokens and the two routes that the kit asks."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from deskworld_kit import clock
from deskworld_kit.identity import ServiceAccount, TokenVerifier
from deskworld_kit.identity_keys import IssuerKeys, KeyTimes

URL = "http://issuer.test"
NAME = f"{URL}/realms/deskworld"


@cache
def key(kid: str) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Issuer:
    kids: list[str] = field(default_factory=lambda: ["first"])
    well: bool = True
    expires_in: int = 900
    asked: list[str] = field(default_factory=list)
    forms: list[Mapping[str, Any]] = field(default_factory=list)
    time: float = 0.0
    published: dict[str, str] = field(default_factory=dict)
    """Under a key's id another key than its own."""
    nonsense: str | None = None

    def http(self) -> httpx.AsyncClient:
        app = FastAPI()

        @app.get("/certs")
        async def certs() -> Response:
            self.asked.append("certs")
            if not self.well:
                return JSONResponse({"error": "down"}, status_code=503)
            if self.nonsense is not None:
                return Response(self.nonsense)
            held = [key(self.published.get(kid, kid)).public_key() for kid in self.kids]
            public = [jwt.algorithms.RSAAlgorithm.to_jwk(one, as_dict=True) for one in held]
            named = [{**one, "kid": kid, "use": "sig"} for one, kid in zip(public, self.kids, strict=True)]
            return JSONResponse({"keys": named})

        @app.post("/token")
        async def token(request: Request) -> JSONResponse:
            self.asked.append("token")
            self.forms.append(dict(await request.form()))
            if not self.well:
                return JSONResponse({"error": "down"}, status_code=503)
            return JSONResponse({"access_token": f"token-{len(self.forms)}", "expires_in": self.expires_in})

        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL)

    def keys(self, times: KeyTimes | None = None) -> IssuerKeys:
        """On this issuer's time."""
        return IssuerKeys(f"{URL}/certs", self.http(), times, now=lambda: self.time, pause=self.wait)

    def verifier(self, *, audience: str = "erp", times: KeyTimes | None = None) -> TokenVerifier:
        return TokenVerifier(issuer=NAME, audience=audience, keys=self.keys(times))

    async def wait(self, seconds: float) -> None:
        """Passes at once, but not before everybody else had a turn."""
        turn = asyncio.Event()
        asyncio.get_running_loop().call_soon(turn.set)
        await turn.wait()
        self.time += seconds

    def account(self) -> ServiceAccount:
        return ServiceAccount(token_url=f"{URL}/token", client_id="desk", secret="s3cret", http=self.http())

    def token(self, *, kid: str | None = "first", signed_by: str = "", lives: float = 900, **claims: Any) -> str:
        """A buyer's token; a claim given as None is left out."""
        at = clock.now()
        said = {
            "iss": NAME,
            "aud": ["erp", "desk"],
            "sub": "7f0c",
            "azp": "harness",
            "preferred_username": "anna.keller",
            "realm_access": {"roles": ["buyer"]},
            "iat": at,
            "exp": at + timedelta(seconds=lives),
            **claims,
        }
        held = {name: value for name, value in said.items() if value is not None}
        named = {} if kid is None else {"kid": kid}
        return jwt.encode(held, key(signed_by or kid or "first"), algorithm="RS256", headers=named)
