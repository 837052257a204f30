"""A small company of real programs: Postgres, mail, identity, policy, ERP and desk. Each can be killed."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest_asyncio
from httpx_sse import aconnect_sse
from tests.support.erp import new_database, postgres, run_sql, until_it_answers
from tests.support.servers import (
    LOOPBACK,
    ROOT,
    StandIn,
    free_ports,
    identity_server,
    issuer_of,
    mail_doors,
    mail_server,
    policy_server,
)
from tests.support.servers import running as stand_ins_running

from deskworld_desk.migrate import migrate as migrate_desk
from deskworld_kit import clock
from deskworld_kit.ids import new_id

STAGE = "stage-secret-of-the-tests"
WEBHOOK = "webhook-secret-of-the-tests"
WITHIN = 30.0
START_WITHIN = 60.0
MAIL_SIZE_LIMIT = 1024 * 1024
Row = dict[str, Any]


class Service:
    """A service of ours in a process of its own, on the same ports at every start."""

    def __init__(self, module: str, doors: Mapping[str, int], settings: Mapping[str, str], log: Path) -> None:
        self.module = module
        self.doors = doors
        self._settings = settings
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, door: str) -> str:
        return f"http://{LOOPBACK}:{self.doors[door]}"

    def start(self, *, within: float = START_WITHIN) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                cwd=ROOT,
                env={**os.environ, **self._settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = clock.monotonic() + within
        pause = select.poll()  # with nothing to poll it is a pause of milliseconds
        with httpx.Client(timeout=2, trust_env=False, verify=False) as http:
            while seen := [said for door in self.doors if (said := _unwell(http, self.url(door)))]:
                assert self._process.poll() is None, f"{self.module} ended: {self.log()}"
                awaited = f"{self.module}: awaited health for {within} s; last seen {seen}"
                assert clock.monotonic() < deadline, f"{awaited}: {self.log()}"
                pause.poll(50)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGTERM)

    def log(self) -> str:
        return self._log.read_text()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(15)


def _unwell(http: httpx.Client, url: str) -> str | None:
    """None when the door says that it is well."""
    try:
        answer = http.get(f"{url}/health")
    except httpx.HTTPError as error:
        return f"{url}: {error!r}"
    return None if answer.status_code == 200 else f"{url}: {answer.text}"


@dataclass
class Company:
    erp: Service
    desk: Service
    policy: StandIn
    mail: StandIn
    issuer: str
    home: Path
    http: httpx.AsyncClient
    identity: StandIn
    _tokens: dict[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def mail_doors(self) -> dict[str, Any]:
        return mail_doors(self.mail)

    async def token(self, username: str) -> str:
        token, until = self._tokens.get(username, ("", 0.0))
        if clock.monotonic() >= until:
            form = {"grant_type": "password", "client_id": "harness", "username": username, "password": PASSWORD}
            answer = await self.http.post(f"{self.issuer}/protocol/openid-connect/token", data=form)
            assert answer.status_code == 200, answer.text
            # a session of tests may outlast a token
            token, until = str(answer.json()["access_token"]), clock.monotonic() + answer.json()["expires_in"] / 2
            self._tokens[username] = token, until
        return token

    async def agent_token(self) -> str:
        form = {"grant_type": "client_credentials", "client_id": "agent", "client_secret": "agent-loopback-secret"}
        answer = await self.http.post(f"{self.issuer}/protocol/openid-connect/token", data=form)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    async def ask(self, door: str, method: str, path: str, *, by: str = STAGE, **options: Any) -> httpx.Response:
        """`door`: erp-stage, desk-stage, desk, agent. `by`: a person, or a token as it is."""
        service, _, which = {"erp-stage": (self.erp, 0, "stage"), "desk-stage": (self.desk, 0, "stage"),
                             "desk": (self.desk, 0, "office"), "agent": (self.desk, 0, "agent")}[door]  # fmt: skip
        token = await self.token(by) if by.count(".") == 1 else by
        headers = {"Authorization": f"Bearer {token}", **options.pop("headers", {})}
        return await self.http.request(method, service.url(which) + path, headers=headers, **options)

    async def seed(self, *, rules: str = "on", **changes: Any) -> "Seeded":
        vendor_id = new_id()
        told = await self.ask("desk-stage", "PUT", f"/stage/vendors/{vendor_id}/rules", json={"rules": rules})
        assert told.status_code == 204, told.text
        answer = await self.ask("erp-stage", "POST", "/stage/situations", json=situation(vendor_id, **changes))
        assert answer.status_code == 201, answer.text
        return Seeded(self, vendor_id, answer.json())

    async def decide(self, decision_id: str, by: str, **said: Any) -> httpx.Response:
        return await self.ask("desk", "POST", f"/decisions/{decision_id}", by=by, json=said, timeout=60)

    async def view(self, case_id: str, by: str = "kira.stone") -> Row:
        return dict((await self.ask("desk", "GET", f"/cases/{case_id}", by=by)).json())


@dataclass
class Seeded:
    company: Company
    vendor_id: str
    answer: dict[str, Any]

    @property
    def case_id(self) -> str:
        return str(self.answer["exceptions"][0]["id"])

    def record(self, ref: str) -> dict[str, Any]:
        return dict(self.answer["records"][ref])

    async def evidence(self) -> dict[str, Any]:
        answer = await self.company.ask("desk-stage", "GET", f"/stage/vendors/{self.vendor_id}/evidence")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def rows(self, kind: str | None = None) -> list[Row]:
        found = next((one for one in (await self.evidence())["cases"] if one["view"]["case_id"] == self.case_id), None)
        rows: list[Row] = [] if found is None else found["timeline"]
        return [row for row in rows if kind is None or row["kind"] == kind]

    async def witness(self) -> dict[str, Any]:
        answer = await self.company.ask("erp-stage", "GET", "/stage/witness", params={"vendor_id": self.vendor_id})
        return dict(answer.json())

    async def invoice(self, ref: str = "invoice") -> dict[str, Any]:
        wanted = self.record(ref)["id"]
        return next(one for one in (await self.witness())["invoices"] if one["id"] == wanted)

    async def until(
        self, what: str, found: Callable[[Row, list[Row]], bool], *, within: float = WITHIN
    ) -> tuple[Row, list[Row]]:
        """The case's view and rows, once `found` holds of them. Heard on the stream, after what there is already."""
        view: Row | None = None
        try:
            async with asyncio.timeout(within), heard(self.company) as stream:
                while True:
                    cases = (await self.evidence())["cases"]
                    case = next((one for one in cases if one["view"]["case_id"] == self.case_id), None)
                    if case is not None:
                        view = case["view"]
                        if found(view, case["timeline"]):
                            return view, case["timeline"]
                    await anext(stream)
        except TimeoutError:
            raise AssertionError(
                f"awaited {what} for {within} s; last seen: {view}; {self.company.desk.log()[-1500:]}"
            ) from None

    async def until_asked(self, count: int = 1) -> Row:
        """The `count`-th decision that was asked for."""

        def asked(_: Row, rows: list[Row]) -> bool:
            return len(of(rows, "decision.requested")) >= count

        _, rows = await self.until(f"decision {count}", asked)
        return dict(of(rows, "decision.requested")[count - 1]["data"])

    async def until_state(self, state: str) -> tuple[Row, list[Row]]:
        return await self.until(state, lambda view, _: view["state"] == state and view["in_motion"] == [])


def of(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


@asynccontextmanager
async def heard(company: Company, after: int | None = None) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    """The stage stream: (event, data), from now on or after a cursor."""
    query = {} if after is None else {"after": str(after)}
    headers = {"Authorization": f"Bearer {STAGE}"}
    async with (
        httpx.AsyncClient(
            base_url=company.desk.url("stage"), timeout=httpx.Timeout(10, read=40), trust_env=False
        ) as http,
        aconnect_sse(http, "GET", "/stage/stream", params=query, headers=headers) as source,
    ):
        assert source.response.status_code == 200

        async def events() -> AsyncIterator[tuple[str, Any]]:
            async for event in source.aiter_sse():
                yield event.event, json.loads(event.data)

        stream = events()
        assert (await anext(stream))[0] == "hello"
        yield stream


def situation(
    vendor_id: str,
    *,
    price: str = "10.40",
    received: str | None = "100",
    po_reference: str | None = "order",
    earlier: bool = False,
    bank_change: bool = False,
    item: str = "BOLT-M8",
    buyer: str = "anna.keller",
    contact: str | None = None,
) -> dict[str, Any]:
    """100 bolts at 10.00, received in full and billed at 10.40: a price variance of 4 %."""
    tag = vendor_id[-12:].upper()
    number = f"PO-{tag}"
    line = {"item": "BOLT-M8", "description": "Hex bolts", "unit": "EA", "quantity": "100", "price": "10.00"}
    named = number if po_reference == "order" else po_reference
    billed = line | {"po_line": 1 if named == number else None, "price": price, "item": item}
    document = {"date": "2026-03-20", "currency": "USD", "tax": "0.00", "freight": "0.00", "stated_total": None,
                "po_reference": named, "lines": [billed]}  # fmt: skip
    original = document | {"ref": "original", "number": "INV-00734", "settled": "APPROVED",
                           "lines": [billed | {"price": "10.00"}]}  # fmt: skip
    invoice = document | {"ref": "invoice", "number": "INV 734" if earlier else f"INV-{tag}"}
    change = {"ref": "change", "account": "CH99", "routing": "0002",
              "requested_from": "ap@look-alike.outside.example", "proposed_by": "emma.lind"}  # fmt: skip
    return {
        "vendor": {
            "id": vendor_id,
            "name": "Muster AG",
            "terms": "NET30",
            "contacts": [
                {
                    "name": "Iris Lang",
                    "phone": "+1 555 0142",
                    "mail": contact or address_of(vendor_id),
                    "trusted_since": "2024-01-01",
                }
            ],
            "bank_accounts": [{"account": "CH11", "routing": "0001", "status": "ACTIVE"}],
        },
        "orders": [
            {"ref": "order", "number": number, "buyer": buyer, "currency": "USD", "date": "2026-03-01", "lines": [line]}
        ],
        "receipts": []
        if received is None
        else [{"ref": "receipt", "order": "order", "date": "2026-03-10", "lines": [{"line": 1, "quantity": received}]}],
        "invoices": [original, invoice] if earlier else [invoice],
        "bank_changes": [change] if bank_change else [],
        "faults": [],
    }


def address_of(vendor_id: str) -> str:
    return f"ap@v-{vendor_id[-12:]}.vendors.deskworld.example"


def _password() -> str:
    realm = json.loads((ROOT / "infra" / "keycloak" / "realm.json").read_text())
    user = next(user for user in realm["users"] if user["username"] == "anna.keller")
    return str(user["credentials"][0]["value"])


PASSWORD = _password()


@contextmanager
def _services(home: Path, folder: Path, identity: StandIn, policy: StandIn, mail: StandIn) -> Any:
    office, stage, desk_office, desk_stage, agent = free_ports(5)
    issuer = issuer_of(identity)
    keys = f"{issuer}/protocol/openid-connect/certs"
    erp = Service(
        "deskworld_erp",
        {"office": office, "stage": stage},
        {
            "ERP_DATABASE_URL": f"postgresql+asyncpg://erp_service@/erp?host={home}",
            "ERP_OIDC_ISSUER": issuer,
            "ERP_OIDC_JWKS_URL": keys,
            "ERP_OFFICE_BIND": f"{LOOPBACK}:{office}",
            "ERP_STAGE_BIND": f"{LOOPBACK}:{stage}",
            "ERP_STAGE_SECRET": STAGE,
            "ERP_WEBHOOK_URL": f"http://{LOOPBACK}:{desk_office}/hooks/erp",
            "ERP_WEBHOOK_SECRET": WEBHOOK,
        },
        folder / "erp.log",
    )
    doors = mail_doors(mail)
    desk = Service(
        "deskworld_desk",
        {"office": desk_office, "stage": desk_stage, "agent": agent},
        {
            "DESK_DATABASE_URL": f"postgresql+asyncpg://desk_service@/desk?host={home}",
            "DESK_OIDC_ISSUER": issuer,
            "DESK_OIDC_JWKS_URL": keys,
            "DESK_OFFICE_BIND": f"{LOOPBACK}:{desk_office}",
            "DESK_STAGE_BIND": f"{LOOPBACK}:{desk_stage}",
            "DESK_AGENT_BIND": f"{LOOPBACK}:{agent}",
            "DESK_STAGE_SECRET": STAGE,
            "DESK_WEBHOOK_SECRET": WEBHOOK,
            "DESK_ERP_URL": erp.url("office"),
            "DESK_TOKEN_URL": f"{issuer}/protocol/openid-connect/token",
            "DESK_CLIENT_SECRET": "desk-loopback-secret",
            "DESK_POLICY_URL": f"http://{LOOPBACK}:{policy.ports[0]}",
            "DESK_SMTP_HOST": LOOPBACK,
            "DESK_SMTP_PORT": str(doors["submission"]["port"]),
            "DESK_SMTP_LOGIN": "desk",
            "DESK_SMTP_PASSWORD": "desk-mail",
            "DESK_IMAP_HOST": LOOPBACK,
            "DESK_IMAP_PORT": str(doors["imap"]["port"]),
            "DESK_IMAP_LOGIN": "desk",
            "DESK_IMAP_PASSWORD": "desk-mail",
            "DESK_MAIL_SIZE_LIMIT": str(MAIL_SIZE_LIMIT),
        },
        folder / "desk.log",
    )
    try:
        erp.start()
        desk.start()
        yield erp, desk
    finally:
        desk.stop()
        erp.stop()


@pytest_asyncio.fixture(scope="session")
async def company() -> AsyncIterator[Company]:
    async with company_of_real_programs() as running:
        yield running


@asynccontextmanager
async def company_of_real_programs() -> AsyncIterator[Company]:
    with tempfile.TemporaryDirectory(prefix="desk-tests-") as name, postgres() as home:
        folder = Path(name)
        await until_it_answers(home)
        await run_sql(home, "CREATE ROLE erp_service LOGIN", "CREATE ROLE desk_service LOGIN", "CREATE DATABASE desk")
        await new_database(home, "erp")
        await migrate_desk(f"postgresql://postgres@/desk?host={home}")
        mail, identity, policy = mail_server(folder), identity_server(folder), policy_server(folder)
        with stand_ins_running(mail, identity, policy), _services(home, folder, identity, policy, mail) as (erp, desk):
            async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
                yield Company(erp, desk, policy, mail, issuer_of(identity), home, http, identity)
