"""The desk's core in this process, over a real Postgres and the real policies; the ERP is a few documents on paper.

No door, no post and no mailbox: what people and the ERP do is called as the doors call it.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import pytest_asyncio
from tests.support.desk_ap import INVOICE_ID, VENDOR_ID, exception, invoice, order, vendor
from tests.support.erp import postgres, run_sql, until_it_answers
from tests.support.kit import Issuer
from tests.support.policy import POLICIES

from deskworld_desk.background import Alarm, Background
from deskworld_desk.cases.docket import Dockets
from deskworld_desk.cases.intake import take_event
from deskworld_desk.cases.tables import Case
from deskworld_desk.cases.view import read_views
from deskworld_desk.decisions.carrying import Outcome
from deskworld_desk.desk import Desk
from deskworld_desk.inbox import Inbox
from deskworld_desk.letters.sending import deliver
from deskworld_desk.mail.sender import RecipientOutcome, Sender, Sent
from deskworld_desk.migrate import migrate
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.quarantine.reader import LexiconReader
from deskworld_desk.timeline.reading import last_cursor, replay, rows_of
from deskworld_desk.timeline.stream import Broadcast, Published
from deskworld_desk.turns.leases import Leases
from deskworld_desk.turns.rounds import Rounds
from deskworld_desk.turns.turnstile import Turnstile
from deskworld_desk.workbench.deciding import Decide, post
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.world import accounts_payable
from deskworld_embedded.policy.app import policy_app
from deskworld_kit import clock
from deskworld_kit.database import Database
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.sessions import lean_database

Json = dict[str, Any]
ROLES = {"anna.keller": "buyer", "emma.lind": "clerk", "felix.moreau": "clerk", "grace.hall": "ap-manager",
         "hugo.silva": "ap-manager", "ines.vogel": "controller", "kira.stone": "auditor"}  # fmt: skip


def person(username: str) -> Principal:
    expires = clock.now() + timedelta(minutes=10)
    return Principal(f"sub-{username}", username, "workbench", frozenset({ROLES[username]}), expires.timestamp())


@dataclass
class PaperErp:
    """`commands`: what was carried out, by its key. `refuse`: the next commands are answered with this."""

    documents: dict[str, Json] = field(default_factory=dict)
    commands: dict[str, Json] = field(default_factory=dict)
    refuse: tuple[int, str] | None = None
    away: bool = False
    tokens: set[str] = field(default_factory=set)
    """With which commands came."""
    hold_back: asyncio.Event | None = None
    in_hand: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, record_id: str, *exceptions: Json, **changes: Any) -> None:
        numbered = {"id": record_id, "ids": [record_id, f"INV-{record_id[-6:]}"]}
        found = [{**one, "invoice_id": record_id} for one in exceptions]
        self.documents[f"/invoices/{record_id}"] = {**invoice(*found, **changes), **numbered}

    async def answer(self, request: httpx.Request) -> httpx.Response:
        if self.away:
            raise httpx.ConnectError("away", request=request)
        path = request.url.path
        if request.method == "POST":
            return await self._command(request, path)
        if path.startswith("/commands/"):
            done = self.commands.get(path.rpartition("/")[2])
            known = {"outcome": "applied", "answer": done} if done else {"outcome": "unknown"}
            return httpx.Response(200, json={"key": path.rpartition("/")[2], **known})
        if path.endswith(("/receipts", "/similar")) or path == f"/vendors/{VENDOR_ID}/invoices":
            return httpx.Response(200, json={"items": [], "next": None, "ids": []})
        if (document := self.documents.get(path)) is not None:
            return httpx.Response(200, json=document)
        return httpx.Response(404, json={"code": "NOT_FOUND"})

    async def _command(self, request: httpx.Request, path: str) -> httpx.Response:
        key = request.headers["idempotency-key"]
        self.tokens.add(request.headers["authorization"].removeprefix("Bearer "))
        self.in_hand.set()
        if self.hold_back is not None:
            await self.hold_back.wait()
        if self.refuse is not None:
            status, code = self.refuse
            return httpx.Response(status, json={"code": code, "detail": "the ERP's words"})
        _, _, record_id, action = path.split("/")
        document = self.documents[f"/invoices/{record_id}"]
        if json.loads(request.content)["expected_version"] != document["version"]:
            return httpx.Response(409, json={"code": "STALE_VERSION", "detail": "it moved on"})
        if key not in self.commands:
            document["version"] += 1
            self.commands[key] = {"amount": "1040.00" if "appr" in action else None, "status": "ON_HOLD",
                                  "version": document["version"]}  # fmt: skip
        return httpx.Response(200, json=self.commands[key])


@dataclass
class Post:
    """Takes every letter, or refuses it for this reason."""

    refuses: str | None = None

    async def send(self, _raw: bytes, _sender: str, recipients: Sequence[str]) -> Sent:
        if self.refuses is not None:
            return Sent(tuple(RecipientOutcome(one, "refused", str(self.refuses)) for one in recipients))
        return Sent(tuple(RecipientOutcome(one, "accepted", "250") for one in recipients))


@dataclass
class Inside:
    desk: Desk
    erp: PaperErp
    post: Post = field(default_factory=Post)
    token: str = "a-token-that-nobody-keeps"

    def under(self, policy: PolicyClient) -> "Inside":
        """The same desk, asking another policy."""
        erp = httpx.AsyncClient(transport=httpx.MockTransport(self.erp.answer), base_url="http://test")
        world = accounts_payable(ErpClient(erp, Issuer().account()), policy)
        return replace(self, desk=replace(self.desk, policy=policy, worlds={"ap": world}))

    async def hear(self, kind: str, *, event_id: str | None = None, **data: Any) -> str:
        """The ERP tells of something; gives the event's id."""
        told = event(kind, event_id=event_id, **data)
        world = self.desk.worlds["ap"]
        await take_event(self.desk, world, world.hear(told), told)
        return str(told["id"])

    async def opened(self, reason: str = "PRICE_VARIANCE", *, rules: str = "on", **changes: Any) -> Json:
        """A case of an invoice of its own; gives its ids."""
        record_id, case_id = new_id(), new_id()
        self.erp.put(record_id, exception(reason, id=case_id), **changes)
        await self.raised(record_id, case_id, reason, rules=rules)
        return {"exception_id": case_id, "invoice_id": record_id}

    async def raised(self, record_id: str, case_id: str, reason: str, *, rules: str = "on") -> None:
        party = VENDOR_ID if rules == "on" else await self._without_rules()
        await self.hear(
            "match-exception.raised", exception_id=case_id, invoice_id=record_id, vendor_id=party, reason=reason
        )
        await self.quiet()

    async def _without_rules(self) -> str:
        party = new_id()
        self.erp.documents[f"/vendors/{party}"] = {**vendor(), "id": party, "ids": [party]}
        await self.sql("INSERT INTO party_rules (party_id, rules) VALUES ($1, 'off')", party)
        return party

    async def sql(self, statement: str, *values: Any) -> Any:
        async with self.desk.db.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            return await driver.fetch(statement, *values)

    async def quiet(self) -> None:
        """Until nothing goes on in the background, and the post has taken every letter."""
        background, letters, post = self.desk.background, self.desk.outgoing._queue, cast("Sender", self.post)
        while background._tasks or not letters.empty():
            if not letters.empty():
                await deliver(self.desk, post, letters.get_nowait())
            await asyncio.gather(*background._tasks, return_exceptions=True)

    @asynccontextmanager
    async def holding(self) -> AsyncIterator[None]:
        """Inside, the ERP has commands in hand and does not answer; at the end it answers."""
        self.erp.hold_back, self.erp.in_hand = asyncio.Event(), asyncio.Event()
        try:
            yield
        finally:
            self.erp.hold_back.set()
            self.erp.hold_back = None

    async def case(self, case_id: str) -> Case:
        async with self.desk.db.transaction() as session:
            return await session.get_one(Case, case_id)

    async def view(self, case_id: str) -> Json:
        async with self.desk.db.snapshot() as session:
            return (await read_views(session, [await session.get_one(Case, case_id)], self.desk.names))[0]

    async def rows(self, case_id: str, *kinds: str) -> list[Json]:
        async with self.desk.db.transaction() as session:
            rows = (await rows_of(session, [case_id]))[case_id]
        return [row for row in rows if not kinds or row["kind"] in kinds]

    async def untold(self, case_id: str) -> list[str]:
        """The labels of what an agent is to be told."""
        found = await self.sql(
            "SELECT label FROM inputs WHERE case_id = $1 AND turn_id IS NULL AND dropped_at IS NULL ORDER BY position",
            case_id,
        )
        return [row["label"] for row in found]

    async def asked(self, case_id: str) -> Json:
        """The last decision that was asked for."""
        return dict((await self.rows(case_id, "decision.requested"))[-1]["data"])

    async def decide(self, decision_id: str, by: str, verdict: str = "approve", **said: Any) -> Outcome:
        """As the door does it: until the command is answered. Raises Problem."""
        body = Decide.model_validate({"verdict": verdict, **said})
        outcome, task = await post(self.desk, decision_id, body, person(by), self.token)
        return outcome if task is None else await task


def event(kind: str, *, event_id: str | None = None, **data: Any) -> Json:
    """One of the ERP's, about a price variance unless it says otherwise."""
    plain = {
        "exception_id": "x-1", "invoice_id": INVOICE_ID, "vendor_id": VENDOR_ID, "po_number": "PO-1",
        "reason": "PRICE_VARIANCE", "amount": "40.00", "currency": "USD", "holds": [], "invoice_version": 1,
        "cause": {"kind": "invoice", "id": "i", "decision_id": None}, "decision_id": None,
    }  # fmt: skip
    return {"id": event_id or new_id(), "type": f"deskworld.erp.{kind}", "subject": "s", "data": plain | data}


@asynccontextmanager
async def inside(home: Path) -> AsyncIterator[Inside]:
    """A desk on the database `desk` of this server."""
    async with AsyncExitStack() as stack:
        db = lean_database(f"postgresql+asyncpg://postgres@/desk?host={home}", pool=8, overflow=32)
        stack.push_async_callback(db.close)
        erp = PaperErp({f"/vendors/{VENDOR_ID}": vendor(), "/purchase-orders/PO-1": order()})
        desk = await _desk(stack, db, erp)
        stack.callback(desk.alarm.stop)
        stack.push_async_callback(desk.background.stop)
        yield Inside(desk, erp)


async def _desk(stack: AsyncExitStack, db: Database, erp: PaperErp) -> Desk:
    async def over(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
        return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://test"))

    policy = PolicyClient(await over(httpx.ASGITransport(app=policy_app(POLICIES))))
    world = accounts_payable(ErpClient(await over(httpx.MockTransport(erp.answer)), Issuer().account()), policy)
    names = {"ap": world.names}

    async def fill(first: int, final: int) -> Published:
        async with db.snapshot() as session:
            return await replay(session, first, final, names)

    async with db.transaction() as session:
        broadcast = Broadcast(last=await last_cursor(session), fill=fill)
    return Desk(
        db=db,
        dockets=Dockets(db=db, broadcast=broadcast, names=names, on_outage=lambda: None),
        broadcast=broadcast,
        worlds={"ap": world},
        policy=policy,
        reader=LexiconReader(),
        turnstile=Turnstile(),
        leases=Leases(),
        rounds=Rounds(),
        background=Background(),
        alarm=Alarm(),
        outgoing=Inbox(),
        incoming=Inbox(),
        unsettled=Inbox(),
        random=random.Random(1),
        mail_address="ap@deskworld.example",
        build="tests",
        watch=None,
    )


@asynccontextmanager
async def desk_inside() -> AsyncIterator[Inside]:
    """The same with a server of its own, which is gone afterwards."""
    with postgres() as home:
        await until_it_answers(home)
        await run_sql(home, "CREATE DATABASE desk")
        await migrate(f"postgresql://postgres@/desk?host={home}")
        async with inside(home) as desk:
            yield desk


@pytest_asyncio.fixture(scope="session")
async def core() -> AsyncIterator[Inside]:
    async with desk_inside() as desk:
        yield desk
