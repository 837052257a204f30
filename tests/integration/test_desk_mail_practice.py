"""Mail as desks elsewhere got it wrong in public (the cases E-01 … E-22 of practice), through the real mail server.

What only a misbehaving mail server can show (parts of E-14, E-16, E-17) has its peer in test_desk_mail_listener.
"""

import asyncio
import base64
import re
import shutil
from datetime import UTC, datetime
from itertools import pairwise
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


async def test_acknowledgements_of_a_ticket_system_are_never_answered(company: Company) -> None:
    """E-01: each with a new number, without any header that says so: one letter went out, and one is still awaited."""
    case = await correspond(company)
    subject = case.sent["subject"]
    answers = case.sent["message_id"]
    for number in range(5):
        subject = f"Ticket Received - {286614 + number} - [#{117904 + number}] {subject}"[:180]
        body = f"Your request has been received and logged under {286614 + number}."
        raw = case.message(body, subject=subject, answers=answers)
        answers = re.search(rb"Message-ID: (\S+)", raw).group(1).decode()  # type: ignore[union-attr]
        await case.deliver(raw)
    view = await case.quiet()
    assert [mail["class"] for mail in await case.received()] == ["auto-reply"] * 5
    assert len(await case.seeded.rows("mail.sent")) == 1
    assert (view["state"], [one["kind"] for one in view["waiting_on"]]) == ("AWAITING_ANSWER", ["letter"])


MARKS = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated",
    "X-Autoreply: yes",
    "X-Autorespond: Re: Which order?",
    "Precedence: bulk",
    "Precedence: auto_reply",
    "List-Id: <news.v.example>",
    "List-Unsubscribe: <https://v.example/u>",
)


async def test_each_mark_of_a_program_alone_makes_it_no_answer(company: Company) -> None:
    """E-02: and the desk's own letters carry the mark, so that nobody's program answers them."""
    case = await correspond(company)
    await case.deliver(*[case.message("It was ordered by phone.", mark) for mark in MARKS])
    await case.deliver(case.message("It was ordered by phone."), sender="")
    body, fields = parts("report; report-type=delivery-status", "Content-Type: text/plain\n\nnot delivered")
    await case.deliver(case.message(body, *fields))
    view = await case.quiet()
    assert [mail["class"] for mail in await case.received()] == ["auto-reply"] * (len(MARKS) + 1) + ["bounce"]
    assert (view["state"], await case.readings()) == ("AWAITING_ANSWER", [])
    assert b"\r\nAuto-Submitted: auto-generated\r\n" in await case.raw(case.sent["digest"])


async def test_a_persons_mail_that_asks_others_not_to_answer_automatically_is_an_answer(company: Company) -> None:
    """E-03: Exchange stamps it on ordinary mail."""
    case = await correspond(company)
    await case.deliver(case.message(AGREED, "X-Auto-Response-Suppress: All"))
    await case.quiet()
    assert [mail["class"] for mail in await case.received()] == ["answer"]
    assert [reading["intent"] for reading in await case.readings()] == ["CONFIRMS_PRICE_AGREED"]


async def test_a_reply_without_references_joins_by_its_token_and_one_without_anything_joins_nothing(
    company: Company,
) -> None:
    """E-04: a ticket system strips all that is ours. A manager joins that mail once; what goes on from it follows."""
    case = await correspond(company)
    stripped = {"subject": "[VND-77120] your request", "answers": None}
    first, second = case.id(), case.id()
    await case.deliver(case.message(AGREED, answers=None))
    await case.deliver(case.message(AGREED, message_id=first, **stripped))
    await case.deliver(case.message(DENIED, subject="[VND-77120] RE: your request", answers=first, message_id=second))
    await case.quiet()
    assert [(mail["joined_by"], mail["sender"]) for mail in await case.received()] == [("token", "known")]
    aside = {mail["message_id"]: mail for mail in await case.aside()}
    assert (aside[first]["why"], aside[second]["why"]) == ("unmatched", "unmatched")
    joined = await company.ask(
        "desk",
        "POST",
        f"/unmatched-mail/{aside[first]['mail_id']}/join",
        by="grace.hall",
        json={"case_id": case.seeded.case_id},
    )
    assert joined.status_code == 200, joined.text
    await case.deliver(case.message(DENIED, subject="[VND-77120] RE: RE: your request", answers=first))
    await case.quiet()
    by = [(mail["message_id"] == first, mail["joined_by"], mail["sender"]) for mail in await case.received()]
    assert by == [(False, "token", "known"), (True, "person", "known"), (False, "reference", "known")]


async def test_a_rewritten_subject_does_not_lose_a_reply_and_old_references_do_not_make_one(company: Company) -> None:
    """E-05: In-Reply-To alone joins; References join with the thread's subject, whatever prefix stands before it."""
    case = await correspond(company)
    bare = case.sent["subject"].rpartition(" [")[0]
    refers = f"References: <older@v.example>\r\n {case.sent['message_id']}"
    prefixes = ("Re: ", "AW: ", "WG: ", "SV: ", "Fwd: ", "TR: ", "RV: ", "Re:", "RE: AW: ", "[EXTERNAL] Re: ")
    threaded = [case.message(AGREED, refers, subject=f"{prefix}{bare}", answers=None) for prefix in prefixes]
    joined = [case.message(AGREED, subject="Rechnung 4711"), *threaded]
    recycled = [case.id(), case.id()]
    others = [
        case.message(AGREED, refers, subject="New price list", answers=None, message_id=recycled[0]),
        case.message(AGREED, refers, subject=f"Re: {bare} and others", answers=None, message_id=recycled[1]),
    ]
    await case.deliver(*joined, *others)
    await case.quiet()
    assert [mail["joined_by"] for mail in await case.received()] == ["reference"] * len(joined)
    assert set(recycled) <= {mail["message_id"] for mail in await case.aside()}


async def test_an_equal_thread_index_joins_no_other_vendor(company: Company) -> None:
    """E-06: Outlook makes it of the subject."""
    case = await correspond(company)
    index = ("Thread-Index: AdlBcmY5AAAA", "Thread-Topic: Which order?")
    other = case.id()
    await case.deliver(case.message(AGREED, *index))
    raw = case.message(AGREED, *index, of=STRANGER, subject="Re: Which order?", answers=None, message_id=other)
    await case.deliver(raw, sender=STRANGER)
    await case.quiet()
    assert len(await case.received()) == 1
    assert other in {mail["message_id"] for mail in await case.aside()}


async def test_a_second_answer_that_refers_to_the_first_joins(company: Company) -> None:
    """E-07: four mails, each only In-Reply-To the one before. A stranger's mail is no way in."""
    case = await correspond(company)
    ids = [case.sent["message_id"], *[case.id() for _ in range(4)]]
    for before, own in pairwise(ids):
        await case.deliver(case.message(AGREED, subject="more", answers=before, message_id=own))
    strange, after_strange = case.id(), case.id()
    await case.deliver(
        case.message(AGREED, of=STRANGER, message_id=strange),
        case.message(AGREED, of=STRANGER, subject="more", answers=strange, message_id=after_strange),
        sender=STRANGER,
    )
    await case.quiet()
    received = await case.received()
    assert [mail["message_id"] for mail in received] == [*ids[1:], strange]
    assert [mail["sender"] for mail in received] == ["known"] * 4 + ["stranger"]
    assert after_strange in {mail["message_id"] for mail in await case.aside()}


async def test_what_is_quoted_is_no_statement_wherever_the_answer_stands(company: Company) -> None:
    """E-08: inline, above, below, and with Outlook's block, which marks nothing."""
    case = await correspond(company)
    quoted = f"> {AGREED}\n> Was it?"
    intro = "On Mon, 23 Mar 2026 at 09:30, Desk <ap@deskworld.example> wrote:"
    outlook = f"From: Desk\nSent: Monday, 23 March 2026 09:30\nTo: Vendor\nSubject: Which order?\n\n{AGREED}"
    for body in (
        f"{intro}\n{quoted}\n{DENIED}\n> And the freight?",
        f"{DENIED}\n\n{intro}\n{quoted}",
        f"{intro}\n{quoted}\n\n{DENIED}",
        f"{DENIED}\n\n{outlook}",
    ):
        await case.deliver(case.message(body))
    await case.quiet()
    assert [reading["intent"] for reading in await case.readings()] == ["DENIES"] * 4


async def test_an_amount_is_the_same_in_every_charset(company: Company) -> None:
    """E-09: a no-break space and a euro sign; where the charset cannot be true, a mark says so."""
    case = await correspond(company)
    words = "The agreed unit price is 1\u00a0250,00 €."
    for charset in ("utf-8", "iso-8859-15", "windows-1252", "windows-1250", "utf-16"):
        body = base64.encodebytes(words.encode(charset)).decode()
        kind = f"Content-Type: text/plain; charset={charset}"
        await case.deliver(case.message(body, "MIME-Version: 1.0", kind, "Content-Transfer-Encoding: base64"))
    await case.quiet()
    assert await case.marks() == []
    for charset in ("us-ascii", "x-unknown-8bit"):
        await case.deliver(case.message(words, "MIME-Version: 1.0", f"Content-Type: text/plain; charset={charset}"))
    await case.quiet()
    assert [reading["stated_price"] for reading in await case.readings()] == ["1250.00"] * 7
    assert await case.marks() == ["charset-wrong", "charset-unknown"]


async def test_a_mail_with_its_text_in_winmail_dat_is_told_as_unread_and_bars_what_pays(company: Company) -> None:
    """E-10: never "no attachment"."""
    case = await correspond(company)
    body, fields = parts("mixed", 'Content-Type: application/ms-tnef; name="winmail.dat"\n\neJ8+IgAA')
    await case.deliver(case.message(body, *fields))
    await case.quiet()
    assert "unreadable" in await case.marks()
    assert [(reading["failed"], reading["intent"]) for reading in await case.readings()] == [(True, "UNCLEAR")]
    turn = await turn_of(case.seeded)
    paid = await turn.propose("approve-variance", "invoice-1", against_po=case.seeded.record("order")["number"])
    await turn.end()
    assert paid["outcome"] == "REFUSED"
    assert "MAIL_UNREAD" in str(paid)


async def test_a_signed_answer_is_read_an_encrypted_one_is_not_and_an_accepted_meeting_is_no_approval(
    company: Company,
) -> None:
    """E-11."""
    case = await correspond(company)
    signed, fields = parts("signed", PLAIN, "Content-Type: application/pkcs7-signature\n\nMIAG")
    await case.deliver(case.message(signed, *fields))
    sealed = case.message("MIAG", "Content-Type: application/pkcs7-mime; smime-type=enveloped-data")
    await case.deliver(sealed)
    meeting = "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR"
    accepted, fields = parts("alternative", "Content-Type: text/plain\n\nAccepted: call about your invoice", meeting)
    await case.deliver(case.message(accepted, *fields, subject="Accepted: call about your invoice"))
    await case.quiet()
    assert [mail["class"] for mail in await case.received()] == ["answer", "answer", "calendar"]
    assert [reading["failed"] for reading in await case.readings()] == [False, True]


async def test_two_mails_without_an_id_are_two(company: Company) -> None:
    """E-12: an empty id is nobody's key."""
    case = await correspond(company)
    before = len([mail for mail in await case.aside() if mail["message_id"] is None])
    for text in ("one", "two", "one"):
        await case.deliver(f"Subject: {case.seeded.case_id}\r\n\r\n{text}\r\n".encode(), sender=STRANGER)
    await case.quiet()
    texts = [(await case.raw(mail["digest"])).rstrip()[-3:] for mail in await case.aside() if not mail["message_id"]]
    assert texts[before:] == [b"one", b"two"]


BREAKING = (
    'To: "',
    "To: (c):",
    "Cc: (x): a@b.example;",
    "Cc: a@b.example,",
    "References: <[a@b]> <>",
    "Date: the day after",
    "Content-Type: text/plain; charset=x-unknown-8bit",
    "Content-Type: text/plain; charset=ansi_x3.110-1983",
    "Content-Disposition: inline; filename=../../etc/passwd",
    "Content-Type: multipart/mixed",
)


async def test_no_header_that_breaks_a_strict_parser_loses_an_answer(company: Company) -> None:
    """E-13: and two senders are nobody."""
    case = await correspond(company)
    ids = ("<[0f1e@mail.example]>", "<>", "<", "<[anu]0f1e@mail.example>")
    await case.deliver(*[case.message(AGREED, message_id=own) for own in ids])
    await case.deliver(*[case.message(AGREED, field) for field in BREAKING])
    await case.deliver(case.message(AGREED, f"From: {STRANGER}"))
    await case.deliver(case.message(AGREED, of=f"{case.vendor}; {STRANGER}"))
    await case.quiet()
    received = await case.received()
    assert [mail["sender"] for mail in received] == ["known"] * (len(ids) + len(BREAKING)) + ["stranger"] * 2
    assert {"message-id-malformed", "duplicate-from", "from-unclear"} <= set(await case.marks())
    assert {reading["intent"] for reading in await case.readings()} == {"CONFIRMS_PRICE_AGREED"}


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
