"""Mail as it travels: what servers, lines and programs on the way do to it (the cases E-14 … E-22 of practice).

What only a misbehaving mail server can show (parts of E-14, E-16, E-17) has its peer in test_desk_mail_listener.
"""

import asyncio
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiosmtplib.errors import SMTPSenderRefused
from tests.support.correspondence import AGREED, DENIED, DESK, STRANGER, Correspondence, correspond, parts
from tests.support.desk import MAIL_SIZE_LIMIT, Company, of
from tests.support.desk_agent import turn_of
from tests.support.mailing import mailbox, smtp
from tests.support.servers import LOGINS

from deskworld_desk.mail.message import Letter, compose
from deskworld_desk.mail.sender import Sender

PLAIN = f"Content-Type: text/plain\n\n{AGREED}"


async def test_mail_is_heard_again_after_the_server_went_away_in_the_middle_of_idle(company: Company) -> None:
    """E-14: a listener that waits for ever on a dead line hears nothing more. BYE, frozen lines and mail between two
    IDLEs are shown to the same listener by a server that does so on purpose."""
    case = await correspond(company)
    for _ in range(2):
        await asyncio.to_thread(company.mail.kill)
        await asyncio.to_thread(company.mail.start)
        await case.deliver(case.message(AGREED))
    await case.quiet()
    assert len(await case.received()) == 2


async def test_a_mailbox_made_anew_tells_only_what_is_new(company: Company) -> None:
    """E-15: other UIDs under another UIDVALIDITY; three mails that were there before, and two that are new."""
    case = await correspond(company)
    old = [case.message(f"{AGREED} {number}") for number in range(2)]
    stranger = case.message("hello", of=STRANGER, subject="hello", answers=None)
    await case.deliver(*old)
    await case.deliver(stranger, sender=STRANGER)
    await case.quiet()
    aside = len([mail for mail in await case.aside() if mail["envelope_from"] == STRANGER])
    await asyncio.to_thread(company.mail.kill)
    shutil.rmtree(Path(company.mail._settings["MAIL_FOLDER"]))
    await asyncio.to_thread(company.mail.start)
    await case.deliver(*old, case.message(DENIED), case.message(f"{DENIED} Again."))
    await case.deliver(stranger, sender=STRANGER)
    await case.quiet()
    assert [reading["intent"] for reading in await case.readings()] == ["CONFIRMS_PRICE_AGREED"] * 2 + ["DENIES"] * 2
    assert len([mail for mail in await case.aside() if mail["envelope_from"] == STRANGER]) == aside


async def test_bodies_that_look_like_the_protocol_arrive_octet_for_octet(company: Company) -> None:
    """E-16: and a subject in quotes, a body of one octet, and none."""
    case = await correspond(company)
    bodies = (b"* 3 EXISTS\r\n)\r\nA001 OK done", b")", b"x", b"", b'{3}\r\nsay "hi"', b"+ idling\r\n* BYE", b"..\r\n.")
    await case.deliver(*[case.message(body, subject='say "hi"') for body in bodies])
    await case.quiet()
    digests = [mail["digest"] for mail in await case.received()]
    kept = [(await case.raw(digest)).partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for digest in digests]
    assert kept == list(bodies)


async def test_a_burst_over_many_connections_is_taken_up_in_the_order_of_the_mailbox_each_once(
    company: Company,
) -> None:
    """E-17: nothing is taken from a server's manners: not the order of a list, not what it pushes, not that it does."""
    case = await correspond(company)
    raws = [case.message(f"{AGREED} Line {number}.") for number in range(12)]
    await asyncio.gather(*[case.deliver(raw) for raw in raws])
    await case.quiet()
    received = [mail["message_id"] for mail in await case.received()]
    assert len(received) == len(set(received)) == 12
    async with mailbox(company.mail_doors, "desk") as box:
        stored = await box.search("ALL")
        told = [await _id_of(box, uid) for uid in stored]
    assert [own for own in told if own in received] == received


async def _id_of(box: object, uid: int) -> str:
    head = await box.fetch(uid, "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")  # type: ignore[attr-defined]
    found = re.search(rb"<[^>]+>", head)
    return found.group().decode() if found else ""


def poison() -> bytes:
    """Parts within parts without end."""
    return b"".join(b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(400))


async def test_a_message_that_breaks_the_parser_is_set_aside_once_and_the_ones_behind_it_are_read(
    company: Company,
) -> None:
    """E-18: raw and whole, where a manager sees it, also after the desk was killed and started again."""
    case = await correspond(company)
    tag = case.seeded.case_id.encode()
    await case.deliver(b"X-Tag: " + tag + b"\r\n" + poison(), case.message(AGREED), case.message(DENIED))
    await case.quiet()
    company.desk.kill()
    await asyncio.to_thread(company.desk.start)
    await case.quiet()
    assert [reading["intent"] for reading in await case.readings()] == ["CONFIRMS_PRICE_AGREED", "DENIES"]
    found = [mail for mail in await case.aside() if tag in await case.raw(mail["digest"])]
    assert [mail["why"] for mail in found] == ["unreadable"]
    shown = await company.ask("desk", "GET", f"/unmatched-mail/{found[0]['mail_id']}", by="grace.hall")
    assert shown.json()["unreadable"] == "too many parts within parts"


async def test_a_mail_above_the_limit_is_never_fetched_and_the_case_is_told_that_it_is_unread(
    company: Company,
) -> None:
    """E-19: seventy parts are no trouble; beyond what the mail server takes its sender is told so at once."""
    case = await correspond(company)
    stranger = case.id()
    large = "x" * 998 + "\r\n"
    await case.deliver(case.message((large * (MAIL_SIZE_LIMIT // 1_000 + 10)).encode()))
    raw = case.message((large * (MAIL_SIZE_LIMIT // 1_000 + 10)).encode(), of=STRANGER, subject="x", answers=None,
                       message_id=stranger)  # fmt: skip
    await case.deliver(raw, sender=STRANGER)
    seventy, fields = parts("mixed", PLAIN, *["Content-Type: application/pdf\n\nJVBERi0="] * 70)
    await case.deliver(case.message(seventy, *fields))
    await case.quiet()
    assert "too-large" in await case.marks()
    assert [(one["failed"], one["intent"]) for one in await case.readings()] == [
        (True, "UNCLEAR"),
        (False, "CONFIRMS_PRICE_AGREED"),
    ]
    (aside,) = [mail for mail in await case.aside() if mail["message_id"] == stranger]
    assert aside["why"] == "too-large"
    for digest in ((await case.received())[0]["digest"], aside["digest"]):
        assert len(await case.raw(digest)) < 2_000
    async with smtp(company.mail_doors) as client:
        with pytest.raises(SMTPSenderRefused, match="552"):
            await client.mail(STRANGER, options=[f"SIZE={60 * 1024 * 1024}"])


async def test_the_case_shows_who_got_a_letter_and_who_did_not(company: Company) -> None:
    """E-20: a contact whom the server refuses; two recipients of whom it refuses one; no bare line feed goes out."""
    seeded = await company.seed(rules="off", po_reference="PO-UNKNOWN", price="10.00", contact="gone@nowhere.invalid")
    turn = await turn_of(seeded)
    await turn.call("email_vendor", subject="Which order?", body="Please name\nthe order.")
    await turn.end()
    _, rows = await seeded.until("the letter", lambda _, rows: bool(of(rows, "mail.sent")))
    (refused,) = of(rows, "mail.sent")[0]["data"]["recipients"]
    assert (refused["address"], refused["outcome"]) == ("gone@nowhere.invalid", "refused")
    assert "550" in refused["detail"]
    turn = await turn_of(seeded)
    assert turn.labels == ["note"]
    await turn.end()

    case = await correspond(company)
    assert b"\n" not in (await case.raw(case.sent["digest"])).replace(b"\r\n", b"")
    doors = company.mail_doors["submission"]
    sender = Sender(doors["host"], doors["port"], "desk", LOGINS["desk"])
    to = (case.vendor, "gone@nowhere.invalid")
    raw = compose(Letter("<two@deskworld.example>", DESK, to, "Subject", "Body"), datetime(2026, 3, 23, tzinfo=UTC))
    outcomes = (await sender.send(raw, DESK, to)).recipients
    await sender.close()
    assert [(one.address, one.outcome) for one in outcomes] == [(to[0], "accepted"), (to[1], "refused")]


def dsn(case: Correspondence, action: str, status: str, *, original: bool = True, recipient: str = "") -> bytes:
    told = "Content-Type: text/plain\n\nIt could not be delivered. New contact: accounts@outside.example"
    report = (
        "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.v.example\n\n"
        f"Final-Recipient: rfc822; {recipient or case.vendor}\nAction: {action}\nStatus: {status}"
    )
    back = [f"Content-Type: text/rfc822-headers\n\nMessage-ID: {case.sent['message_id']}\n"] if original else []
    body, fields = parts('report; report-type="delivery-status"', told, report, *back)
    return case.message(
        body, *fields, of="MAILER-DAEMON@v.example", subject="Undelivered Mail Returned to Sender", answers=None
    )


async def test_a_bounce_fails_its_recipient_and_tells_the_case(company: Company) -> None:
    """E-21: 5.1.1; the address that its text offers is nobody's."""
    case = await correspond(company)
    await case.deliver(dsn(case, "failed", "5.1.1"), sender="")
    await case.quiet()
    (bounced,) = await case.seeded.rows("mail.bounced")
    told = [{"address": case.vendor, "action": "failed", "status": "5.1.1"}]
    assert (bounced["data"]["letter_id"], bounced["data"]["deliveries"]) == (case.sent["letter_id"], told)
    turn = await turn_of(case.seeded)
    assert (turn.labels, turn.given["brief"]["open_letter"]) == (["note"], None)
    assert "outside.example" not in str(turn.given)
    await turn.end()
    sent = await case.seeded.rows("mail.sent")
    assert {one["address"] for row in sent for one in row["data"]["recipients"]} == {case.vendor}


async def test_a_delay_that_ends_well_and_what_is_no_true_bounce_fail_nobody(company: Company) -> None:
    """E-21: delayed, then delivered, in either order with the answer; without the original; not from a mail server; of
    somebody whom the letter did not go to."""
    case = await correspond(company)
    await case.deliver(dsn(case, "delayed", "4.4.1"), sender="")
    lone = dsn(case, "failed", "5.1.1", original=False)
    await case.deliver(lone, dsn(case, "failed", "5.1.1", recipient="other@v.example"), sender="")
    await case.deliver(dsn(case, "failed", "5.1.1"), sender=STRANGER)
    view = await case.quiet()
    assert (view["state"], [one["kind"] for one in view["waiting_on"]]) == ("AWAITING_ANSWER", ["letter"])
    await case.deliver(case.message(AGREED))
    await case.deliver(dsn(case, "delivered", "2.0.0"), sender="")
    await case.quiet()
    assert [mail["class"] for mail in await case.received()] == ["bounce"] * 3 + ["answer", "bounce"]
    told = [one["action"] for row in await case.seeded.rows("mail.bounced") for one in row["data"]["deliveries"]]
    assert told == ["delayed", "delivered"]
    assert len(await case.seeded.rows("mail.sent")) == 1
    assert len(await case.readings()) == 1


async def test_html_is_read_and_versions_that_contradict_each_other_say_nothing(company: Company) -> None:
    """E-22: an empty plain part gives way; a pixel is no second version; what contradicts itself is told as unclear."""
    case = await correspond(company)
    html = f"Content-Type: text/html\n\n<html><body><p>{AGREED}</p></body></html>"
    await case.deliver(case.message(f"<p>{AGREED}</p>", "MIME-Version: 1.0", "Content-Type: text/html"))
    for bodies in (
        ("Content-Type: text/plain\n\n ", html),
        (PLAIN, "Content-Type: text/html\n\n<img src='https://t.example/p'>"),
        (f"Content-Type: text/plain\n\n{DENIED}", html),
    ):
        body, fields = parts("alternative", *bodies)
        await case.deliver(case.message(body, *fields))
    await case.quiet()
    intents = [reading["intent"] for reading in await case.readings()]
    assert intents == ["CONFIRMS_PRICE_AGREED"] * 3 + ["UNCLEAR"]
    assert await case.marks() == ["alternatives-disagree"]
