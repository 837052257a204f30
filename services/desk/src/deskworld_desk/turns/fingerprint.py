"""The fingerprint of a turn: its tools by round, each with its outcome, and how it ended. Ids and texts are no part."""

from collections.abc import Iterable

from deskworld_kit import chain

FINGERPRINT_FORMAT = 1


def fingerprint(calls: Iterable[tuple[int, str, str]], how: str) -> str:
    """`calls`: round, tool, outcome. Calls of one round were under way together, so their order says nothing."""
    rounds: dict[int, list[list[str]]] = {}
    for number, tool, outcome in calls:
        rounds.setdefault(number, []).append([tool, outcome])
    trajectory = [sorted(rounds[number]) for number in sorted(rounds)]
    return chain.digest({"format": FINGERPRINT_FORMAT, "rounds": trajectory, "how": how})
