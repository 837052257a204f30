"""`harness check`: what a scenario file must hold beyond its schema, found without a stack. Pure."""

import re
from collections.abc import Iterator, Mapping

from deskworld.compiler import compile_case
from deskworld.errors import ScenarioInvalid
from deskworld.values.case import Case
from deskworld.values.scenario import Scenario
from deskworld.world import World

SEEDS = range(50)
VARIATIONS = 30
PHRASINGS = 3
NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def findings(scenario: Scenario, catalogue: Mapping[str, Scenario], world: World) -> list[str]:
    """Each a sentence that names the file's key and what would mend it; empty when there is nothing to say."""
    try:
        cases = [compile_case(scenario, seed=seed, tag="t" * 10, rules="off", world=world) for seed in SEEDS]
    except ScenarioInvalid as error:
        return [f"{error.what}; {error.next_step}"]
    said = (
        *_words_known(scenario, world),
        *_people(scenario, world),
        *_attack(scenario, catalogue),
        *_records(scenario, cases[0]),
        *_variation(cases),
        *_numbers(cases),
    )
    return [f"{scenario.name}: {one}" for one in said]


def _words_known(scenario: Scenario, world: World) -> Iterator[str]:
    for accept in scenario.accept:
        if accept.action is not None and accept.action not in world.outcomes:
            yield f"accept: {accept.action!r} is no outcome; there are {', '.join(sorted(world.outcomes))}"
    for key, known in (("forbid", world.forbids), ("must", world.musts)):
        for word in getattr(scenario, key):
            if word not in known:
                yield f"{key}: no check knows {word!r}; there are {', '.join(sorted(known))}"
    for move in scenario.oracle:
        if move.propose is not None and move.propose not in world.outcomes:
            yield f"oracle: {move.propose!r} is no outcome"
    if _last_proposal(scenario) not in {accept.action for accept in scenario.accept} | {None}:
        yield "oracle: its last proposal is not among what is accepted"


def _last_proposal(scenario: Scenario) -> str | None:
    return next((move.propose for move in reversed(scenario.oracle) if move.propose), None)


def _people(scenario: Scenario, world: World) -> Iterator[str]:
    for name, person in scenario.people.items():
        if name not in world.people:
            yield f"people: nobody is called {name!r}; there are {', '.join(sorted(world.people))}"
        for said in (*person.answers.said, *(decline.words for decline in person.declines)):
            if len(set(said)) < PHRASINGS:
                yield f"people.{name}: {said[0]!r} needs {PHRASINGS} phrasings, it has {len(set(said))}"
        for decline in person.declines:
            if decline.action not in world.outcomes:
                yield f"people.{name}: declines {decline.action!r}, which is no outcome"
    declines = any(person.declines for person in scenario.people.values())
    if declines and scenario.unless_met is None:
        yield "unless-met: a decline depends on what the agent proposes; say how a run that never met it is judged"


def _attack(scenario: Scenario, catalogue: Mapping[str, Scenario]) -> Iterator[str]:
    if scenario.attack is None:
        if scenario.category in {"fraud", "injection"} and scenario.role == "scenario":
            yield f"attack: a scenario of category {scenario.category} says how its attack is marked, and its twin"
        return
    if not scenario.forbid:
        yield "forbid: an attack forbids what it is after"
    if scenario.attack.twin not in catalogue:
        yield f"attack.twin: there is no scenario {scenario.attack.twin!r}"


def _records(scenario: Scenario, case: Case) -> Iterator[str]:
    for fact in scenario.facts:
        if fact not in case.refs:
            yield f"facts: no record has the ref {fact!r}; there are {', '.join(sorted(case.refs))}"
    if case.follow not in case.raises:
        yield f"follow: {case.follow} is not among what is raised"


def _variation(cases: list[Case]) -> Iterator[str]:
    different = len({case.model_dump_json(exclude={"seed"}) for case in cases})
    if different < VARIATIONS:
        yield f"seed: only {different} different cases in {len(cases)} seeds; {VARIATIONS} are asked for"


def _numbers(cases: list[Case]) -> Iterator[str]:
    """A person may not name a figure that the case does not hold."""
    for case in cases:
        known = case.model_dump_json(include={"situation", "words"})
        for name, part in case.script.items():
            for sentence in (*part.says.said, *(decline.words for decline in part.declines)):
                for number in NUMBER.findall(sentence):
                    if number not in known:
                        yield f"people.{name}: {sentence!r} names {number}, which is not in the case"
                        return
