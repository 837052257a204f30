"""The ERP's stage door: seed a situation, and hear the ERP as a witness."""

from typing import Any

from deskworld.doors.http import HttpDoor
from deskworld.errors import DoorFailed, StageFailed
from deskworld.values.case import Case, Seeded, SeededRecord
from deskworld.values.record import Move, Record
from deskworld.values.stack import Stack
from deskworld.world import RecordDoor

OPENING = "deskworld.erp.match-exception.raised"


def stage_door(stack: Stack) -> HttpDoor:
    return HttpDoor("ERP stage", stack.erp_stage, secret=stack.secrets.erp_stage)


def system_of_record(door: HttpDoor) -> RecordDoor:
    async def seed(case: Case) -> Seeded:
        return seeded(case, await door.post("/stage/situations", case.situation, key=case.subject_id))

    async def witness(record: Record) -> dict[str, Any]:
        found: dict[str, Any] = await door.get("/stage/witness", vendor_id=record.case.subject_id)
        return found

    async def happen(case: Case, move: Move) -> Move:
        if move.kind == "redelivery":
            event_id = _opening(await door.get("/stage/witness", vendor_id=case.subject_id), move)
            await door.ask(f"/stage/events/{event_id}/redeliver", None)
            return move.model_copy(update={"row": event_id, "done": "sent again"})
        # known by the case and its move: sent again after an answer that was lost, the goods come once all the same
        goods = f"/stage/as/{move.who}/goods-receipts"
        receipt = await door.post(goods, move.body, key=f"{case.subject_id}:{move.key}")
        return move.model_copy(update={"row": receipt["id"], "done": "posted"})

    async def calm(case: Case) -> None:
        if case.situation["faults"]:
            await door.delete("/stage/faults", vendor_id=case.subject_id)

    return RecordDoor(seed=seed, witness=witness, happen=happen, calm=calm)


def _opening(witness: dict[str, Any], move: Move) -> str:
    """The event that opened the case. Raises DoorFailed."""
    asked = move.body["exception_id"] if move.body else None
    found = [one["id"] for one in witness["outbox"] if one["type"] == OPENING and one["subject"] == asked]
    if len(found) != 1:
        raise DoorFailed(f"the ERP shows {len(found)} events that raised exception {asked}")
    return str(found[0])


def seeded(case: Case, answer: dict[str, Any]) -> Seeded:
    """Raises StageFailed when the exception that the case follows was not raised."""
    exceptions = tuple(answer["exceptions"])
    graded = [one for one in exceptions if one["reason"] == case.follow and one["invoice"] == "invoice"]
    if len(graded) != 1:
        raised = ", ".join(one["reason"] for one in exceptions) or "nothing"
        raise StageFailed(
            f"{case.scenario} (seed {case.seed}): {case.follow} is to be graded, and the ERP raised {raised}",
            next_step="mend `seed`, `raises` or `follow`",
        )
    return Seeded(
        records=_records(answer["records"]),
        exceptions=exceptions,
        case_id=graded[0]["id"],
        siblings=tuple(one["id"] for one in exceptions if one is not graded[0]),
    )


def _records(answer: dict[str, dict[str, Any]]) -> dict[str, SeededRecord]:
    records = {ref: SeededRecord.model_validate(record) for ref, record in answer.items()}
    change = records.get("bank-change")
    if change is not None:
        # a bank change is read with its vendor: naming either names the fact
        vendor = records["vendor"]
        records["vendor"] = vendor.model_copy(update={"forms": (*vendor.forms, *change.forms)})
    return records
