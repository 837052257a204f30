"""Keycloak as the stack's issuer: its keys are rotated by its own administration, and one name is in every token."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt
import pytest
from tests.compose.conftest import Company
from tests.support.office import Office
from tests.support.rotation import keys_are_rotated_without_a_restart
from tests.support.signing_in import PASSWORD

OF_KEYS = "org.keycloak.keys.KeyProvider"


@dataclass
class Administrator:
    """Keycloak's, through its admin REST API."""

    base: str
    http: httpx.AsyncClient
    made: int = field(default=0)

    async def new_key(self) -> None:
        """A new provider of keys with a priority above all others."""
        self.made += 1
        config = {"priority": [str(1000 + self.made)], "algorithm": ["RS256"], "keySize": ["2048"]}
        provider = {"name": f"rotation-{self.made}", "providerId": "rsa-generated", "providerType": OF_KEYS}
        answer = await self._ask("POST", "/components", json={**provider, "config": config})
        assert answer.status_code == 201, answer.text

    async def withdraw_old_keys(self) -> None:
        """Each other provider of signatures by RS256 is disabled: its key leaves the published set."""
        for provider in (await self._ask("GET", "/components", params={"type": OF_KEYS})).json():
            if provider["providerId"] == "rsa-generated" and provider["name"] != f"rotation-{self.made}":
                changed = {**provider, "config": {**provider["config"], "enabled": ["false"], "active": ["false"]}}
                answer = await self._ask("PUT", f"/components/{provider['id']}", json=changed)
                assert answer.status_code == 204, answer.text

    async def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        form = {"grant_type": "password", "client_id": "admin-cli"}
        form |= {"username": "admin", "password": "loopback-keycloak-admin"}
        answer = await self.http.post(f"{self.base}/realms/master/protocol/openid-connect/token", data=form)
        assert answer.status_code == 200, answer.text
        headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        return await self.http.request(method, f"{self.base}/admin/realms/deskworld{path}", headers=headers, **options)


@pytest.fixture
async def office(company: Company) -> AsyncIterator[Office]:
    async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
        yield Office(company.stack, http)


async def test_keycloaks_keys_are_rotated_without_a_restart(office: Office) -> None:
    base = office.stack["issuer"].removesuffix("/realms/deskworld")
    await keys_are_rotated_without_a_restart(office, Administrator(base, office.http))


SIGN_IN = """
import json, urllib.parse, urllib.request

def ask(url, form=None, token=None):
    data = urllib.parse.urlencode(form).encode() if form else None
    headers = {"Authorization": "Bearer " + token} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=15) as answer:
        return answer.status, json.load(answer)

_, about = ask("http://identity:8080/realms/deskworld/.well-known/openid-configuration")
form = {"grant_type": "password", "client_id": "harness", "username": "anna.keller", "password": "PASSWORD"}
_, given = ask(about["token_endpoint"], form)
token = given["access_token"]
asked = {"desk": "http://desk-office:8102/worklist", "ERP": "http://erp-office:8100/match-exceptions?limit=1"}
doors = {name: ask(url, token=token)[0] for name, url in asked.items()}
print(json.dumps({"about": about, "token": token, "doors": doors}))
"""


async def test_one_issuer_stands_in_every_token_whether_asked_for_inside_or_outside(
    company: Company, office: Office
) -> None:
    inside = company.visit("office", SIGN_IN.replace("PASSWORD", PASSWORD))
    outside: Mapping[str, Any] = (
        await office.http.get(f"{office.stack['issuer']}/.well-known/openid-configuration")
    ).json()
    token = await office.sign_in("anna.keller")
    issuers = {inside["about"]["issuer"], outside["issuer"], _issuer(inside["token"]), _issuer(token)}
    assert issuers == {office.stack["issuer"]}
    assert inside["doors"] == {"desk": 200, "ERP": 200}
    for name in ("authorization_endpoint", "end_session_endpoint"):
        assert inside["about"][name] == outside[name], "a browser outside is sent where it can go"
        assert outside[name].startswith(office.stack["issuer"])
    assert inside["about"]["token_endpoint"].startswith("http://identity:8080/"), "a service inside asks inside"
    for door in ("desk", "erp"):
        path = "/worklist" if door == "desk" else "/match-exceptions?limit=1"
        assert (await office.ask(door, "GET", path, inside["token"])).status_code == 200
        assert (await office.ask(door, "GET", path, token)).status_code == 200


def _issuer(token: str) -> str:
    return str(jwt.decode(token, options={"verify_signature": False})["iss"])
