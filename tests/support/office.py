"""A stack as its people and its stage see it: situations are seeded, decisions awaited, and doors asked."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from httpx_sse import aconnect_sse
from tests.support.desk import situation
from tests.support.signing_in import PASSWORD
from tests.support.stack import Stack

from deskworld_kit import clock
from deskworld_kit.ids import new_id

WITHIN = 60.0
Row = dict[str, Any]


@dataclass
class Office:
    stack: Stack
    http: httpx.AsyncClient
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def token_url(self) -> str:
        return f"{self.stack['issuer']}/protocol/openid-connect/token"

    async def sign_in(self, username: str) -> str:
        """A new token, from now on this person's."""
        form = {"grant_type": "password", "client_id": "harness", "username": username, "password": PASSWORD}
        answer = await self.http.post(self.token_url, data=form)
        assert answer.status_code == 200, answer.text
        self.tokens[username] = str(answer.json()["access_token"])
        return self.tokens[username]

    async def agent_token(self) -> str:
        secret = self.stack["secrets"]["agent_client"]
        form = {"grant_type": "client_credentials", "client_id": "agent", "client_secret": secret}
        answer = await self.http.post(self.token_url, data=form)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    async def ask(self, door: str, method: str, path: str, token: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        return await self.http.request(method, self.stack[door] + path, headers=headers, **options)

    async def stage(self, door: str, method: str, path: str, **options: Any) -> httpx.Response:
        return await self.ask(door, method, path, self.stack["secrets"][door], **options)

    async def seed(self, *, vendor_name: str = "Muster AG", rules: str = "on", **changes: Any) -> "Case":
        vendor_id = new_id()
        told_first = await self.stage("desk_stage", "PUT", f"/stage/vendors/{vendor_id}/rules", json={"rules": rules})
        assert told_first.status_code == 204, told_first.text
        told = situation(vendor_id, **changes)
        told["vendor"]["name"] = vendor_name
        answer = await self.stage("erp_stage", "POST", "/stage/situations", json=told)
        assert answer.status_code == 201, answer.text
        return Case(self, vendor_id, str(answer.json()["exceptions"][0]["id"]))


@dataclass(frozen=True)
class Case:
    office: Office
    vendor_id: str
    case_id: str

    async def rows(self) -> list[Row]:
        answer = await self.office.stage("desk_stage", "GET", f"/stage/vendors/{self.vendor_id}/evidence")
        assert answer.status_code == 200, answer.text
        found = [one for one in answer.json()["cases"] if one["view"]["case_id"] == self.case_id]
        rows: list[Row] = found[0]["timeline"] if found else []
        return rows

    async def until(self, kind: str, *, within: float = WITHIN) -> Row:
        """The first row of this kind; heard on the stream, after what there is already."""
        return (await self.until_rows(kind, lambda rows: any(row["kind"] == kind for row in rows), within=within))[kind]

    async def until_rows(self, what: str, found: Callable[[list[Row]], bool], *, within: float) -> Mapping[str, Row]:
        """The rows by kind, the last of each, once `found` holds of them."""
        deadline = clock.monotonic() + within
        url, secret = self.office.stack["desk_stage"], self.office.stack["secrets"]["desk_stage"]
        timeout = httpx.Timeout(10, read=20)
        async with (
            httpx.AsyncClient(base_url=url, timeout=timeout, trust_env=False) as http,
            aconnect_sse(http, "GET", "/stage/stream", headers={"Authorization": f"Bearer {secret}"}) as source,
        ):
            async for _ in source.aiter_sse():
                rows = await self.rows()
                if found(rows):
                    return {row["kind"]: row for row in rows}
                said = json.dumps(rows[-2:])
                assert clock.monotonic() < deadline, f"awaited {what} for {within} s; last seen: {said}"
        raise AssertionError(f"the stream ended while {what} was awaited")

    async def decide(self, username: str, verdict: str = "approve") -> Row:
        """Says it with the token that this person has, and answers what became of it."""
        asked = await self.until("decision.requested")
        path = f"/decisions/{asked['data']['decision_id']}"
        token = self.office.tokens[username]
        answer = await self.office.ask("desk", "POST", path, token, json={"verdict": verdict}, timeout=60)
        assert answer.status_code == 200, answer.text
        said: Row = answer.json()
        return said

    async def witness(self) -> Row:
        answer = await self.office.stage("erp_stage", "GET", "/stage/witness", params={"vendor_id": self.vendor_id})
        found: Row = answer.json()
        return found
