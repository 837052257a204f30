"""Mail as desks elsewhere got it wrong in public (the cases E-01 … E-13 of practice), through the real mail server."""

import base64
import re
from itertools import pairwise

from tests.support.correspondence import AGREED, DENIED, STRANGER, correspond, parts
from tests.support.desk import Company
from tests.support.desk_agent import turn_of

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
