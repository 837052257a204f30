"""The guide's agent is run as it stands there."""

import asyncio
import re
from pathlib import Path
from types import ModuleType

from tests.support import agent as desk
from tests.support.agent import INVOICE, Office, take, turn

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "your-agent.md"


def code() -> str:
    (block,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    return str(block)


async def test_the_guides_agent_works_a_turn() -> None:
    module = ModuleType("my_agent")
    exec(compile(code(), str(GUIDE), "exec"), vars(module))
    office = Office(tools=desk.documents())
    await take(office, module.act, turn())
    assert office.made("propose_resolution")[0]["citations"] == [INVOICE, "V-1", "invoice-1"]
    assert office.ended[0]["how"] == "COMPLETED"
    assert asyncio.iscoroutinefunction(module.main)


def test_it_is_short() -> None:
    assert len([line for line in code().splitlines() if line.strip()]) <= 15
