"""The guide's agents are short, and the one over HTTP works a turn as it stands there."""

import asyncio

import pytest
from tests.support import agent as desk
from tests.support.agent import INVOICE, Office, take, turn
from tests.support.guide import code, module


async def test_the_guides_agent_works_a_turn() -> None:
    mine = module("my_agent.py")
    office = Office(tools=desk.documents())
    await take(office, mine.act, turn())
    assert office.made("propose_resolution")[0]["citations"] == [INVOICE, "V-1", "invoice-1"]
    assert office.ended[0]["how"] == "COMPLETED"
    assert asyncio.iscoroutinefunction(mine.main)


@pytest.mark.parametrize("name", ["my_agent.py", "my_mcp_agent.py"])
def test_they_are_short(name: str) -> None:
    assert len([line for line in code(name).splitlines() if line.strip()]) <= 15
