"""One dispatcher for each receiver of an outbox, each with a connection of its own: none waits for another."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import asyncpg
import httpx
import structlog

from deskworld_kit import clock
from deskworld_kit.dispatcher import SAFETY_NET_SECONDS, Dispatcher, Receiver
from deskworld_kit.gate import Backoff

log = structlog.get_logger(__name__)
Got = TypeVar("Got")


@dataclass(frozen=True, slots=True)
class _Sending:
    dispatcher: Dispatcher
    task: asyncio.Task[None]


class Dispatchers:
    """Sends to all active receivers. `configured`, the one that the service's settings name, is put on the list first,
    and gets what was published before it was there."""

    def __init__(
        self,
        *,
        dsn: str,
        http: Callable[[], httpx.AsyncClient],
        seed: str,
        configured: Receiver | None = None,
        configured_name: str = "webhook",
        table: str = "outbox",
        backoff: Backoff | None = None,
        safety_net: float = SAFETY_NET_SECONDS,
    ) -> None:
        """`seed` spreads the retries; `configured_name` is taken from the list when nothing is configured."""
        self._dsn = dsn.replace("postgresql+asyncpg://", "postgresql://", 1)
        self._http = http
        self._seed = seed
        self._configured = configured
        self._configured_name = configured_name if configured is None else configured.name
        self._table = table
        self._backoff = backoff or Backoff()
        self._safety_net = safety_net
        self._sending: dict[Receiver, _Sending] = {}
        self._changed = asyncio.Event()
        self._listed = False

    @property
    def at_work(self) -> bool:
        """The receivers are known, and events leave for each of them."""
        return self._listed and all(one.dispatcher.at_work for one in self._sending.values())

    def wake(self) -> None:
        """Something was committed. Never needed: the database's notification says the same a little later."""
        for one in self._sending.values():
            one.dispatcher.wake()

    def rescan(self) -> None:
        """An older event is wanted again."""
        for one in self._sending.values():
            one.dispatcher.rescan()

    def changed(self) -> None:
        """The list of receivers is another one. Another process sees it by its safety net."""
        self._changed.set()

    async def run(self) -> None:
        """Until cancelled."""
        attempt, randomness = 0, Random(self._seed)  # noqa: S311 - it spreads retries, it keeps no secret
        try:
            while True:
                self._changed.clear()
                wanted = await self._tried(self._read())
                if wanted is None:
                    attempt += 1
                    await clock.pause(self._backoff.pause(attempt, randomness))
                    continue
                attempt = 0
                if await self._bring_to(wanted):
                    await self._tried(self._forget_the_gone())
                try:
                    async with asyncio.timeout(self._safety_net):
                        await self._changed.wait()
                except TimeoutError:
                    continue
        finally:
            await self._bring_to(frozenset())

    async def _tried(self, work: Coroutine[Any, Any, Got]) -> Got | None:
        """None when the database cannot be asked: a connection that is cut shows in more kinds of error than its driver
        documents."""
        trying = asyncio.create_task(work)
        try:
            await asyncio.wait([trying])
        finally:
            trying.cancel()
            await asyncio.wait([trying])
        if not trying.cancelled() and trying.exception() is None:
            return trying.result()
        ended = "cancelled" if trying.cancelled() else repr(trying.exception())
        log.warning("the receivers of events cannot be looked at", ended=ended)
        return None

    async def _forget_the_gone(self) -> None:
        """What was still to be sent to receivers that are no more, once nobody sends to them."""
        connection: Any = await asyncpg.connect(self._dsn)  # type: ignore[no-untyped-call]
        try:
            await connection.execute(
                f"DELETE FROM {self._table}_deliveries AS d WHERE NOT EXISTS "  # noqa: S608 - our own name
                f"(SELECT FROM {self._table}_receivers AS r WHERE r.name = d.receiver)"
            )
        finally:
            connection.terminate()

    async def _read(self) -> frozenset[Receiver]:
        connection: Any = await asyncpg.connect(self._dsn)  # type: ignore[no-untyped-call]
        try:
            if not self._listed:
                await self._list_configured(connection)
                self._listed = True
            rows = await connection.fetch(f"SELECT name, url, secret FROM {self._table}_receivers WHERE active")  # noqa: S608 - our own name
        finally:
            connection.terminate()
        return frozenset(self._receiver(row) for row in rows)

    def _receiver(self, row: Any) -> Receiver:
        if self._configured is not None and row["name"] == self._configured.name:
            return self._configured
        return Receiver(row["name"], row["url"], row["secret"] or "")

    async def _list_configured(self, connection: Any) -> None:
        """Under the lock that orders events, so that none is published meanwhile and missed."""
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(hashtext($1))", f"{self._table}:order")
            if self._configured is None:
                off = f"UPDATE {self._table}_receivers SET active = false WHERE name = $1"  # noqa: S608 - our own name
                await connection.execute(off, self._configured_name)
                return
            known = f"SELECT active FROM {self._table}_receivers WHERE name = $1"  # noqa: S608 - our own name
            was_active = await connection.fetchval(known, self._configured.name)
            await connection.execute(
                f"INSERT INTO {self._table}_receivers (name, url, active, at) VALUES ($1, $2, true, clock_timestamp()) "  # noqa: S608 - our own name
                "ON CONFLICT (name) DO UPDATE SET url = excluded.url, active = true",
                self._configured.name,
                self._configured.url,
            )
            if not was_active:
                await connection.execute(
                    f"INSERT INTO {self._table}_deliveries (receiver, seq) SELECT $1, seq FROM {self._table} "  # noqa: S608 - our own name
                    "ON CONFLICT DO NOTHING",
                    self._configured.name,
                )

    async def _bring_to(self, wanted: frozenset[Receiver]) -> bool:
        """Whether somebody is sent to no more."""
        ended = [self._sending.pop(one) for one in [*self._sending] if one not in wanted]
        for one in ended:
            one.task.cancel()
        if ended:
            await asyncio.wait([one.task for one in ended])
        for receiver in wanted - self._sending.keys():
            self._sending[receiver] = self._start(receiver)
        return bool(ended)

    def _start(self, receiver: Receiver) -> _Sending:
        http = self._http()
        dispatcher = Dispatcher(
            dsn=self._dsn,
            receiver=receiver,
            http=http,
            randomness=Random(f"{self._seed} {receiver.name}"),  # noqa: S311 - it spreads retries, it keeps no secret
            table=self._table,
            backoff=self._backoff,
            safety_net=self._safety_net,
        )

        async def sending() -> None:
            async with http:
                await dispatcher.run()

        return _Sending(dispatcher, asyncio.create_task(sending(), name=f"{self._table}-to-{receiver.name}"))
