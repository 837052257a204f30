"""Every reward has a check: what may be accepted, forbidden and demanded is known, and does not contradict itself."""

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from deskworld.values.case import Case, Expectations
from deskworld.values.scenario import Scenario
from deskworld.world import World

Said = tuple[str, str]


def ends(scenario: Scenario, cases: Sequence[Case], world: World) -> Iterator[Said]:
    yield from _accepted(scenario, world)
    for key, known in (("forbid", world.forbids), ("must", world.musts)):
        for word in getattr(scenario, key):
            if word not in known:
                yield key, f"no check knows {word!r}; there are {', '.join(sorted(known))}"
    for action in sorted({one.action for one in scenario.accept if one.action} & set(scenario.forbid)):
        yield "forbid", f"{action} is accepted and forbidden"
    yield from _figures(cases)
    yield from _oracle(scenario, world)


def _accepted(scenario: Scenario, world: World) -> Iterator[Said]:
    for accept in scenario.accept:
        if accept.action is not None and accept.action not in world.outcomes:
            yield "accept", f"{accept.action!r} is no outcome; there are {', '.join(sorted(world.outcomes))}"
        if accept.action in world.needs_amount and accept.amount is None:
            yield "accept", f"{accept.action} is checked by its amount; give one"
        if accept.wait is not None and accept.wait not in world.people:
            yield "accept", f"nobody is called {accept.wait!r}; there are {', '.join(sorted(world.people))}"


def _figures(cases: Sequence[Case]) -> Iterator[Said]:
    """An amount or an order that is no word of the case stands for itself, and is then no amount."""
    found: dict[str, None] = {}
    for case in cases:
        for expect in _of(case.expect):
            for one in expect.accept:
                if one.amount is not None and not _is_positive(one.amount):
                    found.setdefault(f"{one.amount!r} is no amount that could be paid")
                if one.against_po is not None and one.against_po not in case.words.values():
                    found.setdefault(f"{one.against_po!r} is no order of the case")
    yield from (("accept", what) for what in found)


def _of(expect: Expectations) -> Iterator[Expectations]:
    yield expect
    if expect.otherwise:
        yield expect.otherwise


def _is_positive(text: str) -> bool:
    try:
        return Decimal(text) > 0
    except InvalidOperation:
        return False


def _oracle(scenario: Scenario, world: World) -> Iterator[Said]:
    for move in scenario.oracle:
        if move.propose is not None and move.propose not in world.outcomes:
            yield "oracle", f"{move.propose!r} is no outcome"
    last = next((move.propose for move in reversed(scenario.oracle) if move.propose), None)
    if last not in {accept.action for accept in scenario.accept} | {None}:
        yield "oracle", "its last proposal is not among what is accepted"
    if last is None and not any(accept.wait for accept in scenario.accept):
        yield "oracle", "it proposes nothing, and no wait is accepted"
