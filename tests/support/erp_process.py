"""The ERP as a process of its own that can be killed, with an issuer and a receiver of its events in this process."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import jwt
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from tests.support.desk import Service
from tests.support.erp import ROLES, STAGE_SECRET, WEBHOOK_SECRET, new_database, postgres, run_sql, until_it_answers
from tests.support.kit import NAME, Issuer, key
from tests.support.served import served
from tests.support.servers import LOOPBACK, free_ports

from deskworld_kit import webhooks
from deskworld_kit.clock import now
from deskworld_kit.ids import new_id

connect: Any = asyncpg.connect  # it has no types
STARTED_WITHIN = 300.0


@dataclass
class Recorder:
    """Takes events over a socket, in the order of their arrival; it can keep one in hand without an answer."""

    arrivals: list[str] = field(default_factory=list)
    hold_next: bool = False
    in_hand: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/in")
        async def take(request: Request) -> Response:
            body = await request.body()
            event_id = webhooks.verify(WEBHOOK_SECRET, request.headers, body, now())
            assert json.loads(body)["id"] == event_id
            self.arrivals.append(event_id)
            if self.hold_next:
                self.hold_next = False
                self.in_hand.set()
                await self.let_go.wait()
            return Response(status_code=202)

        return app


@dataclass
class ErpProcess:
    service: Service
    issuer: Issuer
    recorder: Recorder
    http: httpx.AsyncClient
    home: Path
    watching: Any
    """A connection as the database's owner, beside the ERP."""

    def token(self, username: str) -> str:
        roles = {"roles": [ROLES[username]]}
        return self.issuer.token(sub=f"sub-{username}", preferred_username=username, realm_access=roles, lives=7200)

    async def get(self, path: str, *, by: str = "kira.stone") -> Any:
        """Raises httpx.HTTPError while the ERP is away."""
        headers = {"Authorization": f"Bearer {self.token(by)}"}
        answer = await self.http.get(self.service.url("office") + path, headers=headers)
        answer.raise_for_status()
        return answer.json()

    async def post(self, path: str, *, by: str, key: str | None = None, **body: Any) -> httpx.Response:
        """Raises httpx.HTTPError while the ERP is away."""
        headers = {"Authorization": f"Bearer {self.token(by)}", "Idempotency-Key": key or new_id()}
        return await self.http.post(self.service.url("office") + path, json=body, headers=headers)

    async def stage(self, method: str, path: str, **said: Any) -> Any:
        headers = {"Authorization": f"Bearer {STAGE_SECRET}"}
        url = f"{self.service.url('stage')}/stage{path}"
        answer = await self.http.request(method, url, headers=headers, **said)
        assert answer.is_success, answer.text
        return answer.json()

    async def restart(self) -> None:
        await asyncio.to_thread(self.service.start, within=STARTED_WITHIN)


def _keys(issuer: Issuer) -> FastAPI:
    app = FastAPI()

    @app.get("/certs")
    async def certs() -> JSONResponse:
        public = [jwt.algorithms.RSAAlgorithm.to_jwk(key(kid).public_key(), as_dict=True) for kid in issuer.kids]
        return JSONResponse(
            {"keys": [{**one, "kid": kid, "use": "sig"} for one, kid in zip(public, issuer.kids, strict=True)]}
        )

    return app


@asynccontextmanager
async def erp_process(**settings: str) -> AsyncIterator[ErpProcess]:
    """Started, with a database of its own; ended and removed at the end."""
    issuer, recorder = Issuer(), Recorder()
    async with AsyncExitStack() as stack:
        home = stack.enter_context(postgres())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="erp-process-")))
        await until_it_answers(home)
        await run_sql(home, "CREATE ROLE erp_service LOGIN")
        await new_database(home, "erp")
        keys = await stack.enter_async_context(served(_keys(issuer)))
        receiver = await stack.enter_async_context(served(recorder.app()))
        stack.callback(recorder.let_go.set)
        office_port, stage_port = free_ports(2)
        environment = {
            "ERP_DATABASE_URL": f"postgresql+asyncpg://erp_service@/erp?host={home}",
            "ERP_OIDC_ISSUER": NAME,
            "ERP_OIDC_JWKS_URL": f"{keys}/certs",
            "ERP_OFFICE_BIND": f"{LOOPBACK}:{office_port}",
            "ERP_STAGE_BIND": f"{LOOPBACK}:{stage_port}",
            "ERP_STAGE_SECRET": STAGE_SECRET,
            "ERP_WEBHOOK_URL": f"{receiver}/in",
            "ERP_WEBHOOK_SECRET": WEBHOOK_SECRET,
            **settings,
        }
        service = Service(
            "deskworld_erp", {"office": office_port, "stage": stage_port}, environment, folder / "erp.log"
        )
        stack.callback(service.stop)
        await asyncio.to_thread(service.start, within=STARTED_WITHIN)
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=30, trust_env=False))
        watching = await connect(host=str(home), user="postgres", database="erp")
        stack.push_async_callback(watching.close)
        yield ErpProcess(service, issuer, recorder, http, home, watching)
