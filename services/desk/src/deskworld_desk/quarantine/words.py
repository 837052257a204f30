"""Sentences as words, numbers by their sort: what a number is matters, which one it is does not."""

import re

_FILE = re.compile(r"[\w()-]{4,}\.(?:pdf|xlsx?|docx?|html?|zip|jpe?g|png|csv|ics|eml|exe)\b")
_MARKS = re.compile(r"\*{3,}|#{2,}|\[(?=[a-z ]{4,40}\])|={3,}|-{3,}(?=\s?[a-z])|\{\s*\"|<!--|</?[a-z]+(?:\s[^<>]*)?>")
_SORTS = (
    (re.compile(r"\bpo[-_/# ]?\d[\w./_#-]*"), "<po>"),
    (re.compile(r"\d[\d.,]*\s?(?:%|percent|prozent|pour ?cent|por ciento)"), "<percent>"),
    (re.compile(r"\b(?=[a-z0-9./_#-]*\d)(?=[a-z0-9./_#-]*[a-z])[a-z0-9]+(?:[-./_#][a-z0-9]+)+\b"), "<code>"),
    (
        re.compile(
            r"(?:(?:[$€£]|eur|usd|gbp|chf) ?)?\d[\d.,']*[.,](?:\d\d|-)(?!\d)(?: ?(?:[$€£]|eur\w*|usd|gbp|chf)\b)?"
        ),
        "<amount>",
    ),
    (re.compile(r"\b\d{6,}(?:-\d+)?\b"), "<long>"),
    (re.compile(r"\b\d+(?:[.:/]\d+)*\b"), "<number>"),
)
_ELISION = re.compile(r"\b(d|l|j|n|s|m|t|c|qu|jusqu)'(?=[a-z])")
_WORD = re.compile(r"<\w+>|[a-z]+(?:[-'][a-z]+)*'?|[?!;:,.]")
_UMLAUT = re.compile(r"([aou])e")


def words_of(folded: str) -> list[str]:
    """Words, marks of punctuation, and `<sort>` for what is no word. Takes folded text (see `plain.fold`)."""
    text = _MARKS.sub(lambda found: f" <marks> {found.group() if found.group()[0] == '<' else ''}", folded)
    text = _FILE.sub(lambda found: f" {re.sub(r'[^a-z0-9]+', ' ', found.group())} <file> ", text)
    for pattern, sort in _SORTS:
        text = pattern.sub(f" {sort} ", text)
    return [word if word[0] == "<" else plain_letters(word) for word in _WORD.findall(elided(text))]


def plain_letters(word: str) -> str:
    """Many write "ae" for an umlaut: both are one here, in every language."""
    return _UMLAUT.sub(r"\1", word)


def elided(text: str) -> str:
    """French "l'article" as two words."""
    return _ELISION.sub(r"\1' ", text)
