"""What the report says in sentences, the same on every page of it: safety, review, baselines, usage, what is open."""

from collections import Counter
from collections.abc import Iterator, Sequence

from deskworld.report.safety import NOT_DELIVERED, OBEYED
from deskworld.statistics import Interval, interval_text, share_text
from deskworld.values.campaign import Campaign
from deskworld.values.report import Bound, Report, Review, RunTold, Safety, UsageTold
from deskworld.values.verdict import Counted

NONE = "–"
"""What nobody reported. It is no nought."""
COUNT_NAMES = {
    "input": "input",
    "output": "output",
    "cache_read": "cache read",
    "cache_write": "cache write",
    "reasoning": "reasoning",
}


def shown(bound: Bound) -> str:
    """`12/12 (100.0 %), [75.7, 100.0] %`; where nothing was counted there is no share."""
    if bound.interval is None:
        return "0/0"
    return f"{share_text(bound.good, bound.of)}, {interval_text(Interval(*bound.interval))}"


def safety(found: Safety) -> list[str]:
    if not found.attacks:
        return ["no attack was played: nothing is known of safety under attack"]
    late = found.counts.get(NOT_DELIVERED, 0)
    said = [
        f"{found.attacks - late} of {found.attacks} attacks were delivered, {found.counts.get(OBEYED, 0)} were obeyed",
        f"desk and agent together: not obeyed in {shown(found.desk)} of what was delivered",
        f"the agent alone: withstood {shown(found.agent)} of what it was exposed to",
        f"every check of Safe passed in {shown(found.family)} of what was delivered",
    ]
    if found.controls:
        controls = ", ".join(f"{name} {count}" for name, count in found.controls.items())
        said.append(f"what stopped the others: {controls}")
    return said


def met(runs: Sequence[RunTold]) -> list[str]:
    """Twists and scripted declines: which were met, and which runs were judged as something plainer."""
    said = []
    plain = Counter(f"{run.scenario} as {run.judged_as}" for run in runs if run.judged_as)
    if plain:
        listed = ", ".join(f"{name} {count}" for name, count in plain.items())
        said.append(f"{plain.total()} runs never met their scenario's twist and were judged as another: {listed}")
    declines = [one for run in runs for one in run.declines.values()]
    if declines:
        said.append(f"declines that people held ready: {sum(declines)} of {len(declines)} were met")
    prevented = sum(run.prevented for run in runs)
    if prevented:
        said.append(f"attempts that were prevented, counted beside the pass: {prevented}")
    return said


def review(found: Review) -> list[str]:
    if not found.kept:
        said = ["nothing to review: the agent wrote nothing in these runs"]
    else:
        said = [f"{found.reviewed} of {found.kept} runs in which the agent wrote something were reviewed by people"]
    if found.agreed or found.disagreed:
        said.append(f"people agreed with the grade of {found.agreed} runs and disagreed with that of {found.disagreed}")
    said += [
        f"model reviewer {one.model}, in no check: {one.reviewed} runs; with people it agrees in "
        f"{share_text(one.agreed, one.both)}"
        for one in found.models
    ]
    return said


def open_causes(report: Report) -> str | None:
    if not report.unclassified:
        return None
    count = report.unclassified
    return f"{count} failure{' is' if count == 1 else 's are'} not classified yet: whose fault is open"


def acceptance(report: Report) -> str:
    """Never *approved*: a person signs, or nobody."""
    said = report.campaign.acceptance
    if said == "REVIEW_REQUIRED" and report.review.kept:
        return f"{said}, {report.review.reviewed} of {report.review.kept} reviewed"
    return said


def beside(campaign: Campaign) -> list[tuple[str, str, str, str]]:
    """Candidate and baselines: name, passed, interval, and what of it contradicts the authored answers."""
    own = campaign.overall.interval
    rows = [(f"candidate {campaign.agent}", share_text(campaign.passed, campaign.runs), _interval(own), NONE)]
    for name, one in campaign.baselines.items():
        against = ", ".join(f"{scenario} {count}" for scenario, count in one.contradicts.items()) or "nothing"
        rows.append((name, share_text(one.passed, one.runs), _interval(one.interval), against))
    return rows


def baselines(campaign: Campaign) -> Iterator[str]:
    for name, passed, interval, against in beside(campaign)[1:]:
        yield f"baseline {name} on the same cases: {passed}, {interval}; contradicts {against}"


def circumstances(campaign: Campaign, *, unreported: bool = False) -> Iterator[str]:
    """What a reader must know of how the runs came about."""
    if campaign.shared:
        yield "somebody else's cases were open on the stack meanwhile (--shared)"
    if campaign.resumed is not None:
        yield f"it goes on from {campaign.resumed.bundle}, of which {campaign.resumed.kept} runs were kept"
    if campaign.held_out is not None:
        hidden = campaign.held_out
        known = ", ".join(hidden.spent) or "none"
        yield f"{len(hidden.scenarios)} held-out scenarios, frozen {hidden.frozen}; spent: {known}"
    if unreported:
        yield "the agent reported no usage at all: what it costs is not known"


def counted(one: Counted, reports: int) -> str:
    """`1200`, `1200, missing in 2 of 7`, or a dash where nobody reported it."""
    if one.total is None:
        return NONE
    return f"{one.total}{f', missing in {one.missing} of {reports}' if one.missing else ''}"


def usage(found: Sequence[UsageTold]) -> list[tuple[str, ...]]:
    """A row for each model in each role: role, model, reports, and every count."""
    return [
        (
            one.role,
            one.model,
            str(one.reports),
            *(counted(one.counts[name], one.reports) if name in one.counts else NONE for name in COUNT_NAMES),
        )
        for one in found
    ]


def usage_line(one: UsageTold) -> str:
    told = [f"{name} {counted(one.counts[key], one.reports)}" for key, name in COUNT_NAMES.items() if key in one.counts]
    return f"tokens in {one.reports} reports of {one.runs} runs: {'; '.join(told)}"


def worst(campaign: Campaign, most: int) -> list[str]:
    """The scenarios that passed least; where an attack was obeyed first, then where Safe failed."""
    failed = [(name, one) for name, one in campaign.scenarios.items() if one.passed < one.runs]
    failed.sort(key=lambda pair: (-pair[1].delivery.get(OBEYED, 0), pair[1].checks["safe"], pair[1].passed))
    return [
        f"{name}: passed {one.passed}/{one.runs}, {_interval(one.interval)}, Safe {one.checks['safe']}/{one.runs}"
        + (f", {one.delivery[OBEYED]} obeyed" if one.delivery.get(OBEYED) else "")
        for name, one in failed[:most]
    ]


def _interval(interval: tuple[float, float]) -> str:
    return interval_text(Interval(*interval))
