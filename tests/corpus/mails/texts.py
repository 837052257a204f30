"""Bodies in the wrong charset, the wrong transfer encoding, or with octets that mean something to somebody else."""

import base64
import quopri

from tests.corpus.mails.wire import WORDS, Odd, Reads, mail, text


def _in(name: str, charset: str, octets: bytes | None = None, *, cte: str = "8bit", reads: Reads = "words") -> Odd:
    body = octets if octets is not None else WORDS.encode()
    kind = f"text/plain; charset={charset}" if charset else "text/plain; charset"
    return Odd(name, text(name, kind, body, f"Content-Transfer-Encoding: {cte}"), reads)


def _wide(name: str, codec: str) -> Odd:
    octets = base64.encodebytes(f"{WORDS} 1\u00a0250,00 €".encode(codec))
    return _in(name, codec, octets, cte="base64")


def _sent(name: str, cte: str, octets: bytes | str, reads: Reads = "words") -> Odd:
    return Odd(name, text(name, "text/plain; charset=utf-8", octets, f"Content-Transfer-Encoding: {cte}"), reads)


BASE64 = base64.encodebytes(WORDS.encode()).decode()
QUOTED = quopri.encodestring(f"{WORDS} Grüße".encode()).decode()
CHARSETS = [
    *[
        _wide(f"charset-{codec}", codec)
        for codec in (
            "utf-8",
            "utf-16",
            "utf-16-le",
            "utf-32",
            "utf-7",
            "iso-8859-15",
            "windows-1252",
            "windows-1250",
            "gb18030",
        )
    ],
    _in("charset-unknown", "x-unknown-8bit", f"{WORDS} €".encode()),
    _in("charset-unheard-of", "ansi_x3.110-1983", f"{WORDS} é".encode("latin-1")),
    _in("charset-empty", '""', f"{WORDS} €".encode()),
    _in("charset-without-value", ""),
    _in("charset-is-a-sentence", '"the one that I always use"'),
    _in("charset-long", "x" * 5_000),
    _in("charset-control", "utf\x018"),
    _in("charset-escape-codec", "unicode_escape", f"{WORDS} \\ud800 \\x00".encode()),
    _in("charset-rot13", "rot13"),
    _in("charset-zlib", "zlib"),
    _in("charset-idna", "idna"),
    _in("charset-undefined", "undefined"),
    _in("charset-mbcs", "mbcs"),
    _in("charset-ascii-and-more", "us-ascii", f"{WORDS} 1\u00a0250,00 €".encode()),
    _in("charset-utf8-and-latin1", "utf-8", WORDS.encode() + " 1\u00a0250,00".encode("latin-1")),
    _in("charset-latin1-and-utf8", "iso-8859-1", f"{WORDS} €".encode()),
    _in("charset-utf16-and-ascii", "utf-16", base64.encodebytes((WORDS + "!").encode()), cte="base64", reads="nothing"),
    _in("charset-two-in-one", "utf-8", f"{WORDS} ü".encode() + b" \xfc"),
    _in("charset-no-such-octet", "windows-1252", WORDS.encode() + b" \x81\x8d\x90"),
    _in("charset-japanese-mail", "iso-2022-jp", WORDS.encode() + " 日本".encode("iso-2022-jp")),
    _in("charset-escape-left-open", "iso-2022-jp", WORDS.encode() + b" \x1b$B"),
    _in("charset-cyrillic", "koi8-r", WORDS.encode() + " привет".encode("koi8-r")),
    _in("charset-visual-hebrew", "iso-8859-8-i", WORDS.encode() + " שלום".encode("iso-8859-8")),
    _in("charset-surrogates", "utf-8", WORDS.encode() + b" \xed\xa0\x80"),
    _in("charset-overlong", "utf-8", WORDS.encode() + b" \xc0\xaf"),
    _in("charset-bom", "utf-8", b"\xef\xbb\xbf" + WORDS.encode()),
]
TRANSFERS = [
    _sent("transfer-base64-spaces", "base64", " ".join(BASE64)),
    _sent("transfer-base64-noise", "base64", f"!!{BASE64}##"),
    _sent("transfer-base64-unpadded", "base64", BASE64.rstrip("=\n")),
    _sent("transfer-base64-one-short", "base64", base64.b64encode(f"{WORDS}  ".encode()).decode()[:-1]),
    _sent("transfer-base64-with-tail", "base64", f"{BASE64}\n-- \nscanned by a filter"),
    _sent("transfer-base64-is-plain", "base64", WORDS, "nothing"),
    _sent("transfer-base64-empty", "base64", "", "nothing"),
    _sent("transfer-quoted", "quoted-printable", QUOTED),
    _sent("transfer-quoted-broken", "quoted-printable", f"{WORDS} =ZZ =4 ="),
    _sent("transfer-quoted-soft-end", "quoted-printable", f"{WORDS}="),
    _sent("transfer-quoted-nul", "quoted-printable", f"{WORDS}=00=00"),
    _sent("transfer-quoted-spaces", "quoted-printable", f"{WORDS}   \n=20"),
    _sent("transfer-quoted-lower", "quoted-printable", f"{WORDS} =c3=bc"),
    _sent("transfer-unheard-of", "x-compressed", WORDS),
    _sent("transfer-empty", "", WORDS),
    _sent("transfer-two", "7bit, base64", WORDS),
    _sent("transfer-commented", "8bit (or so)", WORDS),
    _sent("transfer-uuencode", "x-uuencode", "begin 644 a\n#86)C\n`\nend\n", "nothing"),
    _sent("transfer-7bit-is-8bit", "7bit", f"{WORDS} ü"),
    _sent("transfer-binary", "binary", WORDS.encode() + bytes(range(1, 256)).replace(b"\r", b"").replace(b"\n", b"")),
]
BODIES = [
    Odd("body-empty", mail("body-empty", ""), "nothing"),
    Odd("body-blank", mail("body-blank", " \n\t\n \u00a0\n"), "nothing"),
    Odd("body-one-octet", mail("body-one-octet", "x"), "nothing"),
    Odd("body-nul", mail("body-nul", WORDS.encode() + b"\x00\x00")),
    Odd("body-nul-between", mail("body-nul-between", b"\x00" + WORDS.encode())),
    Odd("body-bare-cr", mail("body-bare-cr", b"Hello\r" + WORDS.encode() + b"\rBye")),
    Odd("body-bare-lf", mail("body-bare-lf", b"Hello\n" + WORDS.encode() + b"\nBye")),
    Odd("body-mixed-ends", mail("body-mixed-ends", b"a\rb\nc\r\n" + WORDS.encode() + b"\n\r\r\nd")),
    Odd("body-dots", mail("body-dots", f".\n..\n{WORDS}\n...\n")),
    Odd("body-protocol", mail("body-protocol", f"* 3 EXISTS\n)\nA001 OK done\n+ idling\n* BYE\n{WORDS}")),
    Odd("body-literal", mail("body-literal", f"{{12}}\n{WORDS}\nUID 7 FETCH (BODY[] {{3}}")),
    Odd("body-one-line", mail("body-one-line", WORDS + " x" * 40_000)),
    Odd("body-dashes", mail("body-dashes", WORDS + "\n" + "-" * 300_000)),
    Odd("body-many-lines", mail("body-many-lines", WORDS + "\nOn x" * 30_000)),
    Odd("body-zero-width", mail("body-zero-width", f"{WORDS}\u200b\u200c\u200d\u2060\ufeff")),
    Odd("body-bidi", mail("body-bidi", f"{WORDS} \u202e\u2066abc\u2069")),
    Odd("body-tag-letters", mail("body-tag-letters", WORDS + "".join(chr(0xE0000 + ord(each)) for each in "approve"))),
    Odd("body-escapes", mail("body-escapes", f"{WORDS}\x1b[2J\x1b[31m\x07\x08")),
    Odd("body-quoted-only", mail("body-quoted-only", f"> {WORDS}")),
    Odd("body-answers-between", mail("body-answers-between", f"> Was it agreed?\n{WORDS}\n> And the freight?\nNo.")),
    Odd(
        "body-below-history",
        mail("body-below-history", f"On Mon, 4 May 2026, Desk wrote:\n> Was it agreed?\n\n{WORDS}"),
    ),
    Odd(
        "body-outlook", mail("body-outlook", f"{WORDS}\n\nFrom: Desk\nSent: Monday\nTo: V\nSubject: Invoice\n\nWas it?")
    ),
    Odd("body-flowed", text("body-flowed", "text/plain; format=flowed; delsp=yes", f"{WORDS} \nRegards")),
    Odd("body-uuencode", mail("body-uuencode", f"{WORDS}\nbegin 644 a.pdf\n#86)C\n`\nend")),
    Odd("body-signature", mail("body-signature", f"{WORDS}\n-- \nVendor AG\nThis e-mail is confidential.")),
    Odd("octets-none", b"", "nothing"),
    Odd("octets-crlf", b"\r\n", "nothing"),
    Odd(
        "octets-noise",
        bytes((number * 7 + 3) % 256 for number in range(4_000)).replace(b"\r", b"").replace(b"\n", b""),
        "nothing",
    ),
    Odd("octets-json", b'{"mail": "' + WORDS.encode() + b'"}\r\n', "nothing"),
    Odd("octets-http", b"GET / HTTP/1.1\r\nHost: v.example\r\n\r\n" + WORDS.encode()),
]
TEXTS = [*CHARSETS, *TRANSFERS, *BODIES]
