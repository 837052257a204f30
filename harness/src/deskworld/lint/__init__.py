"""`harness check`: what a scenario file must hold beyond its schema, found without a stack. Pure."""

from collections.abc import Iterator, Mapping

from deskworld.compiler import compile_case
from deskworld.errors import ScenarioInvalid
from deskworld.lint.attacks import attacks, twists
from deskworld.lint.ends import ends
from deskworld.lint.people import people
from deskworld.lint.words import leaks, numbers
from deskworld.values.case import Case
from deskworld.values.scenario import Scenario
from deskworld.world import World

SEEDS = range(50)
VARIATIONS = 30
"""So many different cases are asked for among those of the seeds."""
TAG = "t" * 10


def findings(scenario: Scenario, catalogue: Mapping[str, Scenario], world: World) -> list[str]:
    """Each a sentence that names the file's key and what would mend it; empty when there is nothing to say."""
    try:
        cases = [compile_case(scenario, seed=seed, tag=TAG, rules="off", world=world) for seed in SEEDS]
    except ScenarioInvalid as error:
        return [f"{error.what}; {error.next_step}"]
    said = (
        *_category(scenario, world),
        *ends(scenario, cases, world),
        *people(scenario, world),
        *attacks(scenario, catalogue, cases),
        *twists(scenario),
        *_records(scenario, cases[0]),
        *_variation(cases),
        *numbers(cases),
        *leaks(scenario, cases),
    )
    return [f"{scenario.where(key)}: {key}: {what}" for key, what in said]


def _category(scenario: Scenario, world: World) -> Iterator[tuple[str, str]]:
    if world.categories is not None and scenario.category not in world.categories:
        known = ", ".join(sorted(world.categories))
        yield "category", f"{scenario.category!r} is none of this world's; there are {known}"


def _records(scenario: Scenario, case: Case) -> Iterator[tuple[str, str]]:
    for fact in scenario.facts:
        if fact not in case.refs:
            yield "facts", f"no record has the ref {fact!r}; there are {', '.join(sorted(case.refs))}"
    if case.follow not in case.raises:
        yield "follow", f"{case.follow} is not among what is raised"


def _variation(cases: list[Case]) -> Iterator[tuple[str, str]]:
    different = len({case.model_dump_json(exclude={"seed"}) for case in cases})
    if different < VARIATIONS:
        yield "seed", f"only {different} different cases in {len(cases)} seeds; {VARIATIONS} are asked for"
