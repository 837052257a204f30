"""The report as a page of Markdown."""

from collections.abc import Iterator, Sequence

from deskworld.report import words
from deskworld.report.failures import Failure, failures
from deskworld.report.plain import in_markdown
from deskworld.statistics import Interval, interval_text
from deskworld.values.campaign import Campaign
from deskworld.values.verdict import Verdict

HEADS = ("scenario", "passed", "95 %", "families passed", "settled by", "delivery", "touches", "p50 s", "p95 s")


def markdown(campaign: Campaign, verdicts: Sequence[Verdict]) -> str:
    return "\n".join([*_head(campaign, verdicts), *_table(campaign), *_failed(campaign, verdicts)]) + "\n"


def _head(campaign: Campaign, verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield f"# {in_markdown(campaign.label)}: {words.headline(campaign)}"
    yield ""
    yield (
        f"Agent {in_markdown(campaign.agent)}, rules {campaign.rules}, seeds from {campaign.seed}, "
        f"stack {in_markdown(campaign.stack)}, {campaign.wall_seconds:.1f} s."
    )
    yield ""
    open_ = words.unclassified(verdicts)
    for line in (*([open_] if open_ else []), *words.proves(campaign)):
        yield f"- {line}"
    for line in words.gates(campaign):
        yield f"- {in_markdown(line)}"
    yield f"- not graded: {', '.join(campaign.ungraded)}"
    yield f"- not covered: {in_markdown('; '.join(campaign.not_covered))}"
    yield ""


def _table(campaign: Campaign) -> Iterator[str]:
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    for name, one in campaign.scenarios.items():
        cells = (
            name,
            f"{one.passed}/{one.runs}",
            interval_text(Interval(*one.interval)),
            words.families(one),
            words.counted(one.settled_by, one.runs),
            words.counted(one.delivery, one.runs),
            f"{one.touches:.1f}",
            f"{one.seconds.p50:.3f}",
            f"{one.seconds.p95:.3f}",
        )
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield f"Times: {words.PERCENTILES}."


def _failed(campaign: Campaign, verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = failures(verdicts)
    if found:
        yield ""
        yield "## Why runs failed"
    for failure in found:
        runs = campaign.scenarios[failure.scenario].runs
        yield ""
        yield f"### {failure.scenario}: {failure.count} of {runs} runs ({words.seeds(failure.seeds)}), {failure.cause}"
        yield ""
        yield from _reasons(failure)


def _reasons(failure: Failure) -> Iterator[str]:
    yield f"Settled: {in_markdown(failure.settled)}."
    yield ""
    if failure.broken is not None:
        yield f"- broke: {in_markdown(failure.broken)}"
    for reason in failure.reasons:
        yield f"- **{reason.family.capitalize()}**, {reason.check}: expected {in_markdown(reason.expected)};"
        yield f"  seen {in_markdown(reason.seen)}"
        for name, line in reason.rows:
            yield f"    - {in_markdown(f'{name}  {line}'.rstrip())}"
