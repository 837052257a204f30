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
from tests.bench.ground import Ground, NotMeasured
from tests.bench.result import Result
from tests.soak.erp_load import Load, prepared
from tests.support.erp_process import ErpProcess, erp_process
from tests.support.served import served
from tests.support.servers import LOOPBACK, free_ports

from deskworld_kit.clock import monotonic, now, pause

DOWN_SECONDS = 60.0
WARM_SECONDS = 5.0
DRAINED_WITHIN = 60.0
WAITING = "SELECT count(*) FROM outbox_deliveries WHERE receiver = $1 AND sent < wanted AND seq <= $2"
LAST = "SELECT max(seq) FROM outbox"


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


@dataclass(slots=True)
class Company:
    """An ERP under load with two receivers: one whose events are timed, and one that can be away."""

    erp: ErpProcess
    timed: Stopwatch
    other: str
    port: int

    async def lose_it(self) -> int:
        """A minute without the other receiver, and the time until it has what it missed: how many events that was."""
        await pause(DOWN_SECONDS)
        last = await self.erp.watching.fetchval(LAST)
        missed = int(await self.erp.watching.fetchval(WAITING, self.other, last))
        async with served(Stopwatch().app(), port=self.port):
            await _drained(self.erp, self.other, last)
        return missed


async def one_is_down(_ground: Ground) -> list[Result]:
    """Two ERPs side by side, so that what the machine does meanwhile falls on both: in one of them a receiver is down
    for a minute, and is then sent what it missed; in the other all are well."""
    async with AsyncExitStack() as stack:
        well = await stack.enter_async_context(_company())
        down = await stack.enter_async_context(_company())
        await stack.enter_async_context(served(Stopwatch().app(), port=well.port))
        async with served(Stopwatch().app(), port=down.port):
            await pause(WARM_SECONDS)
        well.timed.lap(), down.timed.lap()
        missed = await down.lose_it()
        one, other = p95(well.timed.lap()), p95(down.timed.lap())
    return [
        Result("events to others, all receivers well, p95", round(one, 1), "ms"),
        Result("events to others, one receiver down a minute, p95", round(other, 1), "ms"),
        Result("the same, in times of all well", round(other / one, 2), "×", 1.1),
        Result("events that it missed and was sent afterwards", missed, "events"),
    ]


@asynccontextmanager
async def _company() -> AsyncIterator[Company]:
    timed = Stopwatch()
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(served(timed.app()))
        erp = await stack.enter_async_context(erp_process(ERP_WEBHOOK_URL=f"{here}/in"))
        (port,) = free_ports(1)
        made = await erp.post("/subscriptions", by="grace.hall", url=f"http://{LOOPBACK}:{port}/in")
        await stack.enter_async_context(_under_load(erp))
        yield Company(erp, timed, made.json()["id"], port)


@asynccontextmanager
async def _under_load(erp: ErpProcess) -> AsyncIterator[None]:
    load = Load(erp, await prepared(erp), gap=0.05)
    running = asyncio.create_task(load.run(Random(1).randrange(1000)))
    try:
        yield
    finally:
        load.ending = True
        await running


async def _drained(erp: ErpProcess, name: str, last: int) -> None:
    deadline = monotonic() + DRAINED_WITHIN
    while left := await erp.watching.fetchval(WAITING, name, last):
        if monotonic() > deadline:
            raise NotMeasured(f"awaited for {DRAINED_WITHIN} s what it had missed; last seen: {left} events")
        await pause(0.1)


def p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
