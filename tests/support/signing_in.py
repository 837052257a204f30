"""A browser and an OAuth client, as far as a login page needs them. Knows no issuer's pages: it looks for the form with
a password in it, as a person would."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx

PASSWORD = "deskworld-loopback"
CALLBACK = "http://127.0.0.1:54321/callback"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"  # RFC 7636, appendix B


def challenge(verifier: str = VERIFIER) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def browser() -> httpx.AsyncClient:
    """It sends a Secure cookie to the loopback without TLS, as browsers do (Secure Contexts, 3.1)."""

    async def trust_the_loopback(_: httpx.Response) -> None:
        for cookie in client.cookies.jar:
            cookie.secure = False

    client = httpx.AsyncClient(timeout=15, trust_env=False, event_hooks={"response": [trust_the_loopback]})
    return client


@dataclass(frozen=True, slots=True)
class Form:
    action: str
    fields: Mapping[str, str]

    def filled(self, **values: str) -> dict[str, str]:
        return {**self.fields, **values}


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str], set[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((found.get("action", ""), {}, set()))
        elif tag == "input" and self.forms:
            _, fields, kinds = self.forms[-1]
            kinds.add(found.get("type", "text"))
            if found.get("name"):
                fields[found["name"]] = found.get("value", "")


def login_form(page: httpx.Response) -> Form:
    parser = _Forms()
    parser.feed(page.text)
    for action, fields, kinds in parser.forms:
        if "password" in kinds:
            return Form(urljoin(str(page.url), action), fields)
    raise AssertionError(f"no form with a password on {page.url} ({page.status_code}): {page.text[:500]}")


def any_form(page: httpx.Response) -> Form:
    parser = _Forms()
    parser.feed(page.text)
    assert parser.forms, f"no form on {page.url}: {page.text[:500]}"
    action, fields, _ = parser.forms[0]
    return Form(urljoin(str(page.url), action), fields)


def parameters(response: httpx.Response) -> dict[str, str]:
    """Of the address that a redirect points to."""
    assert response.status_code in (302, 303), f"{response.status_code}: {response.text[:500]}"
    query = parse_qs(urlsplit(response.headers["location"]).query)
    return {name: values[0] for name, values in query.items()}


class Oidc:
    """One issuer, seen through its discovery document."""

    def __init__(self, http: httpx.AsyncClient, about: Mapping[str, Any]) -> None:
        self.http = http
        self.about = about

    async def token(self, **form: str) -> httpx.Response:
        return await self.http.post(self.about["token_endpoint"], data=form)

    async def password(self, username: str, password: str = PASSWORD, **more: str) -> httpx.Response:
        form = {"grant_type": "password", "client_id": "harness", "username": username, "password": password, **more}
        return await self.token(**form)

    async def ask(self, **changed: str | None) -> httpx.Response:
        """An authorization request by the workbench; None leaves a parameter out."""
        wanted: dict[str, str | None] = {
            "client_id": "workbench",
            "redirect_uri": CALLBACK,
            "response_type": "code",
            "scope": "openid",
            "state": "a-state",
            "nonce": "a-nonce",
            "code_challenge": challenge(),
            "code_challenge_method": "S256",
            **changed,
        }
        sent = {name: value for name, value in wanted.items() if value is not None}
        return await self.http.get(self.about["authorization_endpoint"], params=sent)

    async def sign_in(self, username: str, password: str = PASSWORD, **changed: str | None) -> httpx.Response:
        form = login_form(await self.ask(**changed))
        return await self.http.post(form.action, data=form.filled(username=username, password=password))

    async def redeem(self, code: str, **changed: str) -> httpx.Response:
        form = {
            "grant_type": "authorization_code",
            "client_id": "workbench",
            "redirect_uri": CALLBACK,
            "code": code,
            "code_verifier": VERIFIER,
            **changed,
        }
        return await self.token(**form)


async def oidc(http: httpx.AsyncClient, issuer: str) -> Oidc:
    about = await http.get(f"{issuer}/.well-known/openid-configuration")
    assert about.status_code == 200, about.text
    return Oidc(http, about.json())
