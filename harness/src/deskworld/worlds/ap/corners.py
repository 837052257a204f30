"""The corners of a situation's ranges at the doors: what the ERP raises, and to whom the policy routes a right end."""

import asyncio
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from deskworld.doors import policy
from deskworld.doors.http import HttpDoor
from deskworld.values.case import Acceptable, Case
from deskworld.values.stack import Stack
from deskworld.worlds.ap.checks.words import PAYS
from deskworld.worlds.ap.erp import stage_door

TOGETHER = 50
SIDE_BY_SIDE = 8
ROUTING = "ap.routing"
Json = dict[str, Any]


async def corners(stack: Stack, cases: Sequence[Case]) -> list[list[str]]:
    """Seeded unannounced: no desk hears of them. Raises DoorFailed."""
    erp, engine = stage_door(stack), HttpDoor("policy", stack.policy)
    places = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(case: Case) -> list[str]:
        async with places:
            shown = await erp.get("/stage/witness", vendor_id=case.subject_id)
            return [*_raised(case, shown), *await _routed(case, shown, engine)]

    try:
        for start in range(0, len(cases), TOGETHER):
            part = [{**case.situation, "faults": []} for case in cases[start : start + TOGETHER]]
            await erp.post("/stage/companies", {"situations": part})
        return list(await asyncio.gather(*(one(case) for case in cases)))
    finally:
        await asyncio.gather(erp.close(), engine.close())


def _raised(case: Case, shown: Json) -> Iterator[str]:
    raised = sorted(one["reason"] for one in _open(_graded(case, shown)))
    if raised != sorted(case.raises):
        yield f"raised {', '.join(raised) or 'nothing'}, and the file says {', '.join(sorted(case.raises))}"


async def _routed(case: Case, shown: Json, engine: HttpDoor) -> list[str]:
    wrong: list[str] = []
    followed = next((one for one in _open(_graded(case, shown)) if one["reason"] == case.follow), None)
    for end in case.expect.accept:
        if end.action is None or followed is None:
            continue
        answer = await policy.replay(engine, ROUTING, _input(end, followed, _graded(case, shown), shown))
        told = (answer.get("effect"), answer.get("role"), answer.get("user"))
        if told[0] != "route" or told[1] != end.role or end.user not in {None, told[2]}:
            codes = ", ".join(one["code"] for one in answer.get("reasons", ()))
            expected = f"{end.role}{f' {end.user}' if end.user else ''}"
            wrong.append(f"{end.action} belongs to {expected}, and the policy says {told} {codes}".rstrip())
    return wrong


def _input(end: Acceptable, followed: Json, invoice: Json, shown: Json) -> Json:
    """The question that the desk asks when an agent proposes this end (see the page of doors)."""
    named = [one["id"] for one in _open(invoice)] + [one["id"] for one in _masked(invoice)]
    order = next(iter(shown["orders"]), None)
    against = order if end.against_po and order and order["number"] == end.against_po else None
    known = against or (order if order and order["number"] == invoice["matched_po"] else None)
    pending = any(one["status"] == "PENDING_VERIFICATION" for one in shown["vendor"]["bank_accounts"])
    return {
        "case": {"id": followed["id"], "reason": followed["reason"], "proposer": "agent"},
        "tool": "propose_resolution",
        "proposal": {
            "action": end.action,
            "amount": _amount(end, invoice),
            "currency": invoice["currency"],
            "settles": named if end.action == "approve-variance" else [followed["id"]] if end.action in PAYS else [],
            "against_po": end.against_po or "none",
            "citations": [shown["vendor"]["id"], invoice["id"]],
        },
        "facts": {
            "invoice": {
                "status": invoice["status"],
                "total": invoice["computed_total"],
                "version": invoice["version"],
                "open": [
                    {"id": one["id"], "reason": one["reason"], "held": bool(one["holds"])} for one in _open(invoice)
                ],
                "masked": [{"id": one["id"], "reason": one["reason"]} for one in _masked(invoice)],
                "payable": invoice["payable"],
            },
            "against": {"po": against["number"], "payable": against["payable"]} if against else "none",
            "issue": followed["amount"],
            "buyer": known["buyer"] if known else "unknown",
            "bank": "unverified" if pending else "known",
            "cites_bank": True,
            "ungrounded": [],
            "asked_this_turn": False,
            "mail": {"instructions": False, "reader_failed": False},
            "credit": "none",
        },
    }


def _amount(end: Acceptable, invoice: Json) -> str:
    if end.action == "short-pay":
        return str(end.amount)
    if end.action != "approve-variance":
        return "none"
    total = min(Decimal(invoice["computed_total"]), Decimal(invoice["stated_total"]))
    return f"{total - Decimal(invoice['credits']):.2f}"


def _graded(case: Case, shown: Json) -> Json:
    number = case.situation["invoices"][-1]["number"]
    return next(one for one in shown["invoices"] if one["number"] == number)


def _open(invoice: Json) -> list[Json]:
    return [one for one in invoice["exceptions"] if one["status"] == "OPEN"]


def _masked(invoice: Json) -> list[Json]:
    return [finding for one in _open(invoice) for finding in one["masked"]]
