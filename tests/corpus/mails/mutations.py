"""Messages of the corpus, damaged. The same seed and number give the same octets."""

from collections.abc import Callable
from random import Random

from tests.corpus.mails.kinds import ALL

LARGEST = 60_000
"""Octets. What is longer is cut first: damage shows as well in a short message, and many of them must go through."""

TOKENS = [
    b"\x00",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b"--b\r\n",
    b"--b--",
    b"=?utf-8?b?",
    b"?=",
    b"<",
    b">",
    b'"',
    b"(",
    b"\\",
    b"@",
    b";",
    b"boundary=",
    b"charset=",
    b"Content-Type: multipart/mixed\r\n",
    b"Content-Type: message/rfc822\r\n\r\n",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"Message-ID: <x@y>\r\n",
    b"From: x@y.example\r\n",
    b"Content-Transfer-Encoding: base64\r\n",
    b"\x1b$B",
    b"In-Reply-To: <",
    b"=\r\n",
    b"\xe2\x80\xae",
    b"* 1 EXISTS\r\n",
    b".\r\n",
    b"\r\n.\r\n",
]


def mutated(seed: int, number: int) -> bytes:
    draw = Random(f"{seed}:{number}")
    raw = draw.choice(ALL).raw[:LARGEST]
    for _ in range(draw.randint(1, 6)):
        raw = draw.choice(DAMAGES)(raw, draw)
    return raw


def _place(raw: bytes, draw: Random) -> int:
    """Mostly in the header block, where most of the meaning is."""
    return draw.randint(0, min(len(raw), 600) if draw.random() < 0.6 else len(raw))


def _flip(raw: bytes, draw: Random) -> bytes:
    if not raw:
        return raw
    at = min(_place(raw, draw), len(raw) - 1)
    return raw[:at] + bytes([raw[at] ^ (1 << draw.randint(0, 7))]) + raw[at + 1 :]


def _insert(raw: bytes, draw: Random) -> bytes:
    at = _place(raw, draw)
    return raw[:at] + draw.choice(TOKENS) + raw[at:]


def _cut(raw: bytes, draw: Random) -> bytes:
    at = _place(raw, draw)
    return raw[:at] + raw[at + draw.randint(1, 200) :]


def _end(raw: bytes, draw: Random) -> bytes:
    return raw[: _place(raw, draw)]


def _again(raw: bytes, draw: Random) -> bytes:
    at = _place(raw, draw)
    return raw[:at] + raw[at : at + draw.randint(1, 200)] * draw.randint(2, 5) + raw[at:]


def _noise(raw: bytes, draw: Random) -> bytes:
    at = _place(raw, draw)
    return raw[:at] + draw.randbytes(draw.randint(1, 40)) + raw[at:]


def _swap(raw: bytes, draw: Random) -> bytes:
    lines = raw.split(b"\r\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\r\n".join(lines)


def _splice(raw: bytes, draw: Random) -> bytes:
    other = draw.choice(ALL).raw[:LARGEST]
    return raw[: _place(raw, draw)] + other[_place(other, draw) :]


def _ends(raw: bytes, draw: Random) -> bytes:
    return raw.replace(b"\r\n", draw.choice([b"\n", b"\r", b"\n\r", b"\r\r\n"]))


def _case(raw: bytes, _draw: Random) -> bytes:
    return raw.swapcase()


DAMAGES: list[Callable[[bytes, Random], bytes]] = [
    _flip, _insert, _cut, _end, _again, _noise, _swap, _splice, _ends, _case,
]  # fmt: skip
