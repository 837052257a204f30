"""What telemetry costs a turn: off, held against the same turn without its code path; and on.

The CPU is of this process, which is the desk and its only client: what the client takes makes the share of telemetry
smaller, and a real turn, with an ERP and a policy to ask, makes it smaller still.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.ground import Ground
from tests.bench.result import Result
from tests.support.agents_desk import AgentsDesk, agents_desk
from tests.support.erp import postgres, until_it_answers

from deskworld_desk.agent_door.calls import Asked, call_tool
from deskworld_desk.agent_door.toolset import Own, Toolset
from deskworld_desk.agent_door.wire import End, ToolCall
from deskworld_desk.turns.ending import end_turn
from deskworld_desk.turns.watch import Watch
from deskworld_kit.telemetry.logs import about
from deskworld_kit.telemetry.metrics import Metrics
from deskworld_kit.telemetry.spans import spans

ROUNDS = 120
CALLS = 4
WARM = 10
GOAL = 2.0
TIMES = 20_000


async def off_and_on(_ground: Ground) -> list[Result]:
    with postgres() as home, TemporaryDirectory() as folder, _watching(Path(folder)) as watch:
        await until_it_answers(home)
        async with (
            agents_desk(home, "bench_off") as off,
            agents_desk(home, "bench_bare", toolset=_Bare) as bare,
            agents_desk(home, "bench_on", watch=watch) as on,
        ):
            desks = [bare, off, on]
            for _ in range(WARM):
                for desk in desks:
                    await _turn(desk)
            rounds = [[await _turn(desk) for desk in desks] for _ in range(ROUNDS)]
    turn = statistics.median(one[1] for one in rounds)
    return [
        Result("turn of four calls, CPU, telemetry off", round(turn, 2), "ms"),
        Result("telemetry off, its code path alone, of a turn", round(100 * _own_milliseconds() / turn, 3), "%", GOAL),
        Result("telemetry off, of a turn without its code path", _more(rounds, 1), "%", GOAL),
        Result("spans and metrics on, of a turn without", _more(rounds, 2), "%"),
    ]


def _more(rounds: list[list[float]], place: int) -> float:
    """By how much a turn is dearer than a bare one. Turns of all kinds follow one another, and each kind's median
    counts: what else the machine does falls on all alike."""
    kinds = [statistics.median(one[kind] for one in rounds) for kind in (0, place)]
    return round(100 * (kinds[1] / kinds[0] - 1), 1)


def _own_milliseconds() -> float:
    """What a turn spends in the code path while it is off: names for the log, and looking whether somebody watches."""
    watched: Any = _Nobody()
    began = time.process_time()
    for _ in range(TIMES):
        with about(case_id="0199d2c4", turn_id="0199d2c5"):
            if watched.watch is not None:
                raise AssertionError
    return 1000 * (time.process_time() - began) / TIMES * (CALLS + 1)


class _Nobody:
    watch = None


class _Bare(Toolset):
    """Without what telemetry added."""

    async def call(self, own: Own, body: ToolCall) -> dict[str, Any]:
        return await call_tool(self._desk, own.turn_id, Asked(body.call_id, body.tool, body.args), self.tools)

    async def end(self, own: Own, body: End) -> str:
        return await end_turn(self._desk, own.turn_id, body.how, body.counted())


async def _turn(office: AgentsDesk) -> float:
    """CPU of one turn, in milliseconds."""
    await office.open_case()
    agent = {"Authorization": f"Bearer {office.token()}"}
    async with office.http() as http:
        began = time.process_time()
        given = (await http.post("/turns/claim", json={"agent": "bench"}, headers=agent)).json()
        own = {"Authorization": f"Bearer {given['token']}"}
        for number in range(CALLS):
            body = {"call_id": f"call-{number}", "tool": "look_at_shelf", "args": {"shelf": "A"}}
            answer = await http.post(f"/turns/{given['turn_id']}/calls", json=body, headers=own)
            assert answer.json()["outcome"] == "OK", answer.text
        usage = [{"model": "m", "input": 1200, "output": 80}]
        await http.post(f"/turns/{given['turn_id']}/end", json={"usage": usage}, headers=own)
        return 1000 * (time.process_time() - began)


@contextmanager
def _watching(folder: Path) -> Iterator[Watch]:
    with spans("bench", f"file:{folder / 'spans.jsonl'}") as told:
        yield Watch(told, Metrics())
