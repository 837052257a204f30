"""The workbench's API over a desk inside this process. A token is the name of the person who has it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import httpx
import pytest_asyncio
from fastapi import FastAPI
from jsonschema_rs import Draft202012Validator
from starlette.applications import Starlette
from starlette.routing import compile_path
from tests.support.desk_inside import ROLES, Inside, person

from deskworld_desk.workbench.app import office
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

Json = dict[str, Any]


class Names:
    """A verifier that believes whoever says who they are."""

    async def verify(self, token: str) -> Principal:
        if token not in ROLES:
            raise Problem(401, "UNAUTHENTICATED", f"nobody is {token}")
        return person(token)


@dataclass(frozen=True)
class Api:
    """What comes back is what the door's own description declares, or the test fails."""

    app: FastAPI
    http: httpx.AsyncClient

    async def ask(self, method: str, path: str, *, by: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {by}", **options.pop("headers", {})}
        answer = await self.http.request(method, path, headers=headers, **options)
        self._declared(method, path.partition("?")[0], answer)
        return answer

    async def get(self, path: str, *, by: str = "kira.stone", **options: Any) -> Json:
        answer = await self.ask("GET", path, by=by, **options)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def post(self, path: str, *, by: str, **body: Any) -> httpx.Response:
        return await self.ask("POST", path, by=by, json=body)

    async def refused(self, status: int, code: str, path: str, *, by: str, **body: Any) -> Json:
        """The problem's values."""
        answer = await self.post(path, by=by, **body)
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
        return dict(answer.json()["values"])

    def _declared(self, method: str, path: str, answer: httpx.Response) -> None:
        document = self.app.openapi()
        template = next(one for one in document["paths"] if compile_path(one)[0].match(path))
        declared = document["paths"][template][method.lower()]["responses"]
        assert str(answer.status_code) in declared, f"{method} {template} does not declare {answer.status_code}"
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        content = declared[str(answer.status_code)].get("content", {})
        if answer.content:
            whole = {**content[media_type]["schema"], "components": document["components"]}
            Draft202012Validator(whole).validate(answer.json())


@asynccontextmanager
async def api_of(core: Inside) -> AsyncIterator[Api]:
    async def well() -> dict[str, str]:
        return {"database": "ok"}

    verifier: Any = Names()
    app = office(core.desk, verifier, "secret", well, Starlette())
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://desk.test") as http:
        yield Api(app, http)


def described_office() -> Json:
    """What the door says of itself, without a desk behind it."""

    async def well() -> dict[str, str]:
        return {}

    desk: Any = SimpleNamespace(worlds={"ap": SimpleNamespace(hear=None)})
    nobody: Any = None
    return office(desk, nobody, "secret", well, Starlette()).openapi()


@pytest_asyncio.fixture(scope="module")
async def api(core: Inside) -> AsyncIterator[Api]:
    async with api_of(core) as door:
        yield door


async def asked_decision(core: Inside) -> tuple[str, str]:
    """A case, and the decision that anna.keller is asked for."""
    case_id = str((await core.opened())["exception_id"])
    return case_id, str((await core.asked(case_id))["decision_id"])
