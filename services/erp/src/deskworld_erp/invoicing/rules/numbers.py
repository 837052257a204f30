"""Invoice numbers as vendors write them, and when two of them are the same."""

import unicodedata
from itertools import groupby

Key = tuple[str, ...]


def number_key(number: str) -> Key:
    """Groups of letters and groups of digits, upper case, leading zeros stripped per group.

    `A-1-02` and `a 01/2` have one key; `A-12` has another. An empty key equals nothing.
    """
    return tuple(
        _stripped(kind, "".join(character for character, _ in group))
        for kind, group in groupby(_characters(number), key=lambda pair: pair[1])
        if kind != "separator"
    )


def tight_key(number: str) -> Key:
    """The key when separators are dropped before zeros are stripped: `A-1-02` reads as `A102`."""
    kept = [pair for pair in _characters(number) if pair[1] != "separator"]
    return tuple(
        _stripped(kind, "".join(character for character, _ in group))
        for kind, group in groupby(kept, key=lambda pair: pair[1])
    )


def same_number(one: str, other: str) -> bool:
    key = number_key(one)
    return bool(key) and key == number_key(other)


def near_number(one: str, other: str) -> bool:
    """Not the same, but the same once separators are gone."""
    key, other_key = number_key(one), number_key(other)
    if not key or not other_key or key == other_key:
        return False
    return "".join(key) == "".join(other_key) or tight_key(one) == tight_key(other)


def _characters(number: str) -> list[tuple[str, str]]:
    """Each character with its kind. Format characters (zero width) are not there at all; marks belong to letters."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", number).upper())
    found = []
    for character in text:
        category = unicodedata.category(character)
        if category == "Nd":
            found.append((str(unicodedata.decimal(character)), "digits"))
        elif category[0] in "LM":
            found.append((character, "letters"))
        elif category not in ("Cf", "Cc"):
            found.append((character, "separator"))
    return found


def _stripped(kind: str, group: str) -> str:
    return (group.lstrip("0") or "0") if kind == "digits" else group
