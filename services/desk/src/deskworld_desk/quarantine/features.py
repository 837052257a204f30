"""What a letter holds, as names that a weight can be given to: concepts, denied or not, and which follows which."""

from collections.abc import Iterator, Sequence

from deskworld_desk.quarantine.concepts import concepts_at
from deskworld_desk.quarantine.plain import Sentence
from deskworld_desk.quarantine.words import words_of

# How far a denial reaches, and how far apart two concepts still say something together, in words.
_DENIED = 6
_TOGETHER = 8
_CLAUSE_ENDS = frozenset({",", ";", ":", ".", "but", "aber", "mais", "pero", "sondern", "sino", "however", "jedoch"})
_NO_DENIAL_BEFORE = frozenset({"only", "nur", "seulement", "solo"})
_LENGTHS = (2, 4, 8, 15, 30, 60)
_DENIAL, _DENIES_BACKWARDS = "NOT", "nicht"


def features(sentences: Sequence[Sentence], *, lengths: bool) -> frozenset[str]:
    """`lengths`: also how many words there are, which says something of a whole letter only."""
    found: set[str] = set()
    count = 0
    for sentence in sentences:
        words = words_of(sentence.folded)
        asks = "?" if sentence.question else ""
        count += sum(word[0].isalpha() for word in words)
        heard = list(_heard(words))
        found |= {asks + concept for _, concept in heard}
        found |= {f"{asks}{one}>{other}" for one, other in _pairs(heard)}
        found |= {f"={asks}{word}" for word in words if word[0].isalpha()}
        if asks:
            found.add("?")
    if lengths:
        found |= {f"<={length}" if count <= length else f">{length}" for length in _LENGTHS}
    return frozenset(found)


def _heard(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Concepts by place; `~` before those in the reach of a denial. German denies afterwards too ("stimmt nicht")."""
    denied = place = 0
    clause: list[str] = []
    for at, word in enumerate(words):
        if word in _CLAUSE_ENDS:
            denied = 0
            clause = []
            continue
        if word == _DENIES_BACKWARDS:
            yield from ((place, f"~{concept}") for concept in clause[-_DENIED:])
        if word[0] == "<":
            yield place, word
        else:
            concepts = sorted(concepts_at(words, at))
            clause += [concept for concept in concepts if concept != _DENIAL]
            for concept in concepts:
                yield place, f"~{concept}" if denied > 0 and concept != _DENIAL else concept
            if _DENIAL in concepts and not (at + 1 < len(words) and words[at + 1] in _NO_DENIAL_BEFORE):
                denied = _DENIED
        place, denied = place + 1, denied - 1


def _pairs(heard: Sequence[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    for first, (place, one) in enumerate(heard):
        for other_place, other in heard[first + 1 :]:
            if other_place - place > _TOGETHER:
                break
            if one != other:
                yield one, other
