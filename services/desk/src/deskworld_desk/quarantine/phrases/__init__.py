"""Phrases of business letters by what they do, one module a language; all in lower case and without accents."""

import re

from deskworld_desk.quarantine.phrases import english, french, german, spanish
from deskworld_desk.quarantine.phrases.cue import Cue

__all__ = ["PATTERNS", "Cue", "hears"]

PATTERNS: dict[Cue, re.Pattern[str]] = {
    cue: re.compile(
        r"\b(?:"
        + "|".join(phrase for spoken in (english, german, french, spanish) for phrase in spoken.PHRASES.get(cue, ()))
        + ")"
    )
    for cue in Cue
}


def hears(cue: Cue, folded: str) -> bool:
    return PATTERNS[cue].search(folded) is not None
