"""Messages made to keep a reader busy: each took a program somewhere seconds, minutes, or for ever."""

from tests.corpus.mails.wire import WORDS, Odd, mail, multi

TYPED = "Content-Type: text/plain; "
MANY = TYPED + "; ".join(f"name*{number}=x" for number in range(100)) + "\n\n"


def _field(name: str, field: str) -> Odd:
    return Odd(name, mail(name, WORDS, field))


def _body(name: str, body: str) -> Odd:
    return Odd(name, mail(name, f"{WORDS}\n{body}"))


def _html(name: str, body: str) -> Odd:
    return Odd(name, mail(name, f"<p>{WORDS}</p>{body}", "Content-Type: text/html"))


SLOW = [
    _field("slow-parameters", TYPED + "; ".join(f"name*{number}=x" for number in range(1_600))),
    Odd("slow-parameters-of-parts", multi("slow-parameters-of-parts", "mixed", MANY + WORDS, *[f"{MANY}x"] * 100)),
    _field("slow-comments", TYPED + "(" * 900),
    _field("slow-transfer", "Content-Transfer-Encoding: " + "(" * 900),
    _field("slow-name", "Content-Disposition: inline; name=" + '"\\' * 400),
    _field("slow-encoded-words", "Subject: " + "=?utf-8?q?a?= " * 1_500),
    _field("slow-half-words", "Subject: " + "=?" * 8_000),
    _field("slow-brackets", "Subject: " + "[" * 16_000),
    _field("slow-prefixes", "Subject: " + "re: " * 4_000),
    _field("slow-from-brackets", "From: " + "<" * 16_000),
    _field("slow-from-quotes", "From: " + '"\\' * 8_000),
    _field("slow-references-open", "References: " + "<a" * 8_000),
    _field("slow-references-signs", "References: " + "a@" * 8_000),
    _field("slow-references-letters", "References: " + "a" * 16_000),
    _body("slow-introductions", "on a\n" * 20_000),
    _body("slow-long-introductions", ("on " + "a " * 90 + "\n") * 500),
    _body("slow-named-introductions", ("a <" + "x@" * 90 + "\n") * 500),
    _body("slow-automatic", "this is an automatic " + "a " * 5_000),
    _body("slow-quotes", ">" * 99_000),
    _body("slow-words", "a.b'c," * 15_000),
    _body("slow-addresses", "<https:" * 13_000),
    _body("slow-blocks", "x\n" + "From: x\n" * 10_000),
    _html("slow-style", "<div style='" + "color : " * 9_000 + "'>x"),
    _html("slow-attributes", "<p a='" * 15_000),
    _html("slow-entities", "&#" * 45_000),
]
