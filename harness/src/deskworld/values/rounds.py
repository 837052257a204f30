"""The fingerprint of a turn, made anew from its calls, and the rounds in which they were made.

The desk hashes `{format, rounds, how}`, each round the sorted `[tool, outcome]` of calls that were under way together.
Its rows do not say which were; of the ways to part the calls into rounds, the one that gives the hash is it.
"""

from collections.abc import Iterator, Sequence

from deskworld.values.chain import digest

FORMAT = 1
"""Of what is hashed. Another format gives other fingerprints: they are never compared across formats."""

MOST_PARTED = 14
"""Calls of one turn up to which every way to part them is tried (2^13)."""

CallMade = tuple[str, str]
"""Tool, outcome."""

Rounds = tuple[tuple[CallMade, ...], ...]


def fingerprint(rounds: Sequence[Sequence[CallMade]], how: str) -> str:
    trajectory = [sorted(list(call) for call in one) for one in rounds]
    return digest({"format": FORMAT, "rounds": trajectory, "how": how})


def rounds_of(found: str, calls: Sequence[CallMade], how: str) -> Rounds | None:
    """None where no way to part the calls gives this fingerprint, or there are too many to try."""
    return next((one for one in _parted(calls) if fingerprint(one, how) == found), None)


def could_be(found: str, calls: Sequence[CallMade], how: str) -> bool | None:
    """Whether these calls and this end leave this fingerprint; None where that cannot be told."""
    if rounds_of(found, calls, how) is not None:
        return True
    return False if len(calls) <= MOST_PARTED else None


def _parted(calls: Sequence[CallMade]) -> Iterator[Rounds]:
    """One after the other first, which is how most agents call; then every other way."""
    yield tuple((call,) for call in calls)
    if not calls or len(calls) > MOST_PARTED:
        return
    for cuts in range(2 ** (len(calls) - 1)):
        parted: list[tuple[CallMade, ...]] = [(calls[0],)]
        for nth, call in enumerate(calls[1:]):
            if cuts >> nth & 1:
                parted.append((call,))
            else:
                parted[-1] = (*parted[-1], call)
        yield tuple(parted)
