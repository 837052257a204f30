"""A campaign's runs become the value that every format of the report is made of. Pure."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from deskworld.report.failures import Failure, Reason, failures, reasons
from deskworld.report.safety import safety
from deskworld.report.said import Said, classes, review
from deskworld.values.campaign import Campaign
from deskworld.values.report import (
    FailureTold,
    Feedback,
    FindingTold,
    Line,
    Provenance,
    Report,
    RunTold,
    Specification,
    UsageTold,
    Way,
)
from deskworld.values.verdict import CauseClass, Counted, Usage, Verdict

ROWS = 400
"""Of one failure's timeline; a case that took more went round in circles, and its end says how."""
TIMELINES = 60
"""Failures whose timeline is in a report; the bundle has them all."""

AGENT = "case agent"


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of the campaign. `wrote`: the agent wrote something in it that no check reads."""

    index: int
    verdict: Verdict
    wrote: bool


TimelineOf = Callable[[int], Sequence[Line]]
"""The timeline of a run, by its index."""


def report(
    campaign: Campaign,
    runs: Sequence[Ran],
    *,
    provenance: Provenance,
    said: Sequence[Said] = (),
    ways: Sequence[Way] = (),
    timeline_of: TimelineOf = lambda _: (),
    feedback: Sequence[Feedback] = (),
    scripted: bool = True,
) -> Report:
    """`said`: what people said of the runs. `scripted`: the agent is one of the harness's own, which uses no model."""
    verdicts = [one.verdict for one in runs]
    classed = classes(said)
    told = tuple(_run(one, classed.get(one.index)) for one in runs)
    usage = summed(verdicts)
    return Report(
        provenance=provenance,
        campaign=campaign,
        safety=safety(verdicts),
        unclassified=sum(one.cause == "unclassified" and one.classed is None for one in told),
        failures=tuple(_failures(failures(verdicts), told, timeline_of)),
        specification=specification(verdicts),
        ways=tuple(ways),
        usage=usage,
        unreported=not scripted and not any(one.role == AGENT for one in usage) and any(one.wrote for one in runs),
        review=review(said, (one.index for one in runs if one.wrote)),
        feedback=tuple(feedback),
        runs=told,
    )


def specification(verdicts: Iterable[Verdict]) -> Specification:
    """Read from how runs ended, whatever was right; a run that broke gave no answer."""
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in verdicts:
        if one.broken is None:
            answers[one.scenario][one.action or "no proposal"] += 1
    alike = {name: next(iter(found)) for name, found in answers.items() if len(found) == 1}
    return Specification(
        always={name: answer for name, answer in alike.items() if answers[name].total() > 1},
        divided={name: dict(found.most_common()) for name, found in answers.items() if len(found) > 1},
        once={name: answer for name, answer in alike.items() if answers[name].total() == 1},
    )


def summed(verdicts: Iterable[Verdict]) -> tuple[UsageTold, ...]:
    """By role and model; what nobody reported stays None, and is missing rather than nought."""
    found: defaultdict[tuple[str, str], list[Usage]] = defaultdict(list)
    for verdict in verdicts:
        for one in verdict.usage:
            found[one.role, one.model].append(one)
    return tuple(_usage(role, model, given) for (role, model), given in sorted(found.items()))


def _usage(role: str, model: str, given: Sequence[Usage]) -> UsageTold:
    names = dict.fromkeys(name for one in given for name in one.counts)
    return UsageTold(
        role=role,
        model=model,
        reports=sum(one.reports for one in given),
        runs=len(given),
        counts={name: _counted(name, given) for name in names},
    )


def _counted(name: str, given: Sequence[Usage]) -> Counted:
    totals = [one.counts[name].total for one in given if name in one.counts]
    told = [total for total in totals if total is not None]
    missing = sum(one.counts[name].missing if name in one.counts else one.reports for one in given)
    return Counted(total=sum(told) if told else None, missing=missing)


def _run(one: Ran, classed: CauseClass | None) -> RunTold:
    verdict = one.verdict
    return RunTold(
        index=one.index,
        scenario=verdict.scenario,
        seed=verdict.seed,
        passed=verdict.passed,
        seconds=verdict.seconds,
        settled_by=verdict.settled_by,
        action=verdict.action,
        delivery=verdict.met.delivery,
        control=verdict.met.control,
        cause=verdict.cause,
        classed=classed if verdict.cause == "unclassified" else None,
        broken=verdict.broken,
        judged_as=verdict.judged_as,
        declines=verdict.met.declines,
        touches=verdict.touches,
        prevented=verdict.prevented,
        findings=() if verdict.passed else tuple(_finding(reason) for reason in reasons(verdict)),
    )


def _failures(found: Iterable[Failure], told: Sequence[RunTold], timeline_of: TimelineOf) -> Iterable[FailureTold]:
    for place, failure in enumerate(found):
        runs = [told[one] for one in failure.places]
        lines = tuple(timeline_of(runs[0].index)) if place < TIMELINES else ()
        yield FailureTold(
            scenario=failure.scenario,
            runs=failure.count,
            seeds=failure.seeds,
            first=runs[0].index,
            causes=dict(Counter(cause(one) for one in runs).most_common()),
            broken=failure.broken,
            settled=failure.settled,
            reasons=tuple(_finding(reason) for reason in failure.reasons),
            timeline=lines[-ROWS:],
            left_out=max(0, len(lines) - ROWS),
        )


def cause(run: RunTold) -> str:
    """A class by rule as it is; one that a person gave says so."""
    return f"{run.classed} (a person's class)" if run.classed else run.cause or "unclassified"


def _finding(reason: Reason) -> FindingTold:
    return FindingTold(
        family=reason.family, check=reason.check, expected=reason.expected, seen=reason.seen, rows=reason.rows
    )


def report_json(told: Report) -> str:
    """As the published schema has it. ASCII, so that nothing in it acts on a terminal and half a pair stays one."""
    return json.dumps(told.model_dump(mode="json", by_alias=True), indent=2, allow_nan=False) + "\n"
