"""What a receiver of events that is down costs the others: how long theirs take to arrive, with it and without."""

import asyncio
import json
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from fastapi import FastAPI, Request, Response
from tests.bench.ground import Ground
from tests.bench.result import Result
from tests.soak.erp_load import Load, prepared
from tests.support.erp_process import ErpProcess, erp_process
from tests.support.served import served
from tests.support.servers import LOOPBACK, free_ports

from deskworld_kit.clock import monotonic, now, pause

DOWN_SECONDS = 60.0
WELL_SECONDS = 30.0
DRAINED_WITHIN = 60.0
WAITING = "SELECT count(*) FROM outbox_deliveries WHERE receiver = $1 AND sent < wanted"


@dataclass(slots=True)
class Stopwatch:
    """How long each event took from its posting to its arrival here, in milliseconds."""

    took: list[float] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/in")
        async def take(request: Request) -> Response:
            at = datetime.fromisoformat(json.loads(await request.body())["time"])
            self.took.append(1000 * (now() - at).total_seconds())
            return Response(status_code=202)

        return app

    def lap(self) -> list[float]:
        took, self.took = self.took, []
        return took


async def one_is_down(_ground: Ground) -> list[Result]:
    """A minute without it, between two half minutes with it; what it missed is sent to it meanwhile."""
    others = Stopwatch()
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(served(others.app()))
        erp = await stack.enter_async_context(erp_process(ERP_WEBHOOK_URL=f"{here}/in"))
        (port,) = free_ports(1)
        made = await erp.post("/subscriptions", by="grace.hall", url=f"http://{LOOPBACK}:{port}/in")
        name = made.json()["id"]
        await stack.enter_async_context(_under_load(erp))
        async with served(Stopwatch().app(), port=port):
            await pause(WELL_SECONDS / 10)
            others.lap()
            await pause(WELL_SECONDS / 2)
            well = others.lap()
        await pause(DOWN_SECONDS)
        missed = await erp.watching.fetchval(WAITING, name)
        async with served(Stopwatch().app(), port=port):
            await _drained(erp, name)
            down = others.lap()
            await pause(WELL_SECONDS / 2)
            well += others.lap()
    return [
        Result("events to others, all receivers well, p95", round(p95(well), 1), "ms"),
        Result("events to others, one receiver down a minute, p95", round(p95(down), 1), "ms"),
        Result("the same, in times of all well", round(p95(down) / p95(well), 2), "×", 1.1),
        Result("events that it missed and was sent afterwards", missed, "events"),
    ]


@asynccontextmanager
async def _under_load(erp: ErpProcess) -> AsyncIterator[None]:
    load = Load(erp, await prepared(erp), gap=0.05)
    running = asyncio.create_task(load.run(Random(1).randrange(1000)))
    try:
        yield
    finally:
        load.ending = True
        await running


async def _drained(erp: ErpProcess, name: str) -> None:
    deadline = monotonic() + DRAINED_WITHIN
    while (left := await erp.watching.fetchval(WAITING, name)) > 20:
        if monotonic() > deadline:
            raise AssertionError(f"awaited for {DRAINED_WITHIN} s what it had missed; last seen: {left} events")
        await pause(0.1)


def p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
