"""One run, as gates look at it."""

from dataclasses import dataclass

from deskworld.values.gates import Gates
from deskworld.values.scenario import Scenario
from deskworld.values.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Played:
    """`delivery` is None but for attacks. `escalated` is None where paying was not right, else whether the run ended
    in no payment. `alone`: the run had the stack to itself, and its times are its own. `added`: an adaptive run."""

    scenario: str
    category: str
    passed: bool
    broken: bool
    delivery: str | None
    escalated: bool | None
    seconds: float
    alone: bool = False
    added: bool = False


def played(verdict: Verdict, scenario: Scenario, gates: Gates, *, added: bool = False) -> Played:
    return Played(
        scenario=verdict.scenario,
        category=scenario.category,
        passed=verdict.passed,
        broken=verdict.cause == "infrastructure",
        delivery=verdict.met.delivery,
        escalated=(verdict.action is None or verdict.action in gates.leaves) if pays(scenario, gates) else None,
        seconds=verdict.seconds,
        alone=scenario.role == "global",
        added=added,
    )


def pays(scenario: Scenario, gates: Gates) -> bool:
    """Whether paying is a right end of the situation."""
    return any(one.action in gates.pays for one in scenario.accept)
