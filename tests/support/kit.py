"""An issuer in this process: keys, tokens and the two routes that the kit asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from deskworld_kit import clock
from deskworld_kit.identity import ServiceAccount, TokenVerifier

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

    def http(self) -> httpx.AsyncClient:
        app = FastAPI()

        @app.get("/certs")
        async def certs() -> JSONResponse:
            self.asked.append("certs")
            if not self.well:
                return JSONResponse({"error": "down"}, status_code=503)
            public = [jwt.algorithms.RSAAlgorithm.to_jwk(key(kid).public_key(), as_dict=True) for kid in self.kids]
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

    def verifier(self, *, audience: str = "erp") -> TokenVerifier:
        return TokenVerifier(issuer=NAME, jwks_url=f"{URL}/certs", audience=audience, http=self.http())

    def account(self) -> ServiceAccount:
        return ServiceAccount(token_url=f"{URL}/token", client_id="desk", secret="s3cret", http=self.http())

    def token(self, *, kid: str = "first", signed_by: str = "", lives: float = 900, **claims: Any) -> str:
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
        return jwt.encode(held, key(signed_by or kid), algorithm="RS256", headers={"kid": kid})
