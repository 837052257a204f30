"""How fast the ERP's office door is, held against a FastAPI route that does nothing: same run, same client."""

import json
import statistics
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.bench.bare import served
from tests.bench.ground import Ground, NotMeasured
from tests.bench.load import Connection, Load, load
from tests.bench.result import Result
from tests.support.erp_process import ErpProcess, erp_process

CLIENTS = 16
ROUNDS = 7
REQUESTS = 40
"""A client's in a round. The rounds take turns, so that a machine that slows down slows all of them."""
Ask = Callable[[Connection], Awaitable[None]]


async def office_door(_ground: Ground) -> list[Result]:
    """Reading an invoice with its lines and exceptions, and a command on it; the ERP has a stack of its own, and nobody
    to send events to."""
    async with served() as bare, erp_process(ERP_WEBHOOK_URL="") as erp:
        doors = [Door(bare, [_reading("/", "")] * CLIENTS), *await _office(erp)]
        for door in doors:
            await door.load(20)
        rounds = [[await door.load(REQUESTS) for door in doors] for _ in range(ROUNDS)]
    slowest = [read.at(0.99) / read.at(0.5) for _, read, _ in rounds]
    return [
        Result("bare route, light client", round(_middle([one.rate for one, _, _ in rounds])), "requests a second"),
        Result("ERP read", round(_middle([one.rate for _, one, _ in rounds])), "requests a second"),
        Result("ERP command", round(_middle([one.rate for _, _, one in rounds])), "requests a second"),
        _ratio("ERP read, of a bare route", rounds, 1, 0.13),
        _ratio("ERP command, of a bare route", rounds, 2, 0.065),
        Result(f"ERP read at {CLIENTS} clients, p99 of p50", round(_middle(slowest), 2), "×", 4),
    ]


@dataclass(frozen=True, slots=True)
class Door:
    address: str
    asks: Sequence[Ask]
    """One a client."""

    async def load(self, times: int) -> Load:
        """On connections of its own: none has idled while other doors were asked."""
        connections = [await Connection.to(self.address) for _ in self.asks]
        try:
            return await load([partial(ask, one) for ask, one in zip(self.asks, connections, strict=True)], times)
        finally:
            for connection in connections:
                await connection.close()


def _ratio(name: str, rounds: list[list[Load]], place: int, goal: float) -> Result:
    value = _middle([one[place].rate / one[0].rate for one in rounds])
    return Result(name, round(value, 3), "×", goal, at_least=True)


def _middle(values: list[float]) -> float:
    return statistics.median(values)


def _reading(path: str, headers: str) -> Ask:
    async def ask(connection: Connection) -> None:
        answer = await connection.ask("GET", path, headers=headers)
        if answer.status != 200:
            raise NotMeasured(f"GET {path} answered {answer.status}: {answer.body[:200]!r}")

    return ask


async def _office(erp: ErpProcess) -> tuple[Door, Door]:
    """A vendor of its own for each client: two commands on one vendor's records wait for each other."""
    clerk, manager = [f"authorization: Bearer {erp.token(one)}\r\n" for one in ("emma.lind", "grace.hall")]
    seeded = [await erp.stage("POST", "/situations", json=_situation()) for _ in range(CLIENTS)]
    exceptions = [one["exceptions"][0] for one in seeded]
    reads = [_reading(f"/invoices/{one['invoice_id']}", clerk) for one in exceptions]
    address = erp.service.url("office")
    return Door(address, reads), Door(address, [_holding(one, clerk, manager) for one in exceptions])


def _holding(exception: dict[str, Any], clerk: str, manager: str) -> Ask:
    """The clerk holds, the manager releases: commands with audit rows and events; a release matches again."""
    version, held = 1, False

    async def ask(connection: Connection) -> None:
        nonlocal version, held
        action, bearer = ("release-hold", manager) if held else ("hold", clerk)
        body = json.dumps({"expected_version": version, "exception_id": exception["id"]}).encode()
        headers = f"{bearer}content-type: application/json\r\nidempotency-key: {uuid.uuid4()}\r\n"
        path = f"/invoices/{exception['invoice_id']}/{action}"
        answer = await connection.ask("POST", path, headers=headers, body=body)
        if answer.status != 200:
            raise NotMeasured(f"{action} answered {answer.status}: {answer.body[:300]!r}")
        version, held = json.loads(answer.body)["version"], not held

    return ask


def _situation() -> dict[str, Any]:
    """Three lines, of which one is too dear."""
    number = f"PO-BENCH-{uuid.uuid4()}"
    ordered = [
        {"item": f"ITEM-{no}", "description": "Part", "unit": "EA", "quantity": "100.000", "price": "10.00"}
        for no in range(3)
    ]
    billed = [{**line, "po_line": no, "price": "10.40" if no == 1 else "10.00"} for no, line in enumerate(ordered, 1)]
    day = "2026-03-10"
    return {
        "vendor": {"id": str(uuid.uuid4()), "name": "Bench AG", "terms": "net 30", "contacts": [], "bank_accounts": []},
        "orders": [
            {"ref": "order", "number": number, "buyer": "anna.keller", "currency": "USD", "date": day, "lines": ordered}
        ],
        "receipts": [
            {
                "ref": "goods",
                "order": "order",
                "date": day,
                "lines": [{"line": n, "quantity": "100"} for n in (1, 2, 3)],
            }
        ],
        "invoices": [
            {"ref": "bill", "number": "R-1", "po_reference": number, "date": day, "currency": "USD", "lines": billed}
        ],
    }
