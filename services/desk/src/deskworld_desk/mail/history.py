"""Telling the sender's own words from the conversation quoted beneath them.

Quoted text is ours or older: it is no statement of the sender. It is dropped only where something remains.
"""

import re

_INTRO_ENDS = r"(?:wrote|writes|schrieb|schreibt|a écrit|a ecrit|écrit|escribió|escribio|ha scritto|skrev|schreef)"
# "On Tue, 3 June, Anna wrote:" also where the client has folded it over two or three lines.
_INTRO = re.compile(
    r"^[ \t]{0,20}(?:on|am|le|el|op|il|den|at)\b[^\n]{0,200}(?:\n(?!>)[^\n]{0,200}){0,2}?"
    rf"\b{_INTRO_ENDS}\b[^\n]{{0,80}}:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED_INTRO = re.compile(
    rf"^[ \t]{{0,20}}[^\n>]{{0,120}}<[^<>\n]+@[^<>\n]+>[^\n]{{0,40}}\b{_INTRO_ENDS}\b[^\n]{{0,80}}:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DIVIDER = re.compile(
    r"^[ \t>*_]{0,20}-{2,40}[ \t]{0,9}(?:original message|original appointment|forwarded message|"
    r"ursprüngliche nachricht|weitergeleitete nachricht|originalnachricht|message d['’]origine|message transféré|"
    r"mensaje original|mensaje reenviado)"
    r"[ \t]{0,9}-{2,40}[ \t]*$|^[ \t]{0,20}begin forwarded message:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FIELD = r"(?:from|von|de|da)"
_NEXT_FIELD = (
    r"(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|date|à|objet|enviado(?: el)?|fecha|para|asunto|cc)"
)
# The block that Outlook puts above history it does not mark: From, Sent, To, Subject.
_BLOCK = re.compile(
    rf"^[ \t]{{0,20}}[*_]*{_FIELD}[ \t]?:[*_]*[ \t]*\S[^\n]*\n"
    rf"(?:[ \t]*[*_]*{_NEXT_FIELD}[ \t]?:[*_]*[ \t]*[^\n]*(?:\n|$)){{2,6}}",
    re.IGNORECASE | re.MULTILINE,
)


def own_words(text: str) -> tuple[str, bool]:
    """The text without its quoted history, and whether anything of the sender's own remained.

    Where nothing remains, the whole text comes back with False.
    """
    unmarked, cut = _cut(text)
    kept = [line for line in unmarked.split("\n") if not line.lstrip().startswith(">")]
    own = _tidy("\n".join(kept))
    if own:
        return own, True
    # A marker on top with everything below it, such as a forward without a word: then what is below is all there is.
    below = _tidy("\n".join(line for line in text.split("\n") if not line.lstrip().startswith(">"))) if cut else ""
    whole = _tidy(text)
    return (below or whole), not whole


def _cut(text: str) -> tuple[str, bool]:
    """Drop introductions of marked quotes; drop everything from the first introduction of unmarked history on."""
    ends = [found.start() for pattern in (_DIVIDER, _BLOCK) if (found := pattern.search(text))]
    for pattern in (_INTRO, _NAMED_INTRO):
        for found in pattern.finditer(text):
            if not _quotes_follow(text[found.end() :]):
                ends.append(found.start())
                break
    end = min(ends, default=len(text))
    head = text[:end]
    for pattern in (_INTRO, _NAMED_INTRO):
        head = pattern.sub("", head)
    above, _, last = head.rstrip().rpartition("\n")
    # Outlook draws a line of underscores above the block.
    return (above if last.strip("_ \t") == "" else head), end < len(text)


def _quotes_follow(rest: str) -> bool:
    for line in rest.split("\n"):
        if line.strip():
            return line.lstrip().startswith(">")
    return False


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip()
