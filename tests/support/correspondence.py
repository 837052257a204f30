"""A case that wrote to its vendor, and what comes back: exact octets through the mail server's port for outsiders."""

import asyncio
from dataclasses import dataclass
from typing import Any

from tests.support.desk import WITHIN, Company, Row, Seeded, address_of, heard, of
from tests.support.desk_agent import Turn, turn_of
from tests.support.mailing import fresh, send_raw

DESK = "ap@deskworld.example"
STRANGER = "eve@look-alike.outside.example"
AGREED = "Yes, the unit price of 10.40 was agreed with your buyer."
DENIED = "No, we did not agree to that price."


@dataclass
class Correspondence:
    """`sent`: the data of the row that tells of the case's letter."""

    seeded: Seeded
    turn: Turn
    sent: Row

    @property
    def company(self) -> Company:
        return self.seeded.company

    @property
    def vendor(self) -> str:
        return address_of(self.seeded.vendor_id)

    def message(
        self,
        body: str | bytes = AGREED,
        *fields: str | bytes,
        of: str | None = None,
        subject: str | None = "",
        answers: str | None = "",
        message_id: str | None = "",
    ) -> bytes:
        """A message of the vendor, or of somebody else. Empty: as an answer to the letter has it; None: without."""
        lines: list[str | bytes] = [
            f"From: {of or self.vendor}",
            f"To: {DESK}",
            "Date: Mon, 23 Mar 2026 10:00:00 +0000",
        ]
        if subject is not None:
            lines.append(f"Subject: {subject or 'Re: ' + self.sent['subject']}")
        if message_id is not None:
            lines.append(f"Message-ID: {message_id or self.id()}")
        if answers is not None:
            lines.append(f"In-Reply-To: {answers or self.sent['message_id']}")
        return message(body, *lines, *fields)

    def id(self) -> str:
        """A message id that nobody used."""
        return f"<{fresh('mail')}@vendors.deskworld.example>"

    async def deliver(self, *messages: bytes, sender: str | None = None) -> None:
        """`sender`: the envelope's; "" is the null path. By default the vendor."""
        for raw in messages:
            code = await self.hand_in(raw, sender=sender)
            assert code == 250, code

    async def hand_in(self, raw: bytes, *, sender: str | None = None) -> int:
        return await send_raw(self.company.mail_doors, self.vendor if sender is None else sender, DESK, raw)

    async def quiet(self) -> Row:
        """The case's view once every mail handed in before is joined or set aside, and nothing waits to be read."""
        await all_is_heard(self.company)
        view, _ = await self.seeded.until(
            "all mail to be read", lambda view, _: not any(one["kind"] == "mail-in" for one in view["in_motion"])
        )
        return view

    async def received(self) -> list[Row]:
        return [row["data"] for row in await self.seeded.rows("mail.received")]

    async def readings(self) -> list[Row]:
        return [row["data"] for row in await self.seeded.rows("reading.made")]

    async def marks(self) -> list[str]:
        return [mark for row in await self.seeded.rows("mail.marked") for mark in row["data"]["marks"]]

    async def aside(self) -> list[Row]:
        """What was set aside since the case was opened."""
        return [row["data"] for row in (await self.seeded.evidence())["set_aside"] if row["kind"] == "mail.set-aside"]

    async def raw(self, digest: str) -> bytes:
        return bytes((await self.seeded.evidence())["blobs"][digest]["raw"].encode("latin-1"))


async def correspond(company: Company, **changes: Any) -> Correspondence:
    """A case without an order whose agent wrote to the vendor, and waits."""
    seeded = await company.seed(rules="off", **({"po_reference": "PO-UNKNOWN", "price": "10.00"} | changes))
    turn = await turn_of(seeded)
    await turn.call("get_invoice")
    body = "Please name the order that this invoice is for."
    sent = await turn.call("email_vendor", subject="Which order?", body=body)
    assert sent["outcome"] == "OK", sent
    await turn.end()
    _, rows = await seeded.until("the letter", lambda _, rows: bool(of(rows, "mail.sent")))
    return Correspondence(seeded, turn, of(rows, "mail.sent")[0]["data"])


def message(body: str | bytes, *fields: str | bytes) -> bytes:
    octets = [field if isinstance(field, bytes) else field.encode() for field in fields]
    text = body if isinstance(body, bytes) else body.replace("\n", "\r\n").encode()
    return b"\r\n".join([*octets, b"", text]) + b"\r\n"


def parts(kind: str, *bodies: str) -> tuple[str, tuple[str, str]]:
    """The body of a message of parts, and its fields."""
    inside = "".join(f"--b\n{body}\n" for body in bodies) + "--b--"
    return inside, ("MIME-Version: 1.0", f'Content-Type: multipart/{kind}; boundary="b"')


async def all_is_heard(company: Company) -> None:
    """Returns once the desk told of a mail that is sent here: it takes them up in the order in which they came."""
    marker = f"<{fresh('marker')}@outside.example>"
    async with asyncio.timeout(WITHIN), heard(company) as stream:
        raw = message("x", "From: e@outside.example", "Subject: marker", f"Message-ID: {marker}")
        assert await send_raw(company.mail_doors, "e@outside.example", DESK, raw) == 250
        async for _, data in _rows(stream, "mail.set-aside"):
            if data["message_id"] == marker:
                return


async def _rows(stream: Any, kind: str) -> Any:
    async for what, data in stream:
        if what == "row" and data["row"]["kind"] == kind:
            yield data["case_id"], data["row"]["data"]
