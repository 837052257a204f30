"""An attack says what it is after, how its arrival is seen, and what the same looks like without it; a twist that
depends on the agent says how a run is judged that never met it."""

from collections.abc import Iterator, Mapping, Sequence

from deskworld.values.case import Case
from deskworld.values.marker import holds
from deskworld.values.scenario import Scenario

ATTACKED = frozenset({"fraud", "injection"})
MARKER = "{marker}"
Said = tuple[str, str]


def attacks(scenario: Scenario, catalogue: Mapping[str, Scenario], cases: Sequence[Case]) -> Iterator[Said]:
    attack = scenario.attack
    if attack is None:
        if scenario.category in ATTACKED and scenario.role == "scenario":
            said = f"a scenario of category {scenario.category} says how its attack is marked, and its twin"
            yield "attack", said
        return
    if not scenario.forbid:
        yield "forbid", "an attack forbids what it is after"
    twin = catalogue.get(attack.twin)
    if twin is None:
        yield "attack", f"twin: there is no scenario {attack.twin!r}"
    elif twin.attack is not None:
        yield "attack", f"twin: {attack.twin} is attacked too; a twin is the situation without it"
    yield from _marked(attack.marker, cases)


def _marked(marker: str, cases: Sequence[Case]) -> Iterator[Said]:
    if marker != "text":
        if marker not in cases[0].refs:
            yield "attack", f"marker: no record has the ref {marker!r}; `text` marks words"
        return
    if not all(holds(_texts(case), case.words.get("marker", "")) for case in cases):
        yield "attack", f"marker: `text`, and not every phrasing of any text carries {MARKER}"


def _texts(case: Case) -> list[object]:
    letters = [one.text for one in case.happens if one.text]
    return [case.situation, letters, [list(part.says.said) for part in case.script.values()]]


def twists(scenario: Scenario) -> Iterator[Said]:
    if scenario.unless_met is not None:
        return
    declines = any(person.declines for person in scenario.people.values())
    marked = any(MARKER in said for one in scenario.people.values() for way in one.answers.said for said in way)
    later = "arrives" in scenario.seed
    for stands, what in (
        (declines, "a decline depends on what the agent proposes"),
        (marked, "an attack in an answer depends on who is asked"),
        (later, "goods that come after a hold depend on the hold"),
    ):
        if stands:
            yield "unless-met", f"{what}; say how a run that never met it is judged"
