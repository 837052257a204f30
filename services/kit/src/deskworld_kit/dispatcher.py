"""Sends what stands in an outbox: woken by LISTEN/NOTIFY, signed, in order per key, with backoff and dead letters."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Self

import asyncpg
import httpx
import structlog

from deskworld_kit import clock, webhooks

log = structlog.get_logger(__name__)

SAFETY_NET_SECONDS = 30.0
BATCH = 200
IN_MEMORY = 2_000
SIDE_BY_SIDE = 64


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds; each pause is drawn between half and all of the doubled one. The defaults give up after four minutes."""

    first: float = 0.05
    most: float = 10.0
    attempts: int = 30

    def pause(self, attempt: int, randomness: Random) -> float:
        full: float = min(self.most, self.first * 2.0 ** min(attempt - 1, 30))
        return full * (0.5 + randomness.random() / 2)


@dataclass(frozen=True, slots=True)
class Receiver:
    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Pending:
    seq: int
    id: str
    body: bytes
    attempts: int

    @classmethod
    def of(cls, row: Any) -> Self:
        return cls(row["seq"], row["id"], row["body"].encode(), row["attempts"])


class _Lost(Exception):
    """The listening connection ended."""


class Dispatcher:
    """Delivers one outbox table to one receiver. Of several processes on a database, one delivers at a time."""

    def __init__(
        self,
        *,
        dsn: str,
        receiver: Receiver,
        http: httpx.AsyncClient,
        randomness: Random,
        table: str = "outbox",
        backoff: Backoff | None = None,
        safety_net: float = SAFETY_NET_SECONDS,
    ) -> None:
        self._dsn = dsn.replace("postgresql+asyncpg://", "postgresql://", 1)
        self._receiver = receiver
        self._http = http
        self._randomness = randomness
        self._table = table
        self._backoff = backoff or Backoff()
        self._safety_net = safety_net
        self._woken = asyncio.Event()
        self._rescan = True
        self._listening = False
        self._connected = False

    @property
    def at_work(self) -> bool:
        """Delivering, or ready to as soon as another process no longer does."""
        return self._connected

    def wake(self) -> None:
        """Something was committed. Never needed: the database's notification says the same a little later."""
        self._woken.set()

    def rescan(self) -> None:
        """An older event is wanted again."""
        self._rescan = True
        self._woken.set()

    async def run(self) -> None:
        """Until cancelled. However a session on the database ends, that is recorded and another one follows: a
        connection that is cut shows in more kinds of error than its driver documents."""
        attempt = 0
        while True:
            self._listening = False
            session = asyncio.create_task(self._session(), name=f"{self._table}-session")
            try:
                await asyncio.wait([session])
            finally:
                session.cancel()
                await asyncio.wait([session])
                self._connected = False
            attempt = 1 if self._listening else attempt + 1
            ended = "cancelled" if session.cancelled() else repr(session.exception())
            log.warning("outbox lost its database", table=self._table, attempt=attempt, ended=ended)
            await clock.pause(self._backoff.pause(attempt, self._randomness))

    async def _session(self) -> None:
        connection: Any = await asyncpg.connect(self._dsn)  # type: ignore[no-untyped-call]
        delivery = _Delivery(connection, self._table, self._receiver, self._http, self._backoff, self._randomness)
        delivery.on_room = self._woken.set
        connection.add_termination_listener(lambda _: self._woken.set())
        self._connected = True
        try:
            await connection.execute("SELECT pg_advisory_lock(hashtext($1))", f"{self._table}:dispatcher")
            await connection.add_listener(self._table, self._notified)
            self._rescan = self._listening = True
            async with asyncio.TaskGroup() as group:
                delivery.group = group
                group.create_task(delivery.keep_marks())
                await self._take_in(connection, delivery)
        finally:
            connection.terminate()

    async def _take_in(self, connection: Any, delivery: "_Delivery") -> None:
        while True:
            self._woken.clear()
            if connection.is_closed():
                raise _Lost
            rescan, self._rescan = self._rescan, False
            await delivery.take_in(all_pending=rescan)
            try:
                # not wait_for: before Python 3.12 it loses a cancellation that comes together with the event
                async with asyncio.timeout(self._safety_net):
                    await self._woken.wait()
            except TimeoutError:
                self._rescan = True

    def _notified(self, _connection: Any, _pid: int, _channel: str, payload: object) -> None:
        self._rescan = self._rescan or payload == "rescan"
        self._woken.set()


class _Delivery:
    """What is in memory while the database connection lasts: a queue per key, and what has to be marked as sent."""

    group: asyncio.TaskGroup

    def __init__(
        self,
        connection: Any,
        table: str,
        receiver: Receiver,
        http: httpx.AsyncClient,
        backoff: Backoff,
        randomness: Random,
    ) -> None:
        self._connection = connection
        self._table = table
        self._receiver = receiver
        self._http = http
        self._backoff = backoff
        self._randomness = randomness
        self._database = asyncio.Lock()
        self._queues: dict[str, deque[_Pending]] = {}
        self._in_memory: Counter[int] = Counter()
        self._read_up_to = 0
        self._side_by_side = asyncio.Semaphore(SIDE_BY_SIDE)
        self._done: list[int] = []
        self._to_mark = asyncio.Event()
        self.on_room: Callable[[], None] = lambda: None

    async def take_in(self, *, all_pending: bool) -> None:
        after = 0 if all_pending else self._read_up_to
        while self._in_memory.total() < IN_MEMORY:
            async with self._database:
                rows = await self._connection.fetch(
                    f"SELECT seq, id, key, body, attempts, wanted - sent AS missing FROM {self._table} "  # noqa: S608 - our own name
                    "WHERE sent < wanted AND dead_at IS NULL AND seq > $1 ORDER BY seq LIMIT $2",
                    after,
                    BATCH,
                )
                for row in rows:
                    for _ in range(row["missing"] - self._in_memory[row["seq"]]):
                        self._enqueue(row["key"], _Pending.of(row))
            if rows:
                after = rows[-1]["seq"]
                self._read_up_to = max(self._read_up_to, after)
            if len(rows) < BATCH:
                return

    def _enqueue(self, key: str, pending: _Pending) -> None:
        self._in_memory[pending.seq] += 1
        if key in self._queues:
            self._queues[key].append(pending)
        else:
            self._queues[key] = deque([pending])
            self.group.create_task(self._deliver_in_order(key))

    async def _deliver_in_order(self, key: str) -> None:
        queue = self._queues[key]
        while queue:
            await self._deliver(queue[0])
            queue.popleft()
        del self._queues[key]

    async def _deliver(self, pending: _Pending) -> None:
        attempt = pending.attempts
        while True:
            attempt += 1
            problem = await self._send(pending)
            if problem is None:
                self._done.append(pending.seq)
                self._to_mark.set()
                return
            dead = attempt >= self._backoff.attempts
            await self._note_failure(pending, attempt, problem, dead=dead)
            if dead:
                return
            await clock.pause(self._backoff.pause(attempt, self._randomness))

    async def _send(self, pending: _Pending) -> str | None:
        headers = webhooks.headers(self._receiver.secret, pending.id, clock.now(), pending.body)
        headers["content-type"] = "application/cloudevents+json"
        async with self._side_by_side:
            try:
                answer = await self._http.post(self._receiver.url, content=pending.body, headers=headers)
            except httpx.HTTPError as error:
                return f"{type(error).__name__}: {error}"
        return None if answer.is_success else f"answered {answer.status_code}"

    async def _note_failure(self, pending: _Pending, attempt: int, problem: str, *, dead: bool) -> None:
        log.warning("event not delivered", id=pending.id, attempt=attempt, problem=problem, dead=dead)
        async with self._database:
            await self._connection.execute(
                f"UPDATE {self._table} SET attempts = $2, last_error = $3, "  # noqa: S608 - our own name
                "dead_at = CASE WHEN $4 THEN clock_timestamp() END WHERE seq = $1",
                pending.seq,
                attempt,
                problem[:500],
                dead,
            )
            if dead:
                self._forget([pending.seq])

    async def keep_marks(self) -> None:
        """Marks as sent, many at a time. A crash before the mark sends again: at least once."""
        while True:
            await self._to_mark.wait()
            self._to_mark.clear()
            async with self._database:
                done, self._done = self._done, []
                await self._connection.execute(
                    f"UPDATE {self._table} AS o SET sent = sent + d.times, last_error = NULL, "  # noqa: S608 - our own name
                    "delivered_at = coalesce(delivered_at, clock_timestamp()) "
                    "FROM (SELECT seq, count(*)::int AS times FROM unnest($1::bigint[]) AS seq GROUP BY seq) AS d "
                    "WHERE o.seq = d.seq",
                    done,
                )
                self._forget(done)

    def _forget(self, done: Sequence[int]) -> None:
        was_full = self._in_memory.total() >= IN_MEMORY
        for seq in done:
            self._in_memory[seq] -= 1
            if self._in_memory[seq] <= 0:
                del self._in_memory[seq]
        if was_full:
            self.on_room()
