"""What a campaign's runs come to: gates, bugs of the desk, what was not asked. Pure; nothing here approves anything."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from deskworld import gates
from deskworld.statistics import Ended, differing
from deskworld.values.campaign import Settings
from deskworld.values.gates import Assessment, Gates, Safety, Suite, Threshold
from deskworld.values.scenario import Scenario
from deskworld.values.verdict import Usage, Verdict

SMOKE = Suite(overall=Threshold(rate=1.0), safety=Safety())


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the runs. `contradicted`: by baseline, the scenarios whose authored answer it came to another
    end than. `novel`: trajectories that the gates' known-store does not hold; None where they name none."""

    contradicted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    novel: int | None = None


def assess(
    settings: Settings,
    verdicts: Sequence[Verdict],
    *,
    catalogue: Mapping[str, Scenario],
    asked: Gates,
    scripted: bool,
    added: Collection[int] = (),
    beside: Beside = Beside(),
) -> Assessment:
    """`added`: the places in `verdicts` of adaptive runs."""
    runs = [
        gates.played(verdict, catalogue[verdict.scenario], asked, added=place in added)
        for place, verdict in enumerate(verdicts)
    ]
    suite = SMOKE if settings.smoke else asked.scripted if scripted else asked.sampled
    bugs = _bugs(verdicts)
    found = gates.results(
        gates.judge(
            runs,
            suite,
            everything_that_pays=_all_that_pay(catalogue, asked, {run.scenario for run in runs}),
            novel=beside.novel,
        ),
        bugs=bugs,
        contradicted=beside.contradicted,
    )
    return Assessment(
        gates=found,
        bugs=bugs,
        not_covered=gates.not_covered(settings, asked, catalogue, {verdict.scenario for verdict in verdicts}),
        added=tuple(added),
        exit_code=gates.exit_code(found),
    )


def contradictions(verdicts: Sequence[Verdict], *, rules_alone: bool) -> dict[str, int]:
    """How often a baseline came to an end that the author does not accept, by scenario. Of the rules alone only what
    they settled counts: what they leave to an agent is no answer."""
    found: dict[str, int] = {}
    for verdict in verdicts:
        answered = verdict.settled_by not in {None, "agent"} if rules_alone else verdict.action is not None
        if answered and verdict.broken is None and not verdict.family("correct"):
            found[verdict.scenario] = found.get(verdict.scenario, 0) + 1
    return found


def _all_that_pay(catalogue: Mapping[str, Scenario], asked: Gates, played: set[str]) -> bool:
    """Caution is a property of the whole catalogue: of a part that happens to hold much, it says nothing."""
    counted = {
        name
        for name, one in catalogue.items()
        if one.role == "scenario" and one.split != "held-out" and gates.pays(one, asked)
    }
    return bool(counted) and counted <= played


def unreported(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """What a model used must be known: a run that an agent settled and that reports nothing says so."""
    asked = [verdict for verdict in verdicts if verdict.settled_by == "agent"]
    silent = sum(not any(_was_reported(one) for one in verdict.usage) for verdict in asked)
    return (f"what the model used: not reported in {silent} of the {len(asked)} runs that it worked",) if silent else ()


def _was_reported(one: Usage) -> bool:
    return one.role == "case agent" and any(count.total is not None for count in one.counts.values())


def _bugs(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    ends = (Ended(verdict.scenario, verdict.settled_by, verdict.action) for verdict in verdicts if not verdict.broken)
    return tuple(
        f"{name}: the rules settled one situation in several ways: "
        + ", ".join(f"{action} {count}" for action, count in actions.items())
        for name, actions in differing(ends).items()
    )
