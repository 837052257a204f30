"""Counting: verdicts become the object that `run --json` prints."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from deskworld.errors import ExitCode, UsageWrong
from deskworld.statistics import overall, quantile, wilson
from deskworld.values.campaign import Campaign, OverallSummary, ScenarioSummary, Seconds, Settings
from deskworld.values.gates import Assessment
from deskworld.values.scenario import Scenario
from deskworld.values.verdict import FAMILIES, Verdict


class Graded(Protocol):
    @property
    def ungraded(self) -> tuple[str, ...]: ...


def summarise(
    settings: Settings,
    verdicts: Sequence[Verdict],
    *,
    stack: str,
    bundle: str,
    wall: float,
    world: Graded,
    catalogue: Mapping[str, Scenario],
    assessment: Assessment,
    **more: Any,
) -> Campaign:
    """Every run counts, broken ones too: runs = passed + failed, and `infrastructure` says how many of the failed are.

    The overall rate leaves adaptive runs out. `more` are further fields of the campaign. A campaign is never approved:
    a person reviews it, or it is rejected. Raises UsageWrong for no runs: they prove nothing.
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
        acceptance="REVIEW_REQUIRED" if assessment.exit_code == ExitCode.PASS else "REJECTED",
        exit_code=assessment.exit_code,
        overall=_overall([verdict for place, verdict in enumerate(verdicts) if place not in assessment.added]),
        gates=assessment.gates,
        bugs=assessment.bugs,
        ungraded=world.ungraded,
        not_covered=assessment.not_covered,
        shared=settings.shared,
        bundle=bundle,
        scenarios={name: _scenario(found, catalogue[name]) for name, found in _by_scenario(verdicts).items()},
        **more,
    )


def as_json(campaign: Campaign) -> str:
    return campaign.model_dump_json(by_alias=True, indent=2) + "\n"


def _by_scenario(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        found[verdict.scenario].append(verdict)
    return dict(found)


def _overall(verdicts: list[Verdict]) -> OverallSummary:
    counts = [(sum(one.passed for one in found), len(found)) for found in _by_scenario(verdicts).values()]
    whole = overall(counts)
    return OverallSummary(
        passed=whole.passed,
        runs=whole.runs,
        situations=whole.situations,
        interval=tuple(whole.interval),
        effective=whole.effective,
    )


def _scenario(verdicts: list[Verdict], scenario: Scenario) -> ScenarioSummary:
    runs, passed = len(verdicts), sum(verdict.passed for verdict in verdicts)
    seconds = [verdict.seconds for verdict in verdicts]
    return ScenarioSummary(
        category=scenario.category,
        split=scenario.split,
        role=scenario.role,
        runs=runs,
        passed=passed,
        interval=tuple(wilson(passed, runs)),
        checks={name: sum(verdict.family(name) for verdict in verdicts) for name in FAMILIES},
        settled_by=_counted(verdict.settled_by or "nobody" for verdict in verdicts),
        actions=_counted(verdict.action or "no proposal" for verdict in verdicts),
        delivery=_counted(verdict.met.delivery for verdict in verdicts if verdict.met.delivery is not None),
        touches=sum(verdict.touches for verdict in verdicts) / runs,
        seconds=Seconds(p50=round(quantile(seconds, 0.5), 4), p95=round(quantile(seconds, 0.95), 4)),
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
