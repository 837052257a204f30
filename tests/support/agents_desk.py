"""The desk in this process over a real Postgres, with a world of its own: what agents meet, and nobody else's doors."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from tests.support.erp import run_sql
from tests.support.kit import Issuer

from deskworld_desk.agent_door.app import agent_door
from deskworld_desk.agent_door.mcp_gate import McpGate, mcp_routes
from deskworld_desk.agent_door.toolset import Toolset
from deskworld_desk.background import Background
from deskworld_desk.cases.docket import Dockets
from deskworld_desk.cases.intake import take_event
from deskworld_desk.cases.tables import Case, PartyRules
from deskworld_desk.desk import Desk
from deskworld_desk.migrate import migrate
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.quarantine.reader import LexiconReader
from deskworld_desk.timeline.reading import last_cursor, replay, rows_of
from deskworld_desk.timeline.stream import Broadcast, Published
from deskworld_desk.turns.ending import resume_turns
from deskworld_desk.turns.leases import Leases
from deskworld_desk.turns.pausing import hold_while_paused
from deskworld_desk.turns.rounds import Rounds
from deskworld_desk.turns.turnstile import Turnstile
from deskworld_desk.world import Ask, Found, Heard, Look, Names, Opens, Prepared, Refusal, Tool, ToolContext, World
from deskworld_kit import clock
from deskworld_kit.database import Database
from deskworld_kit.ids import new_id
from deskworld_kit.sessions import lean_database

WITHIN = 10.0
TEMPLATE = "agents_desk"
_TEMPLATES: set[Path] = set()
Json = dict[str, Any]


class ShelfArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    shelf: str = Field(default="A", max_length=20)


class QuestionArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    question: str = Field(min_length=1, max_length=200)


@dataclass
class Shelves:
    """A world of shelves: one tool looks at one, another asks its keeper. `looking` lets a look take its time."""

    looking: asyncio.Event = field(default_factory=asyncio.Event)
    looks: int = 0
    broken: bool = False

    def world(self) -> World:
        given: Mapping[str, Any] = {
            "name": "shelves",
            "names": Names(subject="exception_id", record="invoice_id", party="vendor_id"),
            "tools": {tool.name: tool for tool in self._tools()},
            "tool_input": lambda _context, tool: {"tool": tool},
            "summary": lambda _reason: "A shelf is not as it should be.",
            "brief_reference": lambda _opening: None,
            "actions": {},
        }
        # what these tests never come to
        others = {one.name: _never for one in fields(World) if one.name not in given}
        return World(**{**others, **given})

    def _tools(self) -> tuple[Tool, ...]:
        return (
            Tool("look_at_shelf", "Look at a shelf.", ShelfArgs, "read", self._look),
            Tool("ask_keeper", "Ask whoever keeps the shelves.", QuestionArgs, "ask", self._ask),
        )

    async def _look(self, _context: ToolContext, args: Any) -> Prepared:
        async def look() -> Found:
            self.looks += 1
            await self.looking.wait()
            if self.broken:
                raise RuntimeError("the shelf fell down")
            return Found({"shelf": args.shelf, "items": 3}, (f"shelf-{args.shelf}",))

        if args.shelf == "locked":
            raise Refusal("LOCKED", "that shelf is locked")
        return Prepared({"tool": "look_at_shelf"}, Look(look))

    async def _ask(self, _context: ToolContext, args: Any) -> Prepared:
        return Prepared({"tool": "ask_keeper"}, Ask("anna.keller", args.question))


def _never(*_args: Any, **_more: Any) -> Any:
    raise AssertionError("these tests do not come here")


def _policy() -> PolicyClient:
    """Lets every tool through."""
    said = {"decision_id": "d", "result": {"effect": "allow", "reasons": [], "revision": "r"}}

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=said)

    return PolicyClient(httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://policy.test"))


@dataclass
class AgentsDesk:
    desk: Desk
    shelves: Shelves
    issuer: Issuer
    toolset: Toolset
    door: FastAPI

    def token(self, **claims: Any) -> str:
        agent = {
            "aud": "desk-agent",
            "realm_access": None,
            "azp": "agent",
            "sub": "agent",
            "preferred_username": "agent",
        }
        return self.issuer.token(**{**agent, **claims})

    def http(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(self.door), base_url="http://agents.test", timeout=30)

    async def open_case(self, *, record: str | None = None) -> str:
        """A case whose rules are off, so that it is an agent's at once. Gives its id."""
        case_id, party = new_id(), new_id()
        opens = Opens(case_id, record or new_id(), party, "NO_PO", "12.00", "USD", 1, False, None, {})
        async with self.desk.db.transaction() as session:
            session.add(PartyRules(party_id=party, rules="off"))
        world = self.desk.worlds["shelves"]
        await take_event(self.desk, world, Heard(new_id(), "match-exception.raised", case_id, opens), {})
        return case_id

    async def rows(self, case_id: str, kind: str | None = None) -> list[Json]:
        async with self.desk.db.transaction() as session:
            found = (await rows_of(session, [case_id]))[case_id]
        return [row for row in found if kind is None or row["kind"] == kind]

    async def case(self, case_id: str) -> Case:
        async with self.desk.db.transaction() as session:
            return await session.get_one(Case, case_id)

    async def until_state(self, case_id: str, state: str, *, within: float = WITHIN) -> Case:
        deadline = clock.monotonic() + within
        while (case := await self.case(case_id)).state != state:
            assert clock.monotonic() < deadline, f"awaited {state} for {within} s; last seen {case.state}"
            await clock.pause(0.01)
        return case

    async def until_clients(self, count: int, *, within: float = WITHIN) -> None:
        """That so many clients wait for a turn."""
        deadline = clock.monotonic() + within
        while (waiting := self.desk.turnstile.clients) != count:
            assert clock.monotonic() < deadline, f"awaited {count} clients for {within} s; last seen {waiting}"
            await clock.pause(0.01)


@asynccontextmanager
async def agents_desk(
    home: Path, name: str, *, fresh: bool = True, watch: Any = None, toolset: type[Toolset] = Toolset
) -> AsyncIterator[AgentsDesk]:
    """`fresh`: with an empty database; else with what an earlier one left there."""
    if fresh:
        await new_database_of_the_desk(home, name)
    async with AsyncExitStack() as stack:
        db = lean_database(f"postgresql://postgres@/{name}?host={home}", pool=8, overflow=32)
        stack.push_async_callback(db.close)
        shelves, issuer = Shelves(), Issuer()
        shelves.looking.set()
        desk = await _desk(db, shelves, watch)
        stack.push_async_callback(desk.background.stop)
        await hold_while_paused(desk)
        await resume_turns(desk)
        tools, verifier = toolset(desk), issuer.verifier(audience="desk-agent")
        gate = McpGate(tools, verifier, desk.background)
        door = agent_door(tools, verifier, _well, mcp_routes(gate, "http://issuer.test/realms/deskworld"))
        yield AgentsDesk(desk, shelves, issuer, tools, door)


async def new_database_of_the_desk(home: Path, name: str) -> None:
    """A copy of one that was brought to the newest revision once."""
    if home not in _TEMPLATES:
        await run_sql(home, f"CREATE DATABASE {TEMPLATE}")
        await migrate(f"postgresql://postgres@/{TEMPLATE}?host={home}")
        _TEMPLATES.add(home)
    await run_sql(home, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY")


async def _desk(db: Database, shelves: Shelves, watch: Any) -> Desk:
    world = shelves.world()
    names = {world.name: world.names}
    async with db.transaction() as session:
        last = await last_cursor(session)

    async def fill(first: int, final: int) -> Published:
        async with db.snapshot() as session:
            return await replay(session, first, final, names)

    broadcast = Broadcast(last=last, fill=fill)
    given: Mapping[str, Any] = {
        "db": db,
        "dockets": Dockets(db=db, broadcast=broadcast, names=names, on_outage=lambda: None),
        "broadcast": broadcast,
        "worlds": {world.name: world},
        "policy": _policy(),
        "reader": LexiconReader(),
        "turnstile": Turnstile(),
        "leases": Leases(),
        "rounds": Rounds(),
        "background": Background(),
        "random": Random(1),
        "mail_address": "ap@deskworld.example",
        "build": "test",
        "watch": watch,
    }
    others = {one.name: _Nobody() for one in fields(Desk) if one.name not in given}
    return Desk(**{**others, **given})


class _Nobody:
    """Whoever works on letters, mails and deadlines elsewhere."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_more: None


async def _well() -> Mapping[str, str]:
    return {}
