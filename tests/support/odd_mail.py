"""Odd mail handed to a running desk through its mail server, and what became of each message, from the desk's rows."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text
from tests.support.correspondence import DESK, all_is_heard
from tests.support.desk import WITHIN, Company, heard

from deskworld_kit.database import Database
from deskworld_kit.sessions import lean_database

DEADLINE = 20.0  # for one answer of the mail server
ENDED = ("DONE", "ASIDE", "DISMISSED", "REPEATED")
CANNOT_BE_SENT = (552, 554)


@dataclass
class Handed:
    """`taken`: how many the mail server took; `refused`: its codes for the others, which their sender was told."""

    taken: int = 0
    refused: Counter[int] = field(default_factory=Counter)


async def hand_in(company: Company, messages: Iterable[bytes], *, sender: str, connections: int = 4) -> Handed:
    """Each as the text of DATA, dots stuffed and lines left as they are, over some connections."""
    waiting, handed = iter(messages), Handed()
    doors = company.mail_doors["smtp"]

    async def work() -> None:
        reader, writer = await asyncio.open_connection(doors["host"], doors["port"])
        try:
            await _answer(reader)
            await _say(reader, writer, b"EHLO test.example")
            for raw in waiting:
                await _say(reader, writer, f"MAIL FROM:<{sender}>".encode())
                await _say(reader, writer, f"RCPT TO:<{DESK}>".encode())
                assert await _say(reader, writer, b"DATA") == 354
                writer.write(re.sub(rb"(\A|\n)\.", rb"\1..", raw))
                code = await _say(reader, writer, b"\r\n.")
                handed.taken += code == 250
                if code != 250:
                    handed.refused[code] += 1
        finally:
            writer.close()
            await writer.wait_closed()

    await asyncio.gather(*[work() for _ in range(connections)])
    return handed


async def _say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: bytes) -> int:
    writer.write(line + b"\r\n")
    return await _answer(reader)


async def _answer(reader: asyncio.StreamReader) -> int:
    while True:
        line = await asyncio.wait_for(reader.readline(), DEADLINE)
        assert line, "the server closed the connection"
        if line[3:4] != b"-":
            return int(line[:3])


@dataclass
class Books:
    """The desk's own rows of mail, beside the desk."""

    company: Company
    kept: Database

    async def count(self) -> int:
        return int((await self._rows("SELECT count(*) AS mails FROM mails"))[0].mails)

    async def settled(self, *, within: float = WITHIN) -> None:
        """Once all that the mail server took before is worked to its end."""
        await all_is_heard(self.company)
        undone = "SELECT id FROM mails WHERE state IN ('STORED', 'JOINED') LIMIT 1"
        async with asyncio.timeout(within), heard(self.company) as stream:
            while await self._rows(undone):
                await anext(stream)

    async def faults(self) -> list[str]:
        """What is lost, hangs, or is seen by nobody: each mail is on a case's timeline, or on the desk's own, or is the
        same octets as one that is."""
        found = await self._rows(
            """
            SELECT m.id, m.state, m.uid, m.digest, m.message_id,
                   EXISTS (SELECT FROM timeline t WHERE t.kind IN ('mail.received', 'mail.set-aside')
                           AND t.row::json -> 'data' ->> 'mail_id' = m.id) AS told,
                   EXISTS (SELECT FROM mails o WHERE o.digest = m.digest AND o.id <> m.id
                           AND o.state IN ('DONE', 'ASIDE', 'DISMISSED')) AS twin
            FROM mails m ORDER BY m.id
            """
        )
        return [fault for row in found if (fault := _fault(row)) is not None]

    async def reasons(self) -> Counter[str]:
        rows = await self._rows("SELECT state, why, joined_by FROM mails")
        return Counter(f"{row.state}: {row.why or row.joined_by or 'the same once more'}" for row in rows)

    async def _rows(self, statement: str) -> Sequence[Any]:
        async with self.kept.transaction() as session:
            return (await session.execute(text(statement))).all()


def _fault(row: Any) -> str | None:
    if row.state not in ENDED:
        return f"mail {row.id} (UID {row.uid}) hangs: {row.state}"
    if row.state == "REPEATED":
        return None if row.twin else f"mail {row.id} (UID {row.uid}) is called a repetition of nothing"
    return None if row.told else f"mail {row.id} (UID {row.uid}) is seen by nobody"


@asynccontextmanager
async def books(company: Company) -> AsyncIterator[Books]:
    kept = lean_database(f"postgresql+asyncpg://desk_service@/desk?host={company.home}")
    try:
        yield Books(company, kept)
    finally:
        await kept.close()


def answering(messages: Sequence[bytes], message_id: str) -> list[bytes]:
    """The same as answers to this letter, as far as they still have a header block that begins at their beginning."""
    return [f"In-Reply-To: {message_id}\r\n".encode() + raw for raw in messages]
