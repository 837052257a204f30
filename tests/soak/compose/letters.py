"""Letters under kills of the mail server: what was accepted before is there once afterwards, and is heard of once."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import aiosmtplib
from tests.soak.compose import mailboxes
from tests.soak.compose.engine import Engine
from tests.soak.compose.watching import Watch

from deskworld.doors import clock

SENDERS = 8
VENDOR = "ap@v-soak.vendors.deskworld.example"
DESK = "ap@deskworld.example"
HEARD_SECONDS = 180.0
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0


@dataclass(slots=True)
class Posted:
    """Message-IDs: `accepted` were answered with 250; `open` lost their answer and may be there or not."""

    accepted: dict[str, list[str]] = field(default_factory=lambda: {VENDOR: [], DESK: []})
    open: list[str] = field(default_factory=list)
    pids: list[int] = field(default_factory=list)
    away: list[float] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def count(self) -> int:
        return sum(map(len, self.accepted.values()))

    async def reached(self, number: int) -> None:
        while self.count < number:
            self.changed.clear()
            await self.changed.wait()


async def through_kills(engine: Engine, number: int, kills: int, tag: str, random: Random) -> Posted:
    """Hands in so many letters, half of them to a vendor and half to the desk, and kills the server so many times
    at a drawn number of accepted ones."""
    posted, left = Posted(), iter(range(number))
    points = sorted(random.sample(range(number // 10, number * 9 // 10), kills))
    async with asyncio.TaskGroup() as group:
        for _ in range(SENDERS):
            group.create_task(_sender(engine, left, tag, posted))
        group.create_task(_killer(engine, points, posted))
    return posted


async def _killer(engine: Engine, points: Sequence[int], posted: Posted) -> None:
    for point in points:
        await posted.reached(point)
        posted.at.append(posted.count)
        posted.pids.append(await engine.kill("mail"))
        posted.away.append(await engine.back("mail", instead_of=posted.pids[-1]))


async def _sender(engine: Engine, left: Iterator[int], tag: str, posted: Posted) -> None:
    smtp: aiosmtplib.SMTP | None = None
    for nth in left:
        to = (VENDOR, DESK)[nth % 2]
        name = f"<soak-{tag}-{nth}@outside.example>"
        letter = f"From: someone@v.outside.example\r\nTo: {to}\r\nSubject: soak\r\nMessage-ID: {name}\r\n\r\nhello\r\n"
        smtp = smtp if smtp is not None and smtp.is_connected else await _connected(engine)
        try:
            await smtp.sendmail("someone@v.outside.example", [to], letter.encode())
        except (aiosmtplib.SMTPException, OSError):
            # the conversation broke somewhere: whether this one was taken nobody can say
            posted.open.append(name)
            smtp.close()
        else:
            posted.accepted[to].append(name)
        posted.changed.set()
    if smtp is not None:
        smtp.close()


async def _connected(engine: Engine) -> aiosmtplib.SMTP:
    pause = FIRST_PAUSE
    while True:
        smtp = aiosmtplib.SMTP(hostname=engine.stack.smtp.host, port=engine.stack.smtp.port, timeout=20)
        try:
            await smtp.connect(start_tls=False)
        except (aiosmtplib.SMTPException, OSError):
            smtp.close()
            await clock.pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
        else:
            return smtp


async def findings(engine: Engine, posted: Posted, watch: Watch) -> list[str]:
    """In words; empty when each accepted letter is there once and the desk told of each once."""
    boxes = {VENDOR: await mailboxes.counterparties(engine), DESK: await mailboxes.desk(engine)}
    found = [
        f"letter {name} to {to} was accepted, and is in its mailbox {boxes[to][name]} times"
        for to, names in posted.accepted.items()
        for name in names
        if boxes[to][name] != 1
    ]
    found += [f"letter {n} is there twice" for n in posted.open if max(boxes[VENDOR][n], boxes[DESK][n]) > 1]
    expected = [name for name in boxes[DESK] if name in {*posted.accepted[DESK], *posted.open}]
    await watch.until(
        f"the desk's word of {len(expected)} letters",
        lambda: all(watch.aside[name] for name in expected),
        HEARD_SECONDS,
    )
    found += [f"the desk tells of letter {n} {watch.aside[n]} times" for n in expected if watch.aside[n] != 1]
    return found
