"""Counting: verdicts become the object that `run --json` prints."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from deskworld.errors import UsageWrong
from deskworld.statistics import quantile, wilson
from deskworld.values.campaign import Campaign, ScenarioSummary, Seconds, Settings
from deskworld.values.verdict import FAMILIES, Verdict


class Graded(Protocol):
    @property
    def ungraded(self) -> tuple[str, ...]: ...


def summarise(
    settings: Settings, verdicts: Sequence[Verdict], *, stack: str, bundle: str, wall: float, world: Graded
) -> Campaign:
    """Every run counts, broken ones too: runs = passed + failed, and `infrastructure` says how many of the failed are.

    `checks` counts the runs in which the family passed. Raises UsageWrong for no runs: they prove nothing.
    """
    if not verdicts:
        raise UsageWrong("nothing was run", next_step="`harness list` shows what there is")
    passed = sum(verdict.passed for verdict in verdicts)
    return Campaign(
        schema="deskworld/campaign/1",
        label=settings.label,
        stack=stack,
        agent=settings.agent,
        rules=settings.rules,
        seed=settings.seed,
        runs=len(verdicts),
        passed=passed,
        failed=len(verdicts) - passed,
        infrastructure=sum(verdict.cause == "infrastructure" for verdict in verdicts),
        wall_seconds=round(wall, 3),
        acceptance="REVIEW_REQUIRED" if passed == len(verdicts) else "REJECTED",
        ungraded=world.ungraded,
        bundle=bundle,
        scenarios={name: _scenario(found) for name, found in _by_scenario(verdicts).items()},
    )


def as_json(campaign: Campaign) -> str:
    return campaign.model_dump_json(by_alias=True, indent=2) + "\n"


def _by_scenario(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        found[verdict.scenario].append(verdict)
    return dict(found)


def _scenario(verdicts: list[Verdict]) -> ScenarioSummary:
    runs, passed = len(verdicts), sum(verdict.passed for verdict in verdicts)
    seconds = [verdict.seconds for verdict in verdicts]
    return ScenarioSummary(
        runs=runs,
        passed=passed,
        interval=tuple(wilson(passed, runs)),
        checks={name: sum(verdict.family(name) for verdict in verdicts) for name in FAMILIES},
        settled_by=_counted(verdict.settled_by or "nobody" for verdict in verdicts),
        delivery=_counted(verdict.met.delivery for verdict in verdicts if verdict.met.delivery is not None),
        touches=sum(verdict.touches for verdict in verdicts) / runs,
        seconds=Seconds(p50=round(quantile(seconds, 0.5), 4), p95=round(quantile(seconds, 0.95), 4)),
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
