"""Odd but real mail: kept and served byte for byte, or refused at the door. It never ends a session."""

from typing import Any

import pytest
from tests.support.mailing import mailbox, send_raw

VENDOR = "ap@v-60.vendors.deskworld.example"


def deep(levels: int) -> bytes:
    lines = [b"Subject: deep"]
    for level in range(levels):
        lines += [b'Content-Type: multipart/mixed; boundary="b%d"' % level, b"", b"--b%d" % level]
    lines += [b"Content-Type: text/plain", b"", b"at last"]
    lines += [b"--b%d--" % level for level in reversed(range(levels))]
    return b"\r\n".join(lines) + b"\r\n"


ODD = {
    "a date that is none": b"Subject: a\r\nDate: yesterday, or so\r\n\r\nbody\r\n",
    "a date far away": b"Subject: a\r\nDate: Thu, 99 Foo 99999 99:99:99 +9999\r\n\r\nbody\r\n",
    "no header": b"\r\njust a body\r\n",
    "nothing at all": b"\r\n",
    "no body": b"Subject: only a header\r\n",
    "no empty line": b"this is not a header\r\nnor is this\r\n",
    "a message id of exchange": b"Subject: a\r\nMessage-ID: <[0123abcd@MAIL01.corp.local]>\r\n\r\nbody\r\n",
    "two of each": b"Subject: a\r\nSubject: b\r\n"
    b"From: a@b\r\nFrom: c@d\r\nMessage-ID: <1@a>\r\nMessage-ID: <2@a>\r\n\r\nx\r\n",
    "addresses that are none": b"Subject: a\r\n"
    b'From: <<>>,,;:"@\r\nTo: undisclosed-recipients:;\r\nCc: "unclosed\r\n\r\nx\r\n',
    "raw latin-1": "Subject: Größe\r\nFrom: Müller <m@outside.example>\r\n\r\nfür Sie\r\n".encode("latin-1"),
    "an unknown charset": b"Subject: =?klingon?Q?abc?=\r\nContent-Type: text/plain; charset=klingon\r\n\r\nx\r\n",
    "a boundary that never comes": b'Subject: a\r\nContent-Type: multipart/mixed; boundary="zz"\r\n\r\nno part\r\n',
    "a multipart without a boundary": b"Subject: a\r\nContent-Type: multipart/alternative\r\n\r\nno part\r\n",
    "a part that is cut off": b'Content-Type: multipart/mixed; boundary="z"\r\n\r\n--z\r\n'
    b"Content-Type: message/rfc822\r\n\r\nSub",
    "a content type that is none": b"Subject: a\r\nContent-Type: ;;; charset==\r\n\r\nx\r\n",
    "base64 that is none": b"Subject: a\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!not*base64\r\n",
    "a bounce": b"Subject: Undelivered\r\n"
    b"Content-Type: multipart/report; report-type=delivery-status; boundary=q\r\n\r\n"
    b"--q\r\n\r\nsorry\r\n--q\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n--q--\r\n",
    "a long line": b"Subject: a\r\n\r\n" + b"x" * 100_000 + b"\r\n",
    "a long header": b"Subject: a\r\nX-Long: " + b"y" * 20_000 + b"\r\n\r\nx\r\n",
    "bare line feeds": b"Subject: a\n\nline one\nline two\r\n",
    "bare carriage returns": b"Subject: a\r\n\r\none\rtwo\rthree\r\n",
    "nul bytes": b"Subject: a\0b\r\n\r\nx\0y\r\n",
    "a header that is folded oddly": b"Subject: a\r\n \r\n\tb\r\nReferences:\r\n <1@a>\r\n <2@b>\r\n\r\nx\r\n",
    "more parts than anybody reads": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 5000,
    "a field folded for ever": b"Subject: a\r\n" + b" b\r\n" * 20_000 + b"\r\nx\r\n",
    "a field that opens and never closes": b"From: " + b"(" * 50_000 + b"\r\n\r\nx\r\n",
    "a subject of encoded words": b"Subject: " + b"=?utf-8?q?a?= " * 20_000 + b"\r\n\r\nx\r\n",
    "deep": deep(150),
    "deeper than any program looks": deep(3000),
}


@pytest.mark.parametrize("kind", sorted(ODD))
async def test_odd_mail_is_served_as_it_came_or_refused_at_once(stack: dict[str, Any], kind: str) -> None:
    sent = ODD[kind] if ODD[kind].endswith(b"\r\n") else ODD[kind] + b"\r\n"
    async with mailbox(stack) as box:
        uid = box.uid_next
        code = await send_raw(stack, "odd@outside.example", VENDOR, sent)
        if stack["kind"] == "embedded":
            assert code == 250
        if code != 250:
            assert code // 100 == 5, "neither taken nor refused for good"
            assert await box.search("UID", f"{uid}:*") in ([], [uid - 1])
            return
        assert (await box.client.noop()).result == "OK"
        kept = await box.fetch(uid)
        assert kept.endswith(sent)
        assert b"Delivered-To: " + VENDOR.encode() in kept[: -len(sent)]


@pytest.mark.parametrize("kind", sorted(ODD))
async def test_asking_for_the_structure_of_odd_mail_leaves_the_session_alive(stack: dict[str, Any], kind: str) -> None:
    async with mailbox(stack) as box:
        uid = box.uid_next
        await send_raw(stack, "odd@outside.example", VENDOR, ODD[kind].removesuffix(b"\r\n") + b"\r\n")
        await box.client.noop()
        for what in ("(ENVELOPE)", "(BODYSTRUCTURE)", "(BODY.PEEK[1])", "(BODY.PEEK[HEADER.FIELDS (FROM TO DATE)])"):
            assert (await box.client.uid("fetch", str(uid), what)).result in ("OK", "NO"), what
        for criteria in (("SENTSINCE", "1-Jan-2020"), ("FROM", '"x"'), ("BODY", '"x"'), ("SUBJECT", '"a"')):
            assert (await box.client.uid_search(*criteria, charset=None)).result in ("OK", "NO"), criteria
        assert (await box.client.noop()).result == "OK"
