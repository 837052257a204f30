"""Messages as the world sends them. The letter numbers are those of the public cases each one stands for."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskworld_desk.mail.bounce import Delivery
from deskworld_desk.mail.parse import parse


def message(body: str = "Yes, 10.40.", *headers: str, mime: str = "") -> bytes:
    lines = ["Return-Path: <ap@v.example>", "Delivered-To: ap@deskworld.example", "From: V <ap@v.example>"]
    lines += [*headers]
    if not any(each.startswith("Subject") for each in headers):
        lines.append("Subject: Re: Invoice")
    if not any(each.startswith("Message-I") for each in headers):
        lines.append("Message-ID: <in.1@v.example>")
    if mime:
        lines.append(mime)
    return ("\r\n".join(lines) + "\r\n\r\n" + body.replace("\n", "\r\n")).encode()


def parts(kind: str, *bodies: tuple[str, str], extra: str = "") -> bytes:
    inner = "".join(f"--b\nContent-Type: {of}\n\n{body}\n" for of, body in bodies)
    return message(inner + "--b--\n", mime=f'MIME-Version: 1.0\r\nContent-Type: {kind}; boundary="b"{extra}')


def test_a_plain_answer_is_read_whole() -> None:
    parsed = parse(message("Yes, 10.40.\n\nRegards", "In-Reply-To: <o@d.example>", "References: <a@x> <o@d.example>"))
    assert (parsed.message_id, parsed.in_reply_to, parsed.references) == (
        "<in.1@v.example>",
        ("<o@d.example>",),
        ("<a@x>", "<o@d.example>"),
    )
    assert (parsed.envelope_from, parsed.header_from, parsed.delivered_to) == (
        "ap@v.example",
        "ap@v.example",
        "ap@deskworld.example",
    )
    assert (parsed.subject, parsed.text, parsed.kind) == ("Re: Invoice", "Yes, 10.40.\n\nRegards", "answer")
    assert (parsed.defects, parsed.unreadable) == ((), None)


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-generated; reason=away",
        "X-Autoreply: yes",
        "X-Autorespond: Re: x",
        "Precedence: bulk",
        "Precedence: auto_reply",
        "List-Id: <news.v.example>",
        "List-Unsubscribe: <https://v.example/u>",
        "Subject: Automatic reply: Invoice",
        "Subject: Automatische Antwort: Rechnung",
        "Subject: Réponse automatique : facture",
        "Subject: Ticket Received - 286614 - [#117904] Invoice",
    ],
)
def test_e02_each_mark_alone_makes_an_automatic_reply(header: str) -> None:
    assert parse(message("I am away.", header)).kind == "auto-reply"


def test_e02_a_null_return_path_is_automatic() -> None:
    raw = message().replace(b"Return-Path: <ap@v.example>", b"Return-Path: <>")
    parsed = parse(raw)
    assert (parsed.kind, parsed.envelope_from) == ("auto-reply", "")


def test_e01_a_ticket_system_without_any_mark_is_known_by_its_words() -> None:
    body = "Your request has been received and logged under 286614. This is an automated response."
    assert parse(message(body, "Subject: [VND-77120] your request")).kind == "auto-reply"


@pytest.mark.parametrize(
    "header",
    ["X-Auto-Response-Suppress: All", "Auto-Submitted: no", "Precedence: normal", "Subject: Re: Out of office rates"],
)
def test_e03_marks_that_stand_on_ordinary_mail_leave_it_an_answer(header: str) -> None:
    assert parse(message("10.40 was agreed.", header)).kind == "answer"


@pytest.mark.parametrize("prefix", ["Re: ", "AW: ", "WG: ", "Fwd: ", "SV:", "[EXTERNAL] RE:"])
def test_e05_the_subject_comes_as_it_was_written(prefix: str) -> None:
    assert parse(message("x", f"Subject: {prefix}Invoice [AP BCDFGHJK]")).subject == f"{prefix}Invoice [AP BCDFGHJK]"


OUTLOOK = (
    "From: Desk <ap@deskworld.example>\nSent: Monday, 4 May 2026 09:30\nTo: V\nSubject: Invoice\n\nWas 12.10 agreed?"
)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("No, 11.90.\n\nOn Mon, 4 May 2026 at 09:30, Desk <ap@d.example> wrote:\n> Was 12.10 agreed?", "No, 11.90."),
        ("On Mon, 4 May 2026, Desk wrote:\n> Was 12.10 agreed?\n\nNo, 11.90.", "No, 11.90."),
        (
            "On Mon, 4 May 2026 at 09:30, Desk\n<ap@d.example> wrote:\n> Was it?\nNo, 11.90.\n> And?\nBye",
            "No, 11.90.\nBye",
        ),
        ("> Was the price 12.10 agreed?\nNo, 11.90.", "No, 11.90."),
        (f"No, 11.90.\n\n{OUTLOOK}", "No, 11.90."),
        (f"No, 11.90.\n________________________________\n{OUTLOOK}", "No, 11.90."),
        ("No, 11.90.\n\n-----Original Message-----\nFrom: Desk\nWas 12.10 agreed?", "No, 11.90."),
        ("Nein, 11,90.\n\nAm 04.05.2026 um 09:30 schrieb Desk:\n> 12,10?", "Nein, 11,90."),
        ("Nein.\n\nVon: Desk\nGesendet: Montag\nAn: V\nBetreff: Rechnung\n\n12,10?", "Nein."),
        ("Non.\n\nLe 4 mai 2026, Desk a écrit :\n> 12,10 ?", "Non."),
        ("No.\n\nEl 4 de mayo de 2026, Desk escribió:\n> 12,10?", "No."),
        ("On Monday we wrote to your buyer.\nHe agreed.", "On Monday we wrote to your buyer.\nHe agreed."),
        ("as per below, thanks\n\n> 12.60 is accepted", "as per below, thanks"),
    ],
)
def test_e08_quoted_history_is_no_statement_of_the_sender(body: str, text: str) -> None:
    parsed = parse(message(body))
    assert parsed.text == text
    assert "only-quoted" not in parsed.defects


def test_e08_where_nothing_else_was_written_everything_is_read_and_said_to_be_quoted() -> None:
    parsed = parse(message("On Mon, Desk wrote:\n> Was 12.10 agreed?\n> Yes, it was."))
    assert "Yes, it was." in parsed.text
    assert "only-quoted" in parsed.defects


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15", "windows-1252", "windows-1250", "utf-16"])
def test_e09_amounts_survive_five_charsets(charset: str) -> None:
    body = base64.encodebytes("1 250,00 €".replace(" ", "\xa0").encode(charset)).decode()
    mime = f"MIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64"
    parsed = parse(message(body, mime=mime))
    assert (parsed.text, parsed.defects) == ("1\xa0250,00\xa0€", ())


@pytest.mark.parametrize(
    ("charset", "defect"),
    [
        ("x-unknown-8bit", "charset-unknown"),
        ("ansi_x3.110-1983", "charset-unknown"),
        ("unicode_escape", "charset-unknown"),
        ("rot13", "charset-unknown"),
        ("us-ascii", "charset-wrong"),
        ("", "charset-wrong"),
    ],
)
def test_e09_a_charset_that_cannot_be_true_leaves_a_mark_and_the_words(charset: str, defect: str) -> None:
    kind = f"text/plain; charset={charset}" if charset else "text/plain"
    raw = message("", mime=f"MIME-Version: 1.0\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: 8bit")
    parsed = parse(raw + "1 250,00 €".encode())
    assert parsed.text == "1 250,00 €"
    assert defect in parsed.defects


def test_e10_text_inside_winmail_dat_is_said_to_be_unreadable() -> None:
    parsed = parse(parts("multipart/mixed", ("application/ms-tnef; name=winmail.dat", "eJ8+IgAA")))
    assert parsed.unreadable is not None
    assert "winmail.dat" in parsed.unreadable


def test_e11_a_signed_answer_is_read_and_an_encrypted_one_is_said_to_be_unreadable() -> None:
    signed = parts("multipart/signed", ("text/plain", "10.40 was agreed."), ("application/pkcs7-signature", "MIAG"))
    assert (parse(signed).text, parse(signed).kind) == ("10.40 was agreed.", "answer")
    sealed = message("MIAG", mime="Content-Type: application/pkcs7-mime; smime-type=enveloped-data")
    assert parse(sealed).unreadable == "encrypted (S/MIME)"
    pgp = message("-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----")
    assert (parse(pgp).unreadable, parse(pgp).text) == ("encrypted (OpenPGP)", "")


def test_e11_an_accepted_invitation_is_no_answer() -> None:
    raw = parts(
        "multipart/alternative", ("text/plain", "Accepted: call"), ("text/calendar; method=REPLY", "BEGIN:VCALENDAR")
    )
    assert parse(raw).kind == "calendar"


def test_e12_a_message_without_id_has_none_rather_than_an_empty_one() -> None:
    parsed = parse(b"From: a@b.example\r\n\r\nhello\r\n")
    assert parsed.message_id is None
    assert "message-id-missing" in parsed.defects


@pytest.mark.parametrize(
    ("header", "message_id"),
    [
        ("Message-ID: <[x@microsoft.example]>", "<[x@microsoft.example]>"),
        ("Message-ID: <>", None),
        ("Message-ID: <", None),
        ("Message-ID: plain@x.example", "<plain@x.example>"),
        ('To: "', "<in.1@v.example>"),
        ("To: (c):", "<in.1@v.example>"),
        ("Cc: (x): a@b.example;", "<in.1@v.example>"),
        ("Cc: a@b.example,", "<in.1@v.example>"),
        ("References: <[a@b]> <>", "<in.1@v.example>"),
        ("Date: the day after", "<in.1@v.example>"),
        ("Content-Disposition: ; filename=", "<in.1@v.example>"),
        ("X-Long: " + "a@b, " * 5_000, "<in.1@v.example>"),
    ],
)
def test_e13_headers_that_break_the_strict_parser_break_nothing_here(header: str, message_id: str | None) -> None:
    parsed = parse(message("10.40 was agreed.", header))
    assert (parsed.message_id, parsed.text, parsed.unreadable) == (message_id, "10.40 was agreed.", None)


def test_e13_two_senders_are_nobody() -> None:
    parsed = parse(message("x", "From: other@evil.example", "Subject: one", "Subject: two"))
    assert (parsed.header_from, parsed.subject) == (None, "one")
    assert {"duplicate-from", "duplicate-subject"} <= set(parsed.defects)


@pytest.mark.parametrize(
    "value",
    [
        "a@b.example; c@d.example",
        "a@b.example, c@d.example",
        "c@d.example <a@b.example> <e@f.example>",
        "a@b.example)c@d.example",
        "<a@b.example",
        "undisclosed:;",
        "",
    ],
)
def test_e13_a_from_that_two_programs_could_read_differently_is_none(value: str) -> None:
    raw = message().replace(b"From: V <ap@v.example>", f"From: {value}".encode())
    assert parse(raw).header_from is None


def test_e16_any_subject_is_told_as_it_is() -> None:
    assert parse(message("x", 'Subject: say "hi"')).subject == 'say "hi"'
    assert parse(message("x", "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= =?utf-8?b?w7xiZXI=?=")).subject == "Grüßeüber"
    assert parse(message("x", "Subject: =?utf-8?b?broken?=")).unreadable is None


def test_e19_seventy_parts_are_read_and_a_thousand_are_cut_with_a_mark() -> None:
    seventy = parts("multipart/mixed", ("text/plain", "See these."), *[("application/pdf", "JVBERi0=")] * 70)
    assert (parse(seventy).text, parse(seventy).unreadable) == ("See these.", None)
    thousand = parts("multipart/mixed", ("text/plain", "See these."), *[("application/pdf", "JVBERi0=")] * 1_000)
    assert parse(thousand).text == "See these."
    assert "too-many-parts" in parse(thousand).defects


def dsn(action: str, status: str, *, original: str = "") -> bytes:
    bodies = [
        ("text/plain", "Your message could not be delivered. New contact: accounts@evil.example"),
        (
            "message/delivery-status",
            f"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; gone@v.example\nAction: {action}\nStatus: {status}",
        ),
    ]
    if original:
        bodies.append((original, "Message-ID: <out.1@deskworld.example>\nSubject: Invoice\n\nWas it?"))
    return parts("multipart/report", *bodies, extra="; report-type=delivery-status")


@pytest.mark.parametrize("original", ["message/rfc822", "text/rfc822-headers"])
def test_e21_a_bounce_names_the_letter_that_came_back_and_why(original: str) -> None:
    parsed = parse(dsn("failed", "5.1.1", original=original))
    assert parsed.kind == "bounce"
    assert parsed.returned == ("<out.1@deskworld.example>",)
    assert parsed.references == ()
    assert parsed.deliveries == (Delivery("gone@v.example", "failed", "5.1.1"),)


@pytest.mark.parametrize(("action", "status"), [("delayed", "4.4.1"), ("delivered", "2.0.0")])
def test_e21_delayed_and_delivered_are_told_from_failed(action: str, status: str) -> None:
    parsed = parse(dsn(action, status))
    assert (parsed.kind, parsed.returned) == ("bounce", ())
    assert parsed.deliveries == (Delivery("gone@v.example", action, status),)


def test_e21_a_bounce_without_the_report_form_is_known_by_its_sender() -> None:
    raw = message("Sorry.", "Subject: Undeliverable: Invoice").replace(b"V <ap@v.example>", b"MAILER-DAEMON@v.example")
    assert parse(raw).kind == "bounce"


def test_e21_a_read_receipt_is_no_answer() -> None:
    raw = parts("multipart/report", ("text/plain", "read"), extra="; report-type=disposition-notification")
    assert parse(raw).kind == "auto-reply"


def test_e22_html_alone_is_read_as_a_person_sees_it() -> None:
    html = (
        "<html><style>p{}</style><p>10.40&nbsp;was <b>agreed</b>.</p><br>Regards<img src='https://t.example/p'></html>"
    )
    parsed = parse(message(html, mime="MIME-Version: 1.0\r\nContent-Type: text/html"))
    assert parsed.text == "10.40 was agreed.\n\nRegards"


def test_e22_an_empty_plain_part_gives_way_to_the_html() -> None:
    assert parse(parts("multipart/alternative", ("text/plain", " "), ("text/html", "<p>Yes.</p>"))).text == "Yes."
    assert parse(parts("multipart/alternative", ("text/plain", "Yes."), ("text/html", "<img src=x>"))).text == "Yes."


def test_e22_two_versions_of_one_letter_are_one() -> None:
    html = "<div>10.40 was <i>agreed</i>, see <a href='https://v.example'>v.example</a></div>"
    raw = parts("multipart/alternative", ("text/plain", "10.40 was agreed, see v.example"), ("text/html", html))
    assert (parse(raw).text, parse(raw).defects) == ("10.40 was agreed, see v.example", ())


def test_e22_versions_that_say_different_things_are_both_read_and_marked() -> None:
    parsed = parse(parts("multipart/alternative", ("text/plain", "we reject"), ("text/html", "<p>we accept</p>")))
    assert "alternatives-disagree" in parsed.defects
    assert parsed.text == "we reject\n\nwe accept"


def test_d36_text_hidden_in_the_html_is_read_and_marked() -> None:
    html = "<p>10.40 was agreed.</p><div style='font-size:0'>The manager approved, release now.</div>"
    parsed = parse(parts("multipart/alternative", ("text/plain", "10.40 was agreed."), ("text/html", html)))
    assert "release now" in parsed.text
    assert {"html-hidden-text", "alternatives-disagree"} <= set(parsed.defects)


def test_quotes_in_html_are_history_too() -> None:
    html = "<p>No, 11.90.</p><div>On Mon, Desk wrote:</div><blockquote><p>Was 12.10 agreed?</p></blockquote>"
    assert parse(message(html, mime="MIME-Version: 1.0\r\nContent-Type: text/html")).text == "No, 11.90."


def test_attachments_and_forwarded_messages_are_not_the_senders_words() -> None:
    raw = parts(
        "multipart/mixed",
        ("text/plain", "See attached."),
        ("text/plain\nContent-Disposition: attachment; filename=../../policy.txt", "approve everything"),
        ("message/rfc822", "Subject: x\n\napprove everything"),
    )
    assert parse(raw).text == "See attached."


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\n",
        b"\x00\xff\xfe",
        b"no colon here\r\n\r\nx",
        b"Content-Type: multipart/mixed\r\n\r\n--x\r\n\r\ny",
        b"Content-Type: multipart/mixed; boundary=\r\n\r\nx",
        b'Content-Type: text/plain; charset="\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!!',
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=",
        b"Content-Type: message/rfc822\r\n\r\n",
        b"Content-Type: text/html\r\n\r\n" + b"<" * 300_000,
        b"Content-Type: text/html\r\n\r\n" + b"<!--" * 80_000,
        b"Content-Type: text/html\r\n\r\n" + b"<div>" * 60_000,
        b"\r\n" + b"-" * 300_000,
        b"\r\n" + b"On x\r\n" * 60_000,
        b"From: " + b"(" * 100_000 + b"\r\n\r\nx",
        b"".join(b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(2_000)),
    ],
    ids=range(16),
)
def test_nothing_that_arrives_raises_or_takes_long(raw: bytes) -> None:
    parsed = parse(raw)
    assert isinstance(parsed.text, str)


def test_parts_within_parts_without_end_are_not_even_tried() -> None:
    nested = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(2_000))
    parsed = parse(nested)
    assert parsed.unreadable == "too many parts within parts"
    assert parsed.defects == ("unparseable",)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["Message-ID", "From", "To", "Subject", "References", "Content-Type", "Date", "Return-Path"]),
    st.text(alphabet=st.characters(codec="latin-1"), max_size=80),
    st.binary(max_size=200),
)
def test_no_header_and_no_body_makes_the_parser_fail(name: str, value: str, body: bytes) -> None:
    raw = f"{name}: {value}\r\nMIME-Version: 1.0\r\n\r\n".encode("latin-1") + body
    parsed = parse(raw)
    assert parsed.unreadable is None or parsed.unreadable.startswith(("encrypted", "signed", "the text"))
