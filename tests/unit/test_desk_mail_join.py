"""Which case a message could belong to, and whether its sender is somebody the case wrote to."""

import pytest

from deskworld_desk.mail.join import bare_subject, known_sender, tokens
from deskworld_desk.mail.parse import Parsed, parse

WROTE_TO = {"ap@v-1.vendors.deskworld.example"}


def sent(envelope: str, header: str) -> Parsed:
    return parse(f"Return-Path: {envelope}\r\nFrom: {header}\r\nSubject: s\r\n\r\nx\r\n".encode())


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("Re: Invoice 4711 [AP BCDFGHJK]", ("BCDFGHJK",)),
        ("AW: [ap bcdfghjk] Rechnung", ("BCDFGHJK",)),
        ("Re:[AP  BCDFGHJK] x [AP BCDFGHJK] [AP 23456789]", ("BCDFGHJK", "23456789")),
        ("[VND-77120] your request", ()),
        ("[AP BCDFGHJ] [AP BCDFGHJKL] AP BCDFGHJK", ()),
        ("[AP OIL0AEUY]", ()),
    ],
)
def test_tokens_are_found_in_any_subject_that_still_has_them(subject: str, found: tuple[str, ...]) -> None:
    assert tokens(subject) == found


@pytest.mark.parametrize("header", ["ap@v-1.vendors.deskworld.example", "V One <AP@V-1.vendors.deskworld.example>"])
def test_the_contact_we_wrote_to_is_known(header: str) -> None:
    assert known_sender(sent("<ap@v-1.vendors.deskworld.example>", header), WROTE_TO)


@pytest.mark.parametrize(
    ("envelope", "header"),
    [
        ("<bounce@mailer.example>", "ap@v-1.vendors.deskworld.example"),
        ("<ap@v-1.vendors.deskworld.example>", "ceo@evil.example"),
        ("<ap@v-1.vendors.deskworld.example>", "ap@v-1.vendors.deskworld.example <ceo@evil.example>"),
        ("<ap@v-1.vendors.deskworld.example>", "ap@v-1.vendors.deskworld.example, ceo@evil.example"),
        ("<ap@v-1.vendors.deskworld.example>", "ap@v-1.vendors.deskworld.example\r\nFrom: ceo@evil.example"),
        ("<>", "ap@v-1.vendors.deskworld.example"),
        ("<ap@v-1.vendors.deskworld.example.evil.example>", "ap@v-1.vendors.deskworld.example.evil.example"),
        ("<ap@v-l.vendors.deskworld.example>", "ap@v-l.vendors.deskworld.example"),
    ],
)
def test_anybody_else_is_a_stranger(envelope: str, header: str) -> None:
    assert not known_sender(sent(envelope, header), WROTE_TO)


def test_two_addresses_of_the_case_in_one_message_are_not_one_sender() -> None:
    parsed = sent("<a@v.example>", "b@v.example")
    assert not known_sender(parsed, {"a@v.example", "b@v.example"})


@pytest.mark.parametrize(
    "subject",
    [
        "Which order? [AP BCDFGHJK]",
        "Re: Which order?",
        "RE: AW: WG: SV: Which order? [AP BCDFGHJK]",
        "Re:Which order?",
        "Re[2]: Fwd: which  ORDER?",
        "[EXTERNAL] Re: [VND-77120] Which order?",
        "EXTERNAL: TR : Which order?",
        "RE：Which order?",
    ],
)
def test_prefixes_tokens_and_tags_are_no_part_of_a_subject(subject: str) -> None:
    assert bare_subject(subject) == "which order?"


@pytest.mark.parametrize("subject", ["Reorder: which?", "New price list", "", "Which order? And when?", "Which order"])
def test_another_subject_is_another(subject: str) -> None:
    assert bare_subject(subject) != "which order?"
