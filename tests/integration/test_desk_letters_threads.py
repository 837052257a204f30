"""Letters in threads, letters that a server puts off, bounces, and mails that are read in their order."""

import asyncio
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from typing import Any

import pytest
from tests.support.correspondence import AGREED, DENIED
from tests.support.desk_inside import Inside
from tests.support.mail_office import Office, peer
from tests.support.mailroom import VENDOR, Mailroom, reply

from deskworld_desk.background import one_by_one
from deskworld_desk.letters.arriving import Arrivals
from deskworld_desk.letters.sending import deliver
from deskworld_desk.letters.tables import Letter
from deskworld_desk.letters.writing import LETTERS_PER_CASE, letters_written
from deskworld_desk.quarantine.reading import Reading
from deskworld_kit import clock

SECOND = "ap2@muster.example"


@pytest.fixture
def mailroom(core: Inside) -> Mailroom:
    return Mailroom(core)


async def opened(core: Inside) -> str:
    return str((await core.opened(rules="off"))["exception_id"])


async def raw_of(core: Inside, digest: str) -> Any:
    (found,) = await core.sql("SELECT value::json ->> 'raw' AS raw FROM blobs WHERE digest = $1", digest)
    return message_from_bytes(found["raw"].encode("latin-1"))


async def test_a_first_letter_begins_a_thread_and_the_next_goes_on_from_the_answer(
    core: Inside, mailroom: Mailroom
) -> None:
    case_id = await opened(core)
    first = await mailroom.write(case_id)
    head = await raw_of(core, first["digest"])
    assert (head["In-Reply-To"], head["References"]) == (None, None)
    answered = reply(AGREED, answers=first["message_id"])
    await mailroom.deliver(answered)
    second = await raw_of(core, (await mailroom.write(case_id))["digest"])
    their_id = message_from_bytes(answered)["Message-ID"]
    assert second["In-Reply-To"] == their_id
    assert second["References"].split() == [first["message_id"], their_id]


async def test_what_strangers_wrote_and_what_went_to_others_is_no_part_of_the_thread(
    core: Inside, mailroom: Mailroom
) -> None:
    case_id = await opened(core)
    first = await mailroom.write(case_id)
    await mailroom.write(case_id, "anna.keller@staff.deskworld.example", to_kind="buyer")
    await mailroom.deliver(reply(AGREED, answers=first["message_id"], of="eve@outside.example"))
    second = await raw_of(core, (await mailroom.write(case_id))["digest"])
    assert second["References"].split() == [first["message_id"]]
    other = await raw_of(core, (await mailroom.write(case_id, SECOND))["digest"])
    assert other["References"] is None


async def test_an_id_that_no_letter_can_name_does_not_keep_the_next_letter_back(
    core: Inside, mailroom: Mailroom
) -> None:
    case_id = await opened(core)
    first = await mailroom.write(case_id)
    raw = reply(AGREED, answers=first["message_id"])
    own = message_from_bytes(raw)["Message-ID"].encode()
    await mailroom.deliver(raw.replace(own, b"<gr\xfc\xdfe@muster.example>"))
    assert (await core.rows(case_id, "mail.received"))[0]["data"]["message_id"] == "<grüße@muster.example>"
    second = await mailroom.write(case_id)
    assert [one["outcome"] for one in second["recipients"]] == ["accepted"]
    assert (await raw_of(core, second["digest"]))["In-Reply-To"] == first["message_id"]


async def test_three_letters_to_each_kind_of_recipient_are_counted_apart(core: Inside, mailroom: Mailroom) -> None:
    case_id = await opened(core)
    for _ in range(LETTERS_PER_CASE):
        await mailroom.write(case_id)
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        assert await letters_written(docket, case, "vendor") == LETTERS_PER_CASE
        assert await letters_written(docket, case, "buyer") == 0


async def test_a_letter_that_the_server_puts_off_holds_up_no_other_and_goes_when_it_is_taken(
    core: Inside, mailroom: Mailroom
) -> None:
    first_case, second_case = await opened(core), await opened(core)
    office = Office(refused={VENDOR: "451 4.7.1 come back later"})
    async with peer(office) as (sender, _):
        posted = asyncio.create_task(
            one_by_one(core.desk.outgoing.take, lambda letter: deliver(core.desk, sender, letter), name="letter")
        )
        try:
            put_off = await mailroom.queue(first_case)
            other = await mailroom.queue(second_case, SECOND)
            await until_sent(core, other)
            assert await state_of(core, put_off) == "QUEUED"
            office.refused.clear()
            await until_sent(core, put_off)
        finally:
            posted.cancel()
            await asyncio.gather(posted, return_exceptions=True)
    assert [to for _, to, _ in office.taken] == [[SECOND], [VENDOR]]


async def test_a_letter_that_nobody_took_for_five_days_reached_nobody(core: Inside, mailroom: Mailroom) -> None:
    case_id = await opened(core)
    await mailroom.state(case_id, "AWAITING_ANSWER")
    letter_id = await mailroom.queue(case_id)
    await core.sql("UPDATE letters SET queued_at = queued_at - interval '5 days' WHERE id = $1", letter_id)
    core.desk.outgoing._queue.get_nowait()
    async with peer(Office(refused={VENDOR: "451 4.7.1 come back later"})) as (sender, _):
        await deliver(core.desk, sender, letter_id)
    (sent,) = await core.rows(case_id, "mail.sent")
    (one,) = sent["data"]["recipients"]
    assert (one["outcome"], "451 4.7.1 come back later" in one["detail"]) == ("refused", True)
    assert (await core.view(case_id))["state"] == "INVESTIGATING"
    assert (await core.untold(case_id))[-1] == "note"


async def state_of(core: Inside, letter_id: str) -> str:
    async with core.desk.db.transaction() as session:
        return (await session.get_one(Letter, letter_id)).state


async def until_sent(core: Inside, letter_id: str, within: float = 10) -> None:
    deadline = clock.monotonic() + within
    while (seen := await state_of(core, letter_id)) != "SENT":
        assert clock.monotonic() < deadline, f"awaited the letter to be sent for {within} s; last seen {seen}"
        await clock.pause(0.01)


def bounce(letter: dict[str, Any], *failed: str, action: str = "failed", path: str = "") -> bytes:
    reports = "\n\n".join(f"Final-Recipient: rfc822; {each}\nAction: {action}\nStatus: 5.1.1" for each in failed)
    body = (
        f"--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n{reports}\n"
        f"--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {letter['message_id']}\n--b--"
    )
    kind = 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"'
    return reply(body, "MIME-Version: 1.0", kind, of="mailer-daemon@v.example", path=path)


async def test_a_letter_to_two_is_awaited_until_it_came_back_from_both(core: Inside, mailroom: Mailroom) -> None:
    case_id = await opened(core)
    letter = await mailroom.write(case_id, VENDOR, SECOND)
    await mailroom.state(case_id, "AWAITING_ANSWER")
    await mailroom.deliver(bounce(letter, VENDOR.upper()))
    view = await core.view(case_id)
    assert (view["state"], [one["kind"] for one in view["waiting_on"]]) == ("AWAITING_ANSWER", ["letter"])
    await mailroom.deliver(bounce(letter, SECOND, "somebody@else.example"))
    view = await core.view(case_id)
    assert (view["state"], view["waiting_on"]) == ("INVESTIGATING", [])
    told = [one["address"] for row in await core.rows(case_id, "mail.bounced") for one in row["data"]["deliveries"]]
    assert told == [VENDOR, SECOND]
    assert (await core.untold(case_id))[-1] == "note"


async def test_a_bounce_after_the_answer_fails_nobody_any_more(core: Inside, mailroom: Mailroom) -> None:
    case_id = await opened(core)
    letter = await mailroom.write(case_id)
    await mailroom.deliver(reply(AGREED, answers=letter["message_id"]), bounce(letter, VENDOR))
    assert len(await core.rows(case_id, "mail.bounced")) == 1
    assert "note" not in await core.untold(case_id)


@pytest.mark.parametrize(("action", "path"), [("delayed", ""), ("relayed", ""), ("failed", "eve@outside.example")])
async def test_what_is_not_a_failure_or_no_true_bounce_changes_nothing(
    core: Inside, mailroom: Mailroom, action: str, path: str
) -> None:
    case_id = await opened(core)
    letter = await mailroom.write(case_id)
    await mailroom.deliver(bounce(letter, VENDOR, action=action, path=path))
    assert [one["kind"] for one in (await core.view(case_id))["waiting_on"]] == ["letter"]
    assert len(await core.rows(case_id, "mail.bounced")) == int(not path)


async def test_a_notice_that_comes_back_is_on_record_and_the_question_still_stands(
    core: Inside, mailroom: Mailroom
) -> None:
    case_id = await opened(core)
    colleague = "anna.keller@staff.deskworld.example"
    letter = await mailroom.write(case_id, colleague, to_kind="buyer")
    await mailroom.deliver(bounce(letter, colleague))
    assert len(await core.rows(case_id, "mail.bounced")) == 1
    assert "note" not in await core.untold(case_id)


@dataclass
class SlowReader:
    """Reads the first mail only after the second is there."""

    name: str = "slow"
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    read_first: list[str] = field(default_factory=list)
    breaks: Exception = field(default_factory=lambda: RuntimeError("it broke on this one"))

    async def read(self, text: str) -> Reading:
        self.read_first.append(text)
        await self.let_go.wait()
        if text == "broken":
            raise self.breaks
        return Reading(reader=self.name)


@pytest.mark.parametrize("breaks", [RuntimeError("it broke on this one"), ConnectionResetError("its own line broke")])
async def test_the_mails_of_a_case_are_read_in_their_order_and_other_cases_do_not_wait(
    core: Inside, breaks: Exception
) -> None:
    """A reader that breaks on one has failed on that one, and reads the next."""
    reader = SlowReader(breaks=breaks)
    slow = replace(core, desk=replace(core.desk, reader=reader))
    mailroom = Mailroom(slow)
    case_id, other = await opened(slow), await opened(slow)
    letter, others = await mailroom.write(case_id), await mailroom.write(other)
    for text in ("one", "broken", "three"):
        await mailroom.take(reply(text, answers=letter["message_id"]))
    await mailroom.take(reply("other", answers=others["message_id"]))
    arrivals, queue = Arrivals(slow.desk), slow.desk.incoming._queue
    while not queue.empty():
        await arrivals.work(queue.get_nowait())
    deadline = clock.monotonic() + 20
    while len(reader.read_first) < 2:
        seen = reader.read_first
        assert clock.monotonic() < deadline, f"awaited two readings side by side for 20 s; last seen {seen}"
        await clock.pause(0.005)
    assert sorted(reader.read_first) == ["one", "other"]
    reader.let_go.set()
    await slow.quiet()
    received = [row["data"]["mail_id"] for row in await slow.rows(case_id, "mail.received")]
    readings = [row["data"] for row in await slow.rows(case_id, "reading.made")]
    assert [reading["mail_id"] for reading in readings] == received
    assert [reading["failed"] for reading in readings] == [False, True, False]


async def test_whatever_breaks_on_one_mail_it_counts_as_unread_and_the_next_one_is_read(core: Inside) -> None:
    works = iter((True, False, True))

    async def broken(*_: Any) -> tuple[()]:
        if not next(works):
            raise KeyError("a bug")
        return ()

    world = core.desk.worlds["ap"]
    desk = replace(core.desk, worlds={"ap": replace(world, confirm=broken)})
    mailroom = Mailroom(replace(core, desk=desk))
    case_id = await opened(mailroom.core)
    letter = await mailroom.write(case_id)
    await mailroom.deliver(*[reply(f"{AGREED} {number}", answers=letter["message_id"]) for number in range(3)])
    failed = [row["data"]["failed"] for row in await core.rows(case_id, "reading.made")]
    assert failed == [False, True, False]


async def test_claims_in_words_that_are_in_doubt_never_become_facts(core: Inside, mailroom: Mailroom) -> None:
    case_id = await opened(core)
    letter = await mailroom.write(case_id)
    named = "Our purchase order number for this invoice is PO-1."
    hidden = f"<p>{named}</p><div style='display:none'>Greetings.</div>"
    doubtful = (
        reply(hidden, "Content-Type: text/html", answers=letter["message_id"]),
        reply(f"> {named}", answers=letter["message_id"]),
        reply(
            f"--b\nContent-Type: text/plain\n\n{DENIED}\n--b\nContent-Type: text/html\n\n<p>{named}</p>\n--b--",
            'Content-Type: multipart/alternative; boundary="b"',
            answers=letter["message_id"],
        ),
    )
    await mailroom.deliver(*doubtful)
    marks = [row["data"]["marks"] for row in await core.rows(case_id, "mail.marked")]
    assert marks == [["html-hidden-text"], ["only-quoted"], ["alternatives-disagree"]]
    assert await core.rows(case_id, "fact.established") == []
    assert [row["data"]["po_number"] for row in await core.rows(case_id, "reading.made")] == ["PO-1", "PO-1", None]
