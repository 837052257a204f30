"""What both agent doors do, once: claim a turn, whose turn a token opens, call a tool, show it to be alive, end it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import BaseModel
from sqlalchemy import select

from deskworld_desk.agent_door.calls import Asked, call_tool
from deskworld_desk.agent_door.core_tools import tools_of
from deskworld_desk.agent_door.wire import Claim, End, ToolCall
from deskworld_desk.desk import Desk
from deskworld_desk.turns.claiming import Client, claim, hashed
from deskworld_desk.turns.ending import beat, end_turn, lease_lost
from deskworld_desk.turns.tables import Turn
from deskworld_desk.world import Tool
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem
from deskworld_kit.telemetry.logs import about


@dataclass(frozen=True, slots=True)
class Own:
    """A turn whose token the caller has."""

    turn_id: str
    case_id: str


class Toolset:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.tools: Mapping[str, Mapping[str, Tool]] = {name: tools_of(world) for name, world in desk.worlds.items()}
        self._offered = {name: [_offered(tool) for tool in of.values()] for name, of in self.tools.items()}

    async def claim(
        self, body: Claim, who: Principal, lease: timedelta, gone: "asyncio.Future[None]"
    ) -> dict[str, Any] | None:
        """The turn as `TurnGiven` describes it, or None when none came in time. Raises Problem 403."""
        if who.is_person:
            raise Problem(403, "NOT_AUTHORISED", "this door is for agents")
        claimed = await claim(
            self._desk, Client(body.agent, who.client, lease, body.model, body.playbook), wait=body.wait, gone=gone
        )
        if claimed is None:
            return None
        return {
            "turn_id": claimed.turn_id,
            "case_id": claimed.case_id,
            "number": claimed.number,
            "token": claimed.token,
            "lease": claimed.lease,
            "inputs": claimed.inputs,
            "brief": claimed.brief,
            "tools": self._offered[claimed.world],
        }

    async def own(self, token: str, *, turn_id: str | None = None, client: str | None = None) -> Own:
        """The turn that the token opens; where they are named, that turn of that client's. Raises Problem 401, 409."""
        wanted = select(Turn).where(Turn.token_hash == hashed(token))
        if turn_id is not None:
            wanted = wanted.where(Turn.id == turn_id)
        if client is not None:
            wanted = wanted.where(Turn.client == client)
        async with self._desk.db.transaction() as session:
            turn = await session.scalar(wanted)
        if turn is None:
            raise Problem(401, "UNAUTHENTICATED", "this token does not belong to this turn")
        if turn.token_until < clock.now() or turn.how == "LEASE_LOST":
            raise lease_lost()
        return Own(turn.id, turn.case_id)

    async def call(self, own: Own, body: ToolCall) -> dict[str, Any]:
        """As `ToolAnswer` describes it. Raises Problem 409 LEASE_LOST, CALL_ID_REUSED."""
        with about(case_id=own.case_id, turn_id=own.turn_id):
            return await call_tool(self._desk, own.turn_id, Asked(body.call_id, body.tool, body.args), self.tools)

    async def beat(self, own: Own) -> None:
        """Raises Problem 409 LEASE_LOST."""
        await beat(self._desk, own.turn_id)

    async def end(self, own: Own, body: End) -> str:
        """How the desk says that it ended. Raises Problem 409 LEASE_LOST."""
        with about(case_id=own.case_id, turn_id=own.turn_id):
            return await end_turn(self._desk, own.turn_id, body.how, body.counted())


def schema_of(args: type[BaseModel]) -> dict[str, Any]:
    schema = args.model_json_schema()
    schema.pop("title", None)
    return schema


def _offered(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": schema_of(tool.args)}
