"""Letters as octets: what goes out, and what cannot be smuggled into them."""

import random
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskworld_desk.mail.message import (
    TOKEN_ALPHABET,
    Letter,
    LetterRefused,
    compose,
    subject_token,
    with_token,
)

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


def read_back(raw: bytes) -> EmailMessage:
    read = message_from_bytes(raw, policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read


def said(read: EmailMessage) -> str:
    return str(read.get_content()).replace("\r\n", "\n")


def letter(**changes: object) -> Letter:
    values: dict[str, object] = {
        "message_id": "<out.1@deskworld.example>",
        "sender": "ap@deskworld.example",
        "recipients": ("ap@v-1.vendors.deskworld.example",),
        "subject": "Invoice 4711",
        "body": "Was the price agreed?",
        **changes,
    }
    return Letter(**values)  # type: ignore[arg-type]


def test_a_letter_says_who_wrote_when_and_that_a_program_did() -> None:
    raw = compose(letter(in_reply_to="<in.1@v.example>", references=("<a@v.example>", "<in.1@v.example>")), NOW)
    read = read_back(raw)
    assert read["From"] == "ap@deskworld.example"
    assert read["To"] == "ap@v-1.vendors.deskworld.example"
    assert read["Message-ID"] == "<out.1@deskworld.example>"
    assert read["In-Reply-To"] == "<in.1@v.example>"
    assert read["References"].split() == ["<a@v.example>", "<in.1@v.example>"]
    assert read["Auto-Submitted"] == "auto-generated"
    assert read["Date"].datetime == NOW
    assert said(read) == "Was the price agreed?\n"


def test_lines_end_in_crlf_and_stay_short_and_seven_bit() -> None:
    many = tuple(f"<{number}.{'x' * 80}@v.example>" for number in range(40))
    raw = compose(letter(subject="Prüfung: " + "ä" * 120, body="ß" * 3_000 + "\n" + "x" * 900, references=many), NOW)
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998
    read = read_back(raw)
    assert read["Subject"] == "Prüfung: " + "ä" * 120
    assert said(read) == "ß" * 3_000 + "\n" + "x" * 900 + "\n"
    kept = read["References"].split()
    assert (kept[0], kept[-1], len(kept)) == (many[0], many[-1], 10)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("subject", "hello\r\nBcc: x@evil.example"),
        ("subject", "hello\nBcc: x@evil.example"),
        ("subject", "hello\x85Bcc: x@evil.example"),
        ("subject", "hello\u2028Bcc: x@evil.example"),
        ("subject", "x" * 201),
        ("sender", "ap@deskworld.example\r\nBcc: x@evil.example"),
        ("recipients", ("a@b.example, c@d.example",)),
        ("recipients", ("A B <a@b.example>",)),
        ("recipients", ("",)),
        ("recipients", ()),
        ("message_id", "<a@b>\r\nX: y"),
        ("message_id", "a@b"),
        ("in_reply_to", "<a@b> <c@d>"),
        ("references", ("<a@b>", "<c\r\nd@e>")),
        ("body", "a\x00b"),
        ("body", "half \ud800 a character"),
        ("body", " \n "),
    ],
)
def test_what_could_change_the_header_or_break_the_text_is_refused_by_name(part: str, value: object) -> None:
    names = {"message_id": "message id", "in_reply_to": "in-reply-to", "references": "reference"}
    named = (names | {"recipients": "recipient"}).get(part, part)
    with pytest.raises(LetterRefused, match=named):
        compose(letter(**{part: value}), NOW)


def test_a_letter_to_several_names_each_of_them_once() -> None:
    read = read_back(compose(letter(recipients=("a@v.example", "b@v.example")), NOW))
    assert [address.addr_spec for address in read["To"].addresses] == ["a@v.example", "b@v.example"]


def test_a_body_of_four_thousand_characters_goes_and_one_more_does_not() -> None:
    compose(letter(body="ä" * 4_000), NOW)
    with pytest.raises(LetterRefused, match=r"4001 characters; at most 4000"):
        compose(letter(body="ä" * 4_001), NOW)


@given(st.text(max_size=300), st.text(max_size=300))
def test_whatever_subject_and_body_say_the_header_block_has_the_same_fields(subject: str, body: str) -> None:
    try:
        raw = compose(letter(subject=subject, body=body), NOW)
    except LetterRefused:
        return
    read = read_back(raw)
    assert [name for name, _ in read.raw_items()] == [
        "From",
        "To",
        "Subject",
        "Date",
        "Message-ID",
        "Auto-Submitted",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    ]
    wanted = body.replace("\r\n", "\n").replace("\r", "\n")
    assert said(read).rstrip("\n") == wanted.rstrip("\n")


def test_a_token_has_eight_letters_that_nobody_misreads_and_comes_from_the_seed() -> None:
    token = subject_token(random.Random(7))
    assert len(token) == 8
    assert set(token) <= set(TOKEN_ALPHABET)
    assert not set(TOKEN_ALPHABET) & set("0O1ILU")
    assert token == subject_token(random.Random(7))
    assert token != subject_token(random.Random(8))


def test_a_subject_carries_our_token_and_no_other() -> None:
    assert with_token("Invoice 4711", "BCDFGHJK") == "Invoice 4711 [AP BCDFGHJK]"
    assert with_token("Re: [ap bcdfghjm] Invoice", "BCDFGHJK") == "Re: Invoice [AP BCDFGHJK]"
    assert with_token("", "BCDFGHJK") == "[AP BCDFGHJK]"
