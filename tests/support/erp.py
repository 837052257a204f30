"""An ERP over a real Postgres, in this process: both doors, signed tokens, and whoever receives its events."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest_asyncio
from asyncpg.exceptions import PostgresError
from fastapi import FastAPI, Request, Response
from tests.support.kit import Issuer

from deskworld_embedded.postgres.binaries import binaries
from deskworld_embedded.scratch import scratch
from deskworld_erp.app import office
from deskworld_erp.erp import Erp
from deskworld_erp.invoicing.tolerances import load_tolerances
from deskworld_erp.migrate import migrate
from deskworld_erp.stage_door import stage
from deskworld_kit import webhooks
from deskworld_kit.clock import monotonic, now, pause
from deskworld_kit.database import database
from deskworld_kit.dispatcher import Receiver
from deskworld_kit.dispatchers import Dispatchers
from deskworld_kit.gate import Backoff
from deskworld_kit.ids import new_id
from deskworld_kit.lending import LeanEngine
from deskworld_kit.rates import Rates

_connect: Any = asyncpg.connect  # it has no types
STAGE_SECRET = "stage-secret-of-the-tests"
WEBHOOK_SECRET = "webhook-secret-of-the-tests"
ROLES = {
    "anna.keller": "buyer",
    "bruno.costa": "buyer",
    "emma.lind": "clerk",
    "felix.moreau": "clerk",
    "grace.hall": "ap-manager",
    "hugo.silva": "ap-manager",
    "ines.vogel": "controller",
    "jonas.weber": "controller",
    "kira.stone": "auditor",
}


@contextmanager
def postgres() -> Iterator[Path]:
    """A server of its own; gives the folder of its socket."""
    programs = binaries(scratch())
    user: dict[str, Any] = {} if programs.user is None else {"user": programs.user.uid, "group": programs.user.gid}
    home = Path(tempfile.mkdtemp(prefix="erp-pg-"))
    try:
        if programs.user is not None:
            os.chown(home, programs.user.uid, programs.user.gid)
        quiet: dict[str, Any] = {"cwd": home, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **user}
        initdb = [programs.program("initdb"), "-D", str(home / "data"), "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run([*initdb, "-E", "UTF8", "--locale=C"], check=True, timeout=60, **quiet)
        options = {"fsync": "off", "full_page_writes": "off", "listen_addresses": "", "max_connections": "120"}
        flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        server = [programs.program("postgres"), "-D", str(home / "data"), "-k", str(home), *flags]
        log = (home / "server.log").open("wb")
        running = subprocess.Popen(server, stderr=log, **quiet)
        try:
            yield home
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(20)
            log.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)


async def until_it_answers(home: Path, *, within: float = 20.0) -> None:
    deadline = monotonic() + within
    seen: str | None = "nothing yet"
    while monotonic() < deadline:
        seen = await _refusal(home)
        if seen is None:
            return
        await pause(0.02)
    raise AssertionError(f"Postgres in {home} took no connection within {within} s; last seen: {seen}")


async def _refusal(home: Path) -> str | None:
    try:
        connection = await _connect(host=str(home), user="postgres", database="postgres")
    except (OSError, PostgresError) as error:
        return repr(error)
    await connection.close()
    return None


async def run_sql(home: Path, *statements: str, database_name: str = "postgres") -> None:
    connection = await _connect(host=str(home), user="postgres", database=database_name)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@dataclass
class Desk:
    """Receives the events, and keeps what it took; it can be made to refuse."""

    taken: list[dict[str, Any]] = field(default_factory=list)
    refuse: int = 0
    refused: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/hooks/erp")
        async def take(request: Request) -> Response:
            body = await request.body()
            event_id = webhooks.verify(WEBHOOK_SECRET, request.headers, body, now())
            if self.refuse:
                self.refuse -= 1
                self.refused += 1
                return Response(status_code=503)
            event = json.loads(body)
            assert event["id"] == event_id
            assert request.headers["content-type"] == "application/cloudevents+json"
            self.taken.append(event)
            self.arrived.set()
            return Response(status_code=202)

        return app

    def of(self, vendor_id: str) -> list[dict[str, Any]]:
        return [event for event in self.taken if event["data"].get("vendor_id") == vendor_id]

    async def until(self, vendor_id: str, count: int, *, within: float = 10.0) -> list[dict[str, Any]]:
        """The vendor's events, once there are `count` of them."""
        deadline = monotonic() + within
        while len(self.of(vendor_id)) < count:
            self.arrived.clear()
            try:
                await asyncio.wait_for(self.arrived.wait(), max(0.01, deadline - monotonic()))
            except TimeoutError:
                seen = [event["type"] for event in self.of(vendor_id)]
                raise AssertionError(f"awaited {count} events for {within} s; last seen: {seen}") from None
        return self.of(vendor_id)


@dataclass
class RunningErp:
    erp: Erp
    issuer: Issuer
    office: httpx.AsyncClient
    stage: httpx.AsyncClient
    desk: Desk
    home: Path
    database_name: str

    def headers(self, username: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(username)}"}

    def token(self, username: str) -> str:
        if username == "desk":
            return self.issuer.token(sub="sub-desk", azp="desk", preferred_username="service-account-desk",
                                     realm_access={"roles": []}, aud="erp")  # fmt: skip
        roles = {"roles": [ROLES[username]]}
        return self.issuer.token(sub=f"sub-{username}", preferred_username=username, realm_access=roles)

    async def get(self, path: str, *, by: str = "desk") -> Any:
        answer = await self.office.get(path, headers=self.headers(by))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def send(self, action: str, invoice: dict[str, Any], *, by: str, key: str | None = None, **body: Any) -> Any:
        content = {"expected_version": invoice["version"], **body}
        headers = {**self.headers(by), "Idempotency-Key": key or new_id()}
        return await self.office.post(f"/invoices/{invoice['id']}/{action}", json=content, headers=headers)

    async def post(self, path: str, *, by: str, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {**self.headers(by), "Idempotency-Key": key or new_id()}
        return await self.office.post(path, json=body, headers=headers)

    async def seed(self, situation: dict[str, Any]) -> "Seeded":
        answer = await self.stage.post("/stage/situations", json=situation)
        assert answer.status_code == 201, answer.text
        return Seeded(self, answer.json())

    async def goods(self, po_number: str, quantity: str, *, by: str = "emma.lind", rejected: str = "0") -> Any:
        line = {"line": 1, "quantity": quantity, "rejected": rejected}
        body = {"po_number": po_number, "date": "2026-03-20", "lines": [line]}
        key = {"Idempotency-Key": new_id()}
        answer = await self.stage.post(f"/stage/as/{by}/goods-receipts", json=body, headers=key)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def witness(self, vendor_id: str) -> Any:
        answer = await self.stage.get("/stage/witness", params={"vendor_id": vendor_id})
        assert answer.status_code == 200, answer.text
        return answer.json()


@dataclass
class Seeded:
    running: RunningErp
    answer: dict[str, Any]

    @property
    def vendor_id(self) -> str:
        return str(self.answer["vendor_id"])

    @property
    def reasons(self) -> list[str]:
        return [one["reason"] for one in self.answer["exceptions"]]

    def record(self, ref: str) -> dict[str, Any]:
        found: dict[str, Any] = self.answer["records"][ref]
        return found

    def exception(self, reason: str) -> str:
        return str(next(one["id"] for one in self.answer["exceptions"] if one["reason"] == reason))

    async def invoice(self, ref: str = "invoice") -> dict[str, Any]:
        found: dict[str, Any] = await self.running.get(f"/invoices/{self.record(ref)['id']}")
        return found

    async def order(self, ref: str = "order") -> dict[str, Any]:
        found: dict[str, Any] = await self.running.get(f"/purchase-orders/{self.record(ref)['number']}")
        return found


def line(**changes: Any) -> dict[str, Any]:
    plain = {"po_line": 1, "item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100.000"}
    return plain | {"price": "10.00"} | changes


def invoice(ref: str = "invoice", **changes: Any) -> dict[str, Any]:
    """`po_reference` stays to be filled by `situation` unless it is given."""
    plain = {"ref": ref, "number": f"INV-{new_id()[-6:]}", "date": "2026-03-10", "currency": "USD", "lines": [line()]}
    return plain | {"tax": "0.00", "freight": "0.00", "stated_total": None} | changes


def situation(
    *invoices: dict[str, Any], received: str | None = "100.000", order: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """100 @ 10.00 ordered by Anna; by default all is received; an invoice cites the order unless it says otherwise."""
    number = f"PO-{new_id()[-12:]}"
    ordered = {name: value for name, value in line().items() if name != "po_line"}
    plain = {"ref": "order", "number": number, "buyer": "anna.keller", "currency": "USD", "date": "2026-03-01"}
    receipt = {"ref": "receipt", "order": "order", "date": "2026-03-05", "lines": [{"line": 1, "quantity": received}]}
    contact = {"name": "Ada", "phone": "+41 44 000 00 00", "mail": "ap@v.vendors.deskworld.example"}
    vendor = {
        "id": new_id(),
        "name": "Muster AG",
        "terms": "net 30",
        "contacts": [contact | {"trusted_since": "2024-01-01"}],
        "bank_accounts": [{"account": "CH11", "routing": "0001", "status": "ACTIVE"}],
    }
    return {
        "vendor": vendor,
        "orders": [plain | {"lines": [ordered]} | (order or {})],
        "receipts": [] if received is None else [receipt],
        "invoices": [{"po_reference": number, **one} for one in invoices],
        "bank_changes": [],
    } | changes


BANK_CHANGE = {
    "ref": "change",
    "account": "CH99",
    "routing": "0002",
    "requested_from": "ap@look-alike.outside.example",
    "proposed_by": "emma.lind",
}


@asynccontextmanager
async def running(
    home: Path, name: str, *, enforce: bool = True, backoff: Backoff | None = None, rates: Rates | None = None
) -> AsyncIterator[RunningErp]:
    """Both doors on a migrated database, as the service's own role, with its dispatcher."""
    url = f"postgresql+asyncpg://erp_service@/{name}?host={home}"
    desk, issuer, tolerances = Desk(), Issuer(), load_tolerances()
    async with AsyncExitStack() as stack:
        lent = LeanEngine.of(database(url).engine)
        stack.push_async_callback(lent.dispose)
        receiving = httpx.ASGITransport(app=desk.app())
        dispatchers = Dispatchers(
            dsn=url,
            http=lambda: httpx.AsyncClient(mounts={"http://desk": receiving}, trust_env=False),
            seed="7",
            configured=Receiver("webhook", "http://desk/hooks/erp", WEBHOOK_SECRET),
            backoff=backoff or Backoff(first=0.01, most=0.05, attempts=6),
        )
        sending = asyncio.create_task(dispatchers.run())
        stack.push_async_callback(_end, sending)
        erp = Erp(lent, tolerances.values, tolerances.digest, enforce, dispatchers, rates=rates)
        doors = (office(erp, issuer.verifier()), stage(erp, STAGE_SECRET))
        clients = [httpx.AsyncClient(transport=httpx.ASGITransport(app=door), base_url="http://erp") for door in doors]
        for client in clients:
            await stack.enter_async_context(client)
        clients[1].headers["Authorization"] = f"Bearer {STAGE_SECRET}"
        yield RunningErp(erp, issuer, clients[0], clients[1], desk, home, name)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def new_database(home: Path, name: str) -> None:
    """Migrated: the server's first one by our migrations, later ones as copies of that."""
    connection = await _connect(host=str(home), user="postgres", database="postgres")
    try:
        if await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = 'migrated'") is None:
            await connection.execute("CREATE DATABASE migrated")
            await migrate(f"postgresql://postgres@/migrated?host={home}")
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE migrated")
    finally:
        await connection.close()


@pytest_asyncio.fixture(scope="session")
async def erp_postgres() -> AsyncIterator[Path]:
    with postgres() as home:
        await until_it_answers(home)
        await run_sql(home, "CREATE ROLE erp_service LOGIN")
        await new_database(home, "erp")
        yield home


@pytest_asyncio.fixture(scope="session")
async def erp(erp_postgres: Path) -> AsyncIterator[RunningErp]:
    async with running(erp_postgres, "erp") as found:
        yield found
