"""After everything: whether the books of ERP, desk and mail server agree that nothing was lost and nothing came twice.

Read again at the end through the doors, so that what came late or twice is seen as well as what is missing.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.soak.compose import mailboxes
from tests.soak.compose.engine import Engine

from deskworld import bundle
from deskworld.doors.http import HttpDoor
from deskworld.doors.identity import People
from deskworld.values.chain import first_broken
from deskworld.values.record import Record
from deskworld.values.stack import Stack

AUDITOR = "kira.stone"
SIDE_BY_SIDE = 8
ENDED = frozenset({"RESOLVED", "ON_HOLD", "NEEDS_PERSON"})
AGAIN = 2
"""A desk, or a mail server, that was killed between the handing in of a letter and the record of it leaves nobody who
knows: it is handed in once more under the same Message-ID (RFC 5321, 4.5.4.1), and its reader knows it again."""
STAFF = "@staff.deskworld.example"


@dataclass(frozen=True, slots=True)
class Subject:
    """One vendor: its cases at the desk, and what the ERP says of its records."""

    vendor_id: str
    desk: Mapping[str, Any]
    erp: Mapping[str, Any]
    record: Record

    def rows(self, kind: str) -> list[Mapping[str, Any]]:
        return [row for case in self.desk["cases"] for row in case["timeline"] if row["kind"] == kind]


@dataclass(slots=True)
class Books:
    """What was counted, and every finding in words."""

    counted: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


async def audited(engine: Engine, bundles: Sequence[Path]) -> Books:
    """Raises DoorFailed when a witness cannot be heard."""
    boxes = dict(
        zip(
            ("counterparties", "staff", "desk"),
            await asyncio.gather(mailboxes.counterparties(engine), mailboxes.staff(engine), mailboxes.desk(engine)),
            strict=True,
        )
    )
    return await read(engine.stack, boxes, bundles)


async def read(
    stack: Stack, boxes: Mapping[str, Counter[str]], bundles: Sequence[Path], *, again: int = AGAIN
) -> Books:
    """`boxes` as `findings` takes them. `again`: how often a letter may lie there whose hand-in nobody heard of. Raises
    DoorFailed."""
    records = [case.record for folder in bundles for case in bundle.read_bundle(folder).cases()]
    books = Books()
    await _chain(stack, books)
    for subject in await _heard(stack, [record for record in records if record.seeded is not None]):
        books.findings += [
            f"{subject.record.case.scenario} {subject.vendor_id}: {what}" for what in findings(subject, boxes, again)
        ]
        _count(subject, boxes, books.counted)
    return books


async def _chain(stack: Stack, books: Books) -> None:
    people = People(stack)
    try:
        erp = HttpDoor("ERP", stack.erp, secret=await people.token(AUDITOR))
    finally:
        await people.close()
    try:
        said = await erp.get("/audit/verify")
    finally:
        await erp.close()
    books.counted["audit rows in one chain"] += int(said["rows"])
    if not said["ok"]:
        books.findings.append(f"the ERP's audit chain is broken: {said['broken']}")


async def _heard(stack: Stack, records: Iterable[Record]) -> list[Subject]:
    places = asyncio.Semaphore(SIDE_BY_SIDE)
    desk = HttpDoor("desk stage", stack.desk_stage, secret=stack.secrets.desk_stage)
    erp = HttpDoor("ERP stage", stack.erp_stage, secret=stack.secrets.erp_stage)

    async def one(record: Record) -> Subject:
        vendor_id = record.case.subject_id
        async with places:
            told, witness = await asyncio.gather(
                desk.get(f"/stage/vendors/{vendor_id}/evidence"), erp.get("/stage/witness", vendor_id=vendor_id)
            )
        return Subject(vendor_id, told, witness, record)

    try:
        return list(await asyncio.gather(*(one(record) for record in records)))
    finally:
        await desk.close()
        await erp.close()


def findings(subject: Subject, boxes: Mapping[str, Counter[str]], again: int = AGAIN) -> Iterator[str]:
    """In words. `boxes` are the mailboxes `counterparties`, `staff` and `desk`: how often each Message-ID is there."""
    yield from _cases(subject)
    yield from _commands(subject)
    yield from _events(subject)
    yield from _letters(subject, boxes, again)
    yield from _replies(subject, boxes["desk"])


def _cases(subject: Subject) -> Iterator[str]:
    raised = {one["id"] for one in subject.record.seeded.exceptions} if subject.record.seeded else set()
    for missing in raised - {case["view"]["case_id"] for case in subject.desk["cases"]}:
        yield f"the exception {missing} never became a case"
    for case in subject.desk["cases"]:
        view, rows = case["view"], case["timeline"]
        if first_broken(rows) is not None or [row["seq"] for row in rows] != list(range(1, len(rows) + 1)):
            yield f"the timeline of {view['case_id']} is not one chain"
        waits = subject.record.settled is not None and subject.record.settled.state not in ENDED
        if view["state"] not in ENDED and not waits:
            yield f"the case {view['case_id']} has not ended: {view['state']}"
        if view["in_motion"]:
            yield f"the case {view['case_id']} is still in motion: {view['in_motion']}"


def _commands(subject: Subject) -> Iterator[str]:
    told = Counter(row["data"]["decision_id"] for row in subject.rows("command.applied"))
    done = Counter(one["key"] for one in subject.erp["commands"] if one["outcome"] == "applied")
    booked = Counter(row["decision_id"] for row in subject.erp["audit"] if row["decision_id"])
    for what, counted in (("desk", told), ("ERP's commands", done), ("ERP's audit", booked)):
        for key, times in counted.items():
            if times > 1:
                yield f"decision {key} was carried out {times} times, says the {what}"
    if not told.keys() == done.keys() == booked.keys():
        yield f"carried out: desk {sorted(told)}, ERP's commands {sorted(done)}, ERP's audit {sorted(booked)}"
    made = {row["data"]["decision_id"] for row in subject.rows("decision.made")}
    ends = ("command.applied", "command.refused", "proposal.withdrawn")
    ended = {row["data"].get("decision_id") for kind in ends for row in subject.rows(kind)}
    declined = {r["data"]["decision_id"] for r in subject.rows("decision.made") if r["data"]["verdict"] == "decline"}
    for lost in made - ended - declined:
        yield f"decision {lost} was made, and nothing became of it"


def _events(subject: Subject) -> Iterator[str]:
    for event in subject.erp["outbox"]:
        delivery = event["delivery"]
        if delivery["delivered_at"] is None or delivery["dead_at"] is not None:
            yield f"event {event['id']} ({event['type']}) was not delivered: {delivery}"
    heard = Counter(row["data"]["event_id"] for row in subject.rows("event.received"))
    for event_id, times in heard.items():
        cases = {r["case_id"] for r in subject.rows("event.received") if r["data"]["event_id"] == event_id}
        if times > len(cases):
            yield f"event {event_id} was taken {times} times"


def _letters(subject: Subject, boxes: Mapping[str, Counter[str]], again: int) -> Iterator[str]:
    sent = Counter(row["data"]["letter_id"] for row in subject.rows("mail.sent"))
    yield from (f"letter {letter} is told of {times} times" for letter, times in sent.items() if times > 1)
    for row in subject.rows("mail.sent"):
        for one in row["data"]["recipients"]:
            if one["outcome"] != "accepted":
                yield f"letter {row['data']['letter_id']} was refused: {one['detail']}"
                continue
            there = _copies(row, one, boxes)
            if not 1 <= there <= again:
                yield f"letter {row['data']['message_id']} was handed over, and is in its mailbox {there} times"


def _copies(row: Mapping[str, Any], recipient: Mapping[str, Any], boxes: Mapping[str, Counter[str]]) -> int:
    box = boxes["staff" if recipient["address"].endswith(STAFF) else "counterparties"]
    return box[row["data"]["message_id"]]


def _replies(subject: Subject, box: Counter[str]) -> Iterator[str]:
    aside = [row for row in subject.desk.get("set_aside", ()) if row["kind"] == "mail.set-aside"]
    told = Counter(row["data"]["message_id"] for row in [*subject.rows("mail.received"), *aside])
    for move in subject.record.moves:
        if move.kind == "mail" and move.done:
            # one whose answer was lost is handed in again: it may lie there twice, and is one for the desk
            if not box[move.row]:
                yield f"reply {move.row} was handed over, and is not in the desk's mailbox"
            if told[move.row] != 1:
                yield f"reply {move.row} was handed over, and the desk tells of it {told[move.row]} times"


def _count(subject: Subject, boxes: Mapping[str, Counter[str]], counted: Counter[str]) -> None:
    counted["cases"] += len(subject.desk["cases"])
    counted["commands applied, each once"] += len(subject.rows("command.applied"))
    counted["events delivered"] += len(subject.erp["outbox"])
    counted["letters in their mailbox"] += len(subject.rows("mail.sent"))
    counted["of them handed in twice, because nobody heard of the first time"] += sum(
        _copies(row, one, boxes) > 1 for row in subject.rows("mail.sent") for one in row["data"]["recipients"]
    )
    counted["replies told, each once"] += len(subject.rows("mail.received"))
    counted["of them handed in twice or more"] += sum(
        boxes["desk"][row["data"]["message_id"]] > 1 for row in subject.rows("mail.received")
    )
    counted["turns whose lease was lost"] += sum(
        row["data"]["how"] == "LEASE_LOST" for row in subject.rows("turn.ended")
    )
    counted["decisions asked again of the same person"] += len(subject.rows("decision.needs-decider"))
    counted["rules that stopped because something was away"] += sum(
        row["data"]["reason"] == "failed" for row in subject.rows("rules.ran")
    )
