"""Which message a mail is, whichever way it came."""

import pytest

from deskworld_desk.mail.trace import identity

LETTER = b"From: a@v.example\r\nMessage-ID: <1@v.example>\r\nReceived: from the author, below\r\n\r\nhello\r\n"
WAY = (
    b"Delivered-To: ap@deskworld.example\r\nReturn-Path: <a@v.example>\r\nX-Envelope-To: ap@deskworld.example\r\n"
    b"Received: from localhost by mail\r\n (envelope-sender <a@v.example>) with ESMTP id ba18; Mon,\r\n 30 Nov 2026\r\n"
)
OTHER_WAY = b"Return-Path: <a@v.example>\r\nReceived: from elsewhere\r\n\tby mail\r\nRECEIVED : once more\r\n"


def test_the_way_does_not_make_another_message() -> None:
    assert identity(WAY + LETTER) == identity(OTHER_WAY + LETTER)


@pytest.mark.parametrize(
    "other",
    [
        WAY + LETTER.replace(b"hello", b"hallo"),
        WAY + LETTER.replace(b"from the author", b"from another"),
        WAY.replace(b"Return-Path: <a@", b"Return-Path: <b@") + LETTER,
        LETTER,
    ],
    ids=["its words", "a field of the author's", "who sent it", "no envelope"],
)
def test_anything_else_does(other: bytes) -> None:
    assert identity(other) != identity(WAY + LETTER)


@pytest.mark.parametrize("odd", [b"", b"\r\n", b"Received: never ends", b"Received: x\n folded\n\n", b"\xff\xfe\x00"])
def test_odd_octets_are_a_message_too(odd: bytes) -> None:
    assert len(identity(odd)) == 64
