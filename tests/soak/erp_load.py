"""Clients that never give up: each sends a command again, with the same key, until it is answered."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx
from tests.support.erp import invoice, line, situation
from tests.support.erp_process import ErpProcess

from deskworld_kit.clock import pause
from deskworld_kit.ids import new_id

VENDORS = 6
CLIENTS = 8


@dataclass(frozen=True, slots=True)
class Ground:
    vendor_id: str
    invoice_id: str
    exception_id: str
    po_number: str


@dataclass(slots=True)
class Load:
    """`answered`: what each key was answered in the end. `asked`: how often it had to be sent."""

    erp: ErpProcess
    grounds: list[Ground]
    answered: dict[str, tuple[int, Any]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    in_flight: set[str] = field(default_factory=set)
    ending: bool = False
    gap: float = 0.0
    """Seconds between two commands of a client."""

    async def run(self, seed: int) -> None:
        """Until it is told to end, and every command was answered."""
        async with asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(self._client(Random(f"{seed} {number}")))

    async def _client(self, draw: Random) -> None:
        while not self.ending:
            at = draw.choice(self.grounds)
            if draw.random() < 0.2:
                lines = [{"line": 1, "quantity": "0.010", "rejected": "0"}]
                said = {"po_number": at.po_number, "date": "2026-03-20", "lines": lines}
                await self._insist("/goods-receipts", "emma.lind", said)
            else:
                await self._hold_or_release(at)
            await pause(self.gap)

    async def _hold_or_release(self, at: Ground) -> None:
        found = await self._read(f"/invoices/{at.invoice_id}")
        (exception,) = [one for one in found["exceptions"] if one["id"] == at.exception_id]
        action, by = ("release-hold", "grace.hall") if exception["holds"] else ("hold", "emma.lind")
        said = {"expected_version": found["version"], "exception_id": at.exception_id, "comment": "soak"}
        await self._insist(f"/invoices/{at.invoice_id}/{action}", by, said)

    async def _read(self, path: str) -> Any:
        while True:
            try:
                return await self.erp.get(path)
            except httpx.HTTPError:
                await pause(0.02)

    async def _insist(self, path: str, by: str, said: Mapping[str, Any]) -> None:
        key = new_id()
        self.in_flight.add(key)
        while True:
            self.asked[key] = self.asked.get(key, 0) + 1
            try:
                answer = await self.erp.post(path, by=by, key=key, **said)
            except httpx.HTTPError:
                await pause(0.02)
                continue
            if answer.status_code >= 500:
                await pause(0.02)
                continue
            self.answered[key] = (answer.status_code, answer.json())
            self.in_flight.discard(key)
            return


async def prepared(erp: ErpProcess) -> list[Ground]:
    """Vendors with one invoice each, whose price variance can be held and released again and again."""
    grounds = []
    for _ in range(VENDORS):
        seed = situation(invoice(lines=[line(price="10.40")]))
        answer = await erp.stage("POST", "/situations", json=seed)
        records = answer["records"]
        grounds.append(
            Ground(
                answer["vendor_id"],
                records["invoice"]["id"],
                answer["exceptions"][0]["id"],
                records["order"]["number"],
            )
        )
    return grounds
