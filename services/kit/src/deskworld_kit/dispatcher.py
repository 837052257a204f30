"""Sends what stands in an outbox to one receiver: woken by LISTEN/NOTIFY, signed, in order per key, with backoff and
dead letters."""

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
from deskworld_kit.gate import Backoff, Gate

log = structlog.get_logger(__name__)

SAFETY_NET_SECONDS = 30.0
BATCH = 200
IN_MEMORY = 2_000
SIDE_BY_SIDE = 64
AWAY = frozenset({429, 502, 503, 504})
"""Statuses that speak of the receiver; any other that is no success speaks of the event alone."""


@dataclass(frozen=True, slots=True)
class Receiver:
    name: str
    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an event was not taken. `away`: the receiver takes nothing now, and asks for `wait` seconds."""

    problem: str
    away: bool
    wait: float = 0.0


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
    """Delivers one outbox to one receiver. Of several processes on a database, one delivers to it at a time."""

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
            log.warning("outbox lost its database", receiver=self._receiver.name, attempt=attempt, ended=ended)
            await clock.pause(self._backoff.pause(attempt, self._randomness))

    async def _session(self) -> None:
        connection: Any = await asyncpg.connect(self._dsn)  # type: ignore[no-untyped-call]
        delivery = _Delivery(connection, self._table, self._receiver, self._http, self._backoff, self._randomness)
        delivery.on_room = self._woken.set
        connection.add_termination_listener(lambda _: self._woken.set())
        self._connected = True
        try:
            only_one = f"{self._table}:dispatcher:{self._receiver.name}"
            await connection.execute("SELECT pg_advisory_lock(hashtext($1))", only_one)
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
        self._gate = Gate(backoff, randomness)
        self._done: list[int] = []
        self._to_mark = asyncio.Event()
        self.on_room: Callable[[], None] = lambda: None

    async def take_in(self, *, all_pending: bool) -> None:
        after = 0 if all_pending else self._read_up_to
        while self._in_memory.total() < IN_MEMORY:
            async with self._database:
                rows = await self._connection.fetch(
                    "SELECT d.seq, o.id, o.key, o.body, d.attempts, d.wanted - d.sent AS missing "  # noqa: S608 - our own names
                    f"FROM {self._table}_deliveries AS d JOIN {self._table} AS o ON o.seq = d.seq "
                    "WHERE d.receiver = $1 AND d.sent < d.wanted AND d.dead_at IS NULL AND d.seq > $2 "
                    "ORDER BY d.seq LIMIT $3",
                    self._receiver.name,
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
            failure = await self._send(pending)
            if failure is None:
                self._done.append(pending.seq)
                self._to_mark.set()
                return
            dead = attempt >= (self._backoff.attempts_while_away if failure.away else self._backoff.attempts)
            await self._note_failure(pending, attempt, failure.problem, dead=dead)
            if dead:
                return
            if not failure.away:
                await clock.pause(self._backoff.pause(attempt, self._randomness))

    async def _send(self, pending: _Pending) -> Failure | None:
        async with self._gate.passed(), self._side_by_side:
            failure = await self._post(pending)
            if failure is not None and failure.away:
                self._gate.unwell(wait=failure.wait)
            else:
                self._gate.well()
        return failure

    async def _post(self, pending: _Pending) -> Failure | None:
        headers = webhooks.headers(self._receiver.secret, pending.id, clock.now(), pending.body)
        headers["content-type"] = "application/cloudevents+json"
        try:
            answer = await self._http.post(self._receiver.url, content=pending.body, headers=headers)
        except httpx.HTTPError as error:
            return Failure(f"{type(error).__name__}: {error}", away=True)
        if answer.is_success:
            return None
        away = answer.status_code in AWAY
        return Failure(f"answered {answer.status_code}", away, _seconds(answer.headers.get("retry-after")))

    async def _note_failure(self, pending: _Pending, attempt: int, problem: str, *, dead: bool) -> None:
        log.warning(
            "event not delivered",
            id=pending.id,
            receiver=self._receiver.name,
            attempt=attempt,
            problem=problem,
            dead=dead,
        )
        async with self._database:
            await self._connection.execute(
                f"UPDATE {self._table}_deliveries SET attempts = $3, last_error = $4, "  # noqa: S608 - our own name
                "dead_at = CASE WHEN $5 THEN clock_timestamp() END WHERE receiver = $1 AND seq = $2",
                self._receiver.name,
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
                    f"UPDATE {self._table}_deliveries AS o SET sent = sent + d.times, last_error = NULL, "  # noqa: S608 - our own name
                    "delivered_at = coalesce(delivered_at, clock_timestamp()) "
                    "FROM (SELECT seq, count(*)::int AS times FROM unnest($2::bigint[]) AS seq GROUP BY seq) AS d "
                    "WHERE o.receiver = $1 AND o.seq = d.seq",
                    self._receiver.name,
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


def _seconds(retry_after: str | None) -> float:
    """Retry-After as seconds (RFC 9110, 10.2.3); a date is not read."""
    return float(retry_after) if retry_after is not None and retry_after.isdigit() else 0.0
