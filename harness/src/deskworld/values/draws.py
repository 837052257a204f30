"""Fixing the values that a file leaves open. Pure: where they come from is given."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Draws(Protocol):
    """What decides what is left open; `random.Random` is one."""

    def randint(self, a: int, b: int, /) -> int: ...

    def choice(self, seq: Sequence[T], /) -> T: ...


def draw(value: Any, rng: Draws) -> Any:
    """Fixes every `{draw: [low, high], step: s}` and `{one-of: […]}` inside a value, in the order of the file."""
    if isinstance(value, Mapping):
        if set(value) == {"draw", "step"}:
            low, high, step = (Decimal(str(part)) for part in (*value["draw"], value["step"]))
            return low + step * rng.randint(0, int((high - low) / step))
        if set(value) == {"one-of"}:
            return draw(rng.choice(value["one-of"]), rng)
        return {key: draw(item, rng) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [draw(item, rng) for item in value]
    return value


def open_ranges(value: Any) -> Iterator[str]:
    """The kind of every value that is left open, in the order in which they are fixed: draw, one-of."""
    if isinstance(value, Mapping):
        if set(value) in ({"draw", "step"}, {"one-of"}):
            yield "draw" if "draw" in value else "one-of"
            return
        for item in value.values():
            yield from open_ranges(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from open_ranges(item)


class Corner:
    """Every range at its end: the n-th of `ranges` draws takes its lowest or its highest value by the n-th bit of
    `number`, later ones their lowest; the bits above say with which possibility each list begins."""

    def __init__(self, number: int, ranges: int) -> None:
        self._bits = number & ((1 << ranges) - 1)
        self._chosen = number >> ranges

    def randint(self, a: int, b: int, /) -> int:
        high, self._bits = self._bits & 1, self._bits >> 1
        return b if high else a

    def choice(self, seq: Sequence[T], /) -> T:
        return seq[self._chosen % len(seq)]
