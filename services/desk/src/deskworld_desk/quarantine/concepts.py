"""What a word or a group of words speaks of, the same for every language. The table is `concepts.txt`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from deskworld_desk.quarantine.plain import fold
from deskworld_desk.quarantine.words import elided, plain_letters

# A shorter stem would stand in half of all words.
_SHORTEST = 3
# Words between the parts of a group that need not follow each other.
_GAP = 3
_WORDS_KEPT = 8_192


@dataclass(frozen=True, slots=True)
class _Stem:
    text: str
    whole: bool

    def begins(self, word: str) -> bool:
        return word == self.text if self.whole else word.startswith(self.text)


@dataclass(frozen=True, slots=True)
class _Group:
    concept: str
    stems: tuple[_Stem, ...]
    apart: bool

    def stands_at(self, words: Sequence[str], place: int) -> bool:
        for stem in self.stems:
            reach = words[place : place + (_GAP + 1 if self.apart else 1)]
            found = next((step for step, word in enumerate(reach) if stem.begins(word)), None)
            if found is None:
                return False
            place += found + 1
        return True


def concepts_at(words: Sequence[str], place: int) -> frozenset[str]:
    """The concepts of the word at this place and of the groups that begin with it."""
    groups = frozenset(group.concept for group in _groups_beginning(words[place]) if group.stands_at(words, place))
    return _of_word(words[place]) | groups


@cache
def table() -> tuple[_Group, ...]:
    """Every stem and group of stems of `concepts.txt`."""
    found: list[_Group] = []
    concept = ""
    for line in files(__package__).joinpath("concepts.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            concept = line.strip("[]")
        elif line and not line.startswith("#"):
            found += [_group(concept, written) for written in line.split()]
    return tuple(found)


def _group(concept: str, written: str) -> _Group:
    apart = "+" in written
    parts = elided(fold(written.replace("_", " ").replace("+", " "))).split()
    stems = (_Stem(plain_letters(part.removesuffix("$")), part.endswith("$")) for part in parts)
    return _Group(concept, tuple(stems), apart)


@cache
def _by_first() -> dict[str, tuple[_Group, ...]]:
    found: dict[str, tuple[_Group, ...]] = {}
    for group in table():
        found[group.stems[0].text] = (*found.get(group.stems[0].text, ()), group)
    return found


def _beginning(word: str) -> list[_Group]:
    by_first = _by_first()
    starts = (word[:length] for length in range(1, len(word) + 1))
    return [group for start in starts for group in by_first.get(start, ()) if group.stems[0].begins(word)]


@lru_cache(_WORDS_KEPT)
def _of_word(word: str) -> frozenset[str]:
    return frozenset(
        group.concept
        for group in _beginning(word)
        if len(group.stems) == 1 and (group.stems[0].whole or len(group.stems[0].text) >= _SHORTEST)
    )


@lru_cache(_WORDS_KEPT)
def _groups_beginning(word: str) -> tuple[_Group, ...]:
    return tuple(group for group in _beginning(word) if len(group.stems) > 1)
