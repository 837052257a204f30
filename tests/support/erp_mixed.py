"""Many hands on a few vendors: commands, goods, reversals, credit notes, bank changes; drawn from a seed, at once."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.support.erp import RunningErp, Seeded, invoice, line, situation

from deskworld_kit.ids import new_id

EXPECTED = frozenset({200, 201, 400, 403, 404, 409, 422})
BILLS = 4
MANAGERS = ("grace.hall", "hugo.silva", "ines.vogel", "jonas.weber")
COMMANDS = (
    ("hold", ("emma.lind", "felix.moreau")),
    ("release-hold", MANAGERS),
    ("request-credit-memo", ("emma.lind", "felix.moreau")),
    ("short-pay", MANAGERS),
    ("approve-variance", MANAGERS),
    ("reject", MANAGERS),
    ("assign-po", MANAGERS),
    ("clear-duplicate", ("ines.vogel", "jonas.weber")),
)


@dataclass(slots=True)
class Ground:
    """One vendor that many work on."""

    seeded: Seeded
    receipts: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)


async def ground(erp: RunningErp) -> Ground:
    """100 ordered, 50 received, and bills that see one another: on one order, two with the same number."""
    bills = [
        invoice(f"bill-{n}", number=f"S-{n % 3}", lines=[line(quantity="40", price=f"1{n}.00")]) for n in range(BILLS)
    ]
    return Ground(await erp.seed(situation(*bills, received="50")))


async def mixed(erp: RunningErp, grounds: list[Ground], draw: Random, *, count: int, side_by_side: int) -> Counter[str]:
    """How often each answer came, by what was asked and its status."""
    room, answers = asyncio.Semaphore(side_by_side), Counter[str]()

    async def one(at: Ground, chance: Random) -> None:
        async with room:
            what, status = await act(erp, at, chance)
            answers[f"{what} {status}"] += 1

    await asyncio.gather(*(one(draw.choice(grounds), Random(draw.random())) for _ in range(count)))
    return answers


async def act(erp: RunningErp, at: Ground, draw: Random) -> tuple[str, int]:
    chance = draw.random()
    if chance < 0.08:
        return "goods", await _goods(erp, at, draw)
    if chance < 0.12:
        return "reversal", await _reversal(erp, at, draw)
    if chance < 0.16:
        return "credit note", await _credit(erp, at, draw)
    if chance < 0.24:
        return await _bank(erp, at, draw)
    return await _command(erp, at, draw)


async def _command(erp: RunningErp, at: Ground, draw: Random) -> tuple[str, int]:
    found = await at.seeded.invoice(f"bill-{draw.randrange(BILLS)}")
    still_open = [one for one in found["exceptions"] if one["status"] == "OPEN"]
    action, people = draw.choice(COMMANDS)
    masked = [one["id"] for exception in still_open for one in exception["masked"]]
    about = draw.choice(still_open)["id"] if still_open else new_id()
    said: dict[str, Any] = {
        "short-pay": {"amount": draw.choice(["1.00", found["payable"], "399.99"]), "settles": masked},
        "approve-variance": {"settles": [one["id"] for one in still_open] + masked},
        "assign-po": {"against_po": at.seeded.record("order")["number"]},
        "clear-duplicate": {"comment": "numbers restart"},
        "reject": {},
    }.get(action, {"exception_id": about})
    answer = await erp.send(action, found, by=draw.choice(people), **said)
    return action, int(answer.status_code)


async def _goods(erp: RunningErp, at: Ground, draw: Random) -> int:
    lines = [{"line": 1, "quantity": draw.choice(["1", "5", "20"]), "rejected": "0"}]
    body = {"po_number": at.seeded.record("order")["number"], "date": "2026-03-20", "lines": lines}
    answer = await erp.post("/goods-receipts", by="emma.lind", **body)
    if answer.status_code == 201:
        at.receipts.append(answer.json()["id"])
    return int(answer.status_code)


async def _reversal(erp: RunningErp, at: Ground, draw: Random) -> int:
    receipt = draw.choice(at.receipts) if at.receipts else new_id()
    said = {"date": "2026-03-21", "why": "counted wrong"}
    return (await erp.post(f"/goods-receipts/{receipt}/reversal", by="emma.lind", **said)).status_code


async def _credit(erp: RunningErp, at: Ground, draw: Random) -> int:
    bill = at.seeded.record(f"bill-{draw.randrange(BILLS)}")["id"]
    body = {"number": f"CN-{draw.randrange(10**9)}", "date": "2026-03-22", "currency": "USD", "amount": "1.00"}
    return (await erp.post("/credit-notes", by="emma.lind", invoice_id=bill, **body)).status_code


async def _bank(erp: RunningErp, at: Ground, draw: Random) -> tuple[str, int]:
    if not at.changes or draw.random() < 0.1:
        body = {
            "account": f"CH{draw.randrange(100)}",
            "routing": "1",
            "requested_from": "a@b.vendors.deskworld.example",
        }
        answer = await erp.post(f"/vendors/{at.seeded.vendor_id}/bank-changes", by="emma.lind", **body)
        at.changes.append(answer.json()["change_id"])
        return "propose", answer.status_code
    what = draw.choice(["call-back", "confirm", "confirm", "reject"])
    said = {"phone": "+41 44 000 00 00", "answer": "yes"} if what == "call-back" else {}
    change = at.changes[-1]
    answer = await erp.post(f"/bank-changes/{change}/{what}", by=draw.choice(MANAGERS), **said)
    return what, answer.status_code


async def check(erp: RunningErp, at: Ground) -> int:
    """That every applied command is on record once and each version was told once; how many commands were applied."""
    witness = await erp.witness(at.seeded.vendor_id)
    applied = sorted(one["key"] for one in witness["commands"] if one["outcome"] == "applied")
    audited = sorted(row["detail"]["key"] for row in witness["audit"] if "key" in row["detail"])
    assert applied == audited
    for bill in witness["invoices"]:
        changes = [event for event in witness["outbox"] if event["subject"] == bill["id"]]
        told = [event["data"]["version"] for event in changes if event["type"].endswith("invoice.changed")]
        assert told == list(range(2, bill["version"] + 1)), bill["id"]
    return len(applied)
