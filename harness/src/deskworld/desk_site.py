"""A site whose people work at the desk: what every world on the desk shares. The world brings its system of record."""

import asyncio
import email
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

from deskworld import observe, stage
from deskworld.doors.http import HttpDoor
from deskworld.doors.identity import People
from deskworld.doors.mail import Outside
from deskworld.doors.stream import DeskStream
from deskworld.errors import DoorFailed, StackUnavailable
from deskworld.people import doing
from deskworld.values.case import Case, Seeded
from deskworld.values.evidence import Evidence
from deskworld.values.record import MailSeen, Move, Record, View
from deskworld.values.stack import Stack
from deskworld.world import Feed, Happening, RecordDoor

SystemOfRecord = Callable[[HttpDoor], RecordDoor]
NOBODYS = frozenset({"goods", "redelivery"})
"""Moves that no person makes at the desk or by mail: the system of record's stage door does."""


class DeskSite:
    """The doors of one stack, shared by all cases that are played on it."""

    def __init__(self, stack: Stack, record_door: HttpDoor, system_of_record: SystemOfRecord) -> None:
        self._record = system_of_record(record_door)
        self._desk = HttpDoor("desk", stack.desk)
        self._desk_stage = HttpDoor("desk stage", stack.desk_stage, secret=stack.secrets.desk_stage)
        self._policy = HttpDoor("policy", stack.policy)
        self._people = People(stack)
        self._followers = Followers()
        self._stream = DeskStream(
            self._desk_stage,
            on_row=self._followers.row,
            on_view=self._followers.view,
            on_broken=self._followers.broken,
        )
        self._outside = Outside(stack, on_mail=self._followers.mail, on_broken=self._followers.broken)

    async def open(self) -> None:
        await asyncio.gather(self._stream.open(), self._outside.open())
        # last: it is waited for, and where no door answers nothing is worth waiting for
        await self._people.open()

    async def close(self) -> None:
        await asyncio.gather(self._stream.close(), self._outside.close())
        await asyncio.gather(self._desk.close(), self._desk_stage.close(), self._policy.close(), self._people.close())

    async def stage(self, case: Case) -> Seeded:
        return await stage.prepare(case, desk_stage=self._desk_stage, seed=self._record.seed)

    @asynccontextmanager
    async def follow(self, case: Case) -> AsyncIterator[Feed]:
        """The case's faults end with it."""
        try:
            with self._followers.following(case) as feed:
                yield feed
        finally:
            await self._record.calm(case)

    async def act(self, case: Case, move: Move) -> Move:
        if move.kind in NOBODYS:
            return await self._record.happen(case, move)
        return await doing.do(move, desk=self._desk, people=self._people, outside=self._outside)

    async def collect(self, record: Record) -> Evidence:
        return await observe.collect(
            record,
            desk_stage=self._desk_stage,
            policy_door=self._policy,
            witness=self._record.witness,
            subjects=self._people.subjects,
        )

    async def open_cases(self) -> int:
        answer = await self._desk_stage.get("/stage/open-cases")
        return int(answer["count"])


class Followers:
    """Who hears what: rows and views go to the play of their subject, mail to the play that the address belongs to."""

    def __init__(self) -> None:
        self._by_subject: dict[str, Feed] = {}
        self._by_address: dict[str, Feed] = {}
        self._subject_of: dict[str, str] = {}
        self._broken: str | None = None

    @contextmanager
    def following(self, case: Case) -> Iterator[Feed]:
        feed: Feed = asyncio.Queue()
        addresses = [part.identity for part in case.script.values() if "@" in part.identity]
        self._by_subject[case.subject_id] = feed
        self._by_address.update(dict.fromkeys(addresses, feed))
        if self._broken:
            feed.put_nowait(Happening(broken=self._broken))
        try:
            yield feed
        finally:
            del self._by_subject[case.subject_id]
            for address in addresses:
                del self._by_address[address]
            gone = [one for one, subject in self._subject_of.items() if subject == case.subject_id]
            for case_id in gone:
                del self._subject_of[case_id]

    def row(self, row: Mapping[str, Any]) -> None:
        case_id = row["case_id"]
        if case_id is None:
            self._tell_all(Happening(row=row))
            return
        if row["kind"] == "case.opened" and row["data"]["vendor_id"] in self._by_subject:
            self._subject_of[case_id] = row["data"]["vendor_id"]
        self._tell(case_id, Happening(row=row))

    def view(self, view: Mapping[str, Any]) -> None:
        known = {name: view[name] for name in View.model_fields}
        self._tell(view["case_id"], Happening(view=View.model_validate(known)))

    def mail(self, seen: MailSeen) -> None:
        feed = self._by_address.get(seen.recipient)
        if feed is not None:
            feed.put_nowait(Happening(mail=seen))

    def broken(self, why: str) -> None:
        self._broken = why
        self._tell_all(Happening(broken=why))

    def _tell(self, case_id: str, happening: Happening) -> None:
        feed = self._by_subject.get(self._subject_of.get(case_id, ""))
        if feed is not None:
            feed.put_nowait(happening)

    def _tell_all(self, happening: Happening) -> None:
        for feed in self._by_subject.values():
            feed.put_nowait(happening)


@asynccontextmanager
async def open_desk_site(
    stack: Stack, *, record_door: HttpDoor, system_of_record: SystemOfRecord
) -> AsyncIterator[DeskSite]:
    """Raises StackUnavailable when a door of the stack does not open."""
    async with AsyncExitStack() as opened:
        opened.push_async_callback(record_door.close)
        site = DeskSite(stack, record_door, system_of_record)
        opened.push_async_callback(site.close)
        try:
            await site.open()
        except DoorFailed as error:
            raise StackUnavailable(error.what, next_step="`harness doctor` says what is wrong") from error
        yield site


Letters = Callable[[Case, str], Awaitable[str]]
"""The words of a letter that the desk sent in a case, by the digest that its row names. Raises DoorFailed."""


@asynccontextmanager
async def letters_of(stack: Stack) -> AsyncIterator[Letters]:
    door = HttpDoor("desk stage", stack.desk_stage, secret=stack.secrets.desk_stage)

    async def words(case: Case, digest: str) -> str:
        told = await door.get(f"/stage/vendors/{case.subject_id}/evidence")
        letter = email.message_from_bytes(told["blobs"][digest]["raw"].encode("latin-1"))
        body = letter.get_payload(decode=True)
        text = body.decode(letter.get_content_charset("utf-8"), "replace") if isinstance(body, bytes) else str(letter)
        return "\n".join(text.rstrip().splitlines())

    try:
        yield words
    finally:
        await door.close()
