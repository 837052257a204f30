"""After the play: the timelines, and every witness on its own. One that cannot be heard is None."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any

from deskworld.doors import policy
from deskworld.doors.http import HttpDoor
from deskworld.errors import DoorFailed
from deskworld.values.evidence import CaseTimeline, Evidence, PolicyReplay
from deskworld.values.record import Record
from deskworld.world import HearWitness


async def collect(
    record: Record,
    *,
    desk_stage: HttpDoor,
    policy_door: HttpDoor,
    witness: HearWitness,
    subjects: Mapping[str, str],
) -> Evidence:
    """Raises DoorFailed when the desk itself cannot be heard: without its timeline there is nothing to judge."""
    told, erp = await asyncio.gather(
        desk_stage.get(f"/stage/vendors/{record.case.subject_id}/evidence"), _or_none(witness(record))
    )
    timelines = tuple(
        CaseTimeline(case_id=case["view"]["case_id"], view=case["view"], rows=tuple(case["timeline"]))
        for case in told["cases"]
    )
    people = {move.who for move in record.moves if move.kind in {"answer", "decision"}}
    return Evidence(
        timelines=timelines,
        blobs=told["blobs"],
        set_aside=tuple(told["set_aside"]),
        erp=erp,
        mail=tuple(mail.message_id for mail in record.mail),
        policy=await _replayed(timelines, told["blobs"], policy_door),
        identity={name: subject for name, subject in subjects.items() if name in people},
    )


async def _replayed(
    timelines: tuple[CaseTimeline, ...], blobs: Mapping[str, Any], door: HttpDoor
) -> tuple[PolicyReplay, ...] | None:
    asked = [
        (timeline.case_id, row) for timeline in timelines for row in timeline.rows if row["kind"] == "policy.asked"
    ]
    try:
        answers = await asyncio.gather(*(_replay(case_id, row, blobs, door) for case_id, row in asked))
    except DoorFailed:
        return None
    return tuple(answers)


async def _replay(case_id: str, row: Mapping[str, Any], blobs: Mapping[str, Any], door: HttpDoor) -> PolicyReplay:
    data = row["data"]
    stored = blobs.get(data["input_digest"])
    return PolicyReplay(
        case_id=case_id,
        seq=row["seq"],
        policy=data["policy"],
        stored_effect=data["effect"],
        replayed=None if stored is None else await policy.replay(door, data["policy"], stored),
    )


async def _or_none(witness: Awaitable[dict[str, Any]]) -> dict[str, Any] | None:
    try:
        return await witness
    except DoorFailed:
        return None
