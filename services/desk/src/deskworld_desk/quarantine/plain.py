"""Letters brought to one plain form before anything is looked for in them, so that no disguise of letters helps."""

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass

LENGTH_LIMIT = 12_000
SENTENCE_LIMIT = 600
_OVERLAP = 150

# Letters of other alphabets that are drawn like Latin ones.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏкмтвнАВЕКМНОРСТУХІЈЅοανιρτυχκεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlkmtbhABEKMHOPCTYXIJSoaviptuxkeABEZHIKMNOPTYX",
)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_DASHES = re.compile(r"[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]")
_TAGS = range(0xE0020, 0xE007F)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_SPACED = re.compile(r"(?<!\w)(?:\w[ ._*-]){3,}\w(?!\w)")
# A full stop that ends no sentence.
_ABBREVIATION = re.compile(
    r"\b(?:(?<=po )|(?<=order )|(?<=inv )|(?<=ref ))no\.(?=\s)|\bno\.(?=\s?[A-Z]{0,4}-?\d)|"
    r"\b(?:nr|num|mr|mrs|ms|dr|inv|ref|approx|incl|excl|art|tel|st|ca|zzgl|inkl|bzw|sr|sra|mme|pcs|ltd|co|bestellnr|rechnungsnr|"
    r"auftragsnr|p\.o|e\.g|i\.e|z\.b|d\.h|[iopz]\.? ?[avgb]|ppa|ref|v/ref|n/ref|s/ref|tlf|vgl|evtl|lt|"
    r"gem|usw|etc|str|dr|ing|hr|fr|mm|sres|cia)\.(?=\s|\d)|(?<=\b[A-Z])\.(?= [A-Z][a-z])|"
    r"(?<=\d)\.(?= (?:jan|feb|mar|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez))",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?;])(?<!\d\.)\s+|(?<=\d\.)\s+(?=[A-Z¿¡ÄÖÜÉ])|(?<=[?!])(?=[^\s?!.\"')])|\n+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` as written, tidied; `folded` in lower case without accents, for looking things up."""

    text: str
    folded: str
    question: bool


def tidy(text: str) -> str:
    """One form for what looks the same; what is invisible is made visible or taken out."""
    shown = "".join(chr(ord(each) - 0xE0000) if ord(each) in _TAGS else each for each in text)
    shown = unicodedata.normalize("NFKC", shown[:LENGTH_LIMIT])
    shown = "".join(
        each for each in shown if each in "\n\t" or unicodedata.category(each) not in {"Cf", "Cc", "Cs", "Co"}
    )
    return _DASHES.sub("-", shown.translate(_QUOTES))


def fold(text: str) -> str:
    lowered = text.translate(_LOOKALIKES).casefold()
    return "".join(each for each in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(each))


def sentences(text: str) -> list[Sentence]:
    shielded = _ABBREVIATION.sub(lambda found: found.group(0).replace(".", "\x00"), _unwrapped(text))
    found = []
    for piece in _END.split(shielded):
        words = " ".join(piece.replace("\x00", ".").split())
        found += [Sentence(part, fold(part), question="?" in words) for part in _portions(words)]
    return found


def _portions(words: str) -> list[str]:
    """A sentence beyond any breath in overlapping pieces: no search may take the square of a letter's length."""
    if len(words) <= SENTENCE_LIMIT:
        return [words] if words else []
    step = SENTENCE_LIMIT - _OVERLAP
    return [words[start : start + SENTENCE_LIMIT] for start in range(0, len(words) - _OVERLAP, step)]


def disguised(text: str) -> str:
    """What stands in the text in another guise: base64, or letters set apart."""
    found = []
    for chunk in _ENCODED.findall(text):
        try:
            plain = base64.b64decode(chunk + "=" * (-len(chunk) % 4), validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        if plain.isprintable() and " " in plain:
            found.append(plain)
    found += [re.sub(r"[ ._*-]", "", spaced) for spaced in _SPACED.findall(text)]
    return "\n".join(found)


def _unwrapped(text: str) -> str:
    """Lines broken by a mail program joined again: a long line goes on in the next unless it ends a sentence."""
    out: list[str] = []
    for line in text.split("\n"):
        stripped = line.strip()
        if out and stripped and len(out[-1]) >= 50 and not out[-1].endswith((".", "!", "?", ":", ";")):
            out[-1] += " " + stripped
        else:
            out.append(stripped)
    return "\n".join(out)
