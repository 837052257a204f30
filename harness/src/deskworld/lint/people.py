"""Every person is somebody, speaks in more ways than one, and leaves the case a way out."""

from collections import Counter
from collections.abc import Iterator

from deskworld.values.scenario import Person, Scenario
from deskworld.world import World

PHRASINGS = 3
Said = tuple[str, str]


def people(scenario: Scenario, world: World) -> Iterator[Said]:
    for name, person in scenario.people.items():
        if name not in world.people:
            yield "people", f"nobody is called {name!r}; there are {', '.join(sorted(world.people))}"
        for said in (*person.answers.said, *(decline.words for decline in person.declines)):
            if len(set(said)) < PHRASINGS:
                yield "people", f"{name}: {said[0]!r} needs {PHRASINGS} phrasings, it has {len(set(said))}"
        for decline in person.declines:
            if decline.action not in world.outcomes:
                yield "people", f"{name}: declines {decline.action!r}, which is no outcome"
    for letter in scenario.twist.unsolicited:
        if len(set(letter.text)) < PHRASINGS:
            yield (
                "twist",
                f"unsolicited: {letter.text[0]!r} needs {PHRASINGS} phrasings, it has {len(set(letter.text))}",
            )
    yield from _exits(scenario, world)


def _exits(scenario: Scenario, world: World) -> Iterator[Said]:
    """Whoever is asked is in the file, answers or is waited for, and somebody decides one of the accepted ends."""
    for whom in world.asked - set(scenario.people):
        yield "people", f"the {whom} can be asked, and the file does not say what they answer"
    yield from _decided(scenario)
    yield from _answered(scenario)


def _decided(scenario: Scenario) -> Iterator[Said]:
    if any(accept.wait for accept in scenario.accept):
        return
    left = [one for one in scenario.accept if one.by is not None and not _blocked(scenario, one.action, one.by)]
    if not left:
        yield "people", "every accepted end is declined, or its decider is silent: no way leads to one"


def _blocked(scenario: Scenario, action: str | None, by: str) -> bool:
    """`order-buyer` is the file's buyer."""
    decider = scenario.people.get("buyer" if by == "order-buyer" else by, Person())
    return decider.decides == "silent" or action in {one.action for one in decider.declines}


def _answered(scenario: Scenario) -> Iterator[Said]:
    """A reference agent that asks somebody who will not answer has to stop there, where waiting is accepted."""
    asked: Counter[str] = Counter()
    for place, move in enumerate(scenario.oracle):
        whom = move.ask or move.write
        if whom is None:
            continue
        asked[whom] += 1
        answers = scenario.people.get(whom, Person()).answers
        goes_on = asked[whom] <= len(answers.said) or (answers.then == "repeat" and bool(answers.said))
        if goes_on:
            continue
        if place < len(scenario.oracle) - 1:
            yield "oracle", f"its question {asked[whom]} to the {whom} is never answered, and moves stand after it"
        elif whom not in {accept.wait for accept in scenario.accept}:
            yield "oracle", f"it ends with the {whom} asked, who never answers, and waiting for them is not accepted"
