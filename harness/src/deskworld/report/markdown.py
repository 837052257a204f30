"""The report as a page of Markdown: in short, as every bundle holds it, and in full, of a closed bundle."""

from collections.abc import Iterable, Iterator, Sequence

from deskworld.report import sentences, words
from deskworld.report.failures import Failure, Reason, failures
from deskworld.report.plain import in_markdown
from deskworld.statistics import Interval, interval_text
from deskworld.values.campaign import Campaign
from deskworld.values.report import FailureTold, FindingTold, Report
from deskworld.values.verdict import Verdict

HEADS = ("scenario", "passed", "95 %", "families passed", "settled by", "delivery", "touches", "p50 s", "p95 s")


def markdown(campaign: Campaign, verdicts: Sequence[Verdict]) -> str:
    return "\n".join([*_head(campaign, verdicts), *_table(campaign), *_failed(campaign, verdicts)]) + "\n"


def markdown_in_full(report: Report) -> str:
    campaign = report.campaign
    right = [words.headline(campaign), *words.proves(campaign), *sentences.met(report.runs), *words.gates(campaign)]
    parts = (
        _title(report),
        _part("Is it safe?", sentences.safety(report.safety)),
        _part("Is it right?", right),
        _baselines(campaign),
        _usage(report),
        _table(campaign),
        _failed_in_full(report),
        _specification(report),
        _ways(report),
        _part("What was not tested", [f"not graded: {', '.join(campaign.ungraded)}", *campaign.not_covered]),
        _part("Review by people", sentences.review(report.review)),
        _remarks(report),
    )
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


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
    for line in (*words.gates(campaign), *sentences.baselines(campaign), *sentences.circumstances(campaign)):
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


def _title(report: Report) -> Iterator[str]:
    campaign, provenance = report.campaign, report.provenance
    yield f"# {in_markdown(campaign.label)}: passed {campaign.passed}/{campaign.runs} · {sentences.acceptance(report)}"
    yield ""
    candidate = (provenance.candidate or "no source here")[:12]
    yield (
        f"Agent {in_markdown(campaign.agent)} ({candidate}), rules {campaign.rules}, seeds from {campaign.seed}, "
        f"stack {in_markdown(campaign.stack)}, {campaign.wall_seconds:.1f} s, opened {in_markdown(provenance.opened)}. "
        f"Bundle {in_markdown(campaign.bundle.rpartition('/')[2])}, digest {provenance.bundle[:16]}."
    )
    yield ""
    open_ = sentences.open_causes(report)
    for line in (*([open_] if open_ else []), *sentences.circumstances(campaign, unreported=report.unreported)):
        yield f"- {in_markdown(line)}"


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    yield from (f"- {in_markdown(line)}" for line in lines)
    yield ""


def _rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(in_markdown(cell) for cell in row)} |"
    yield ""


def _baselines(campaign: Campaign) -> Iterator[str]:
    if campaign.baselines:
        yield from _rows(("who", "passed", "95 %", "contradicts"), sentences.beside(campaign))


def _usage(report: Report) -> Iterator[str]:
    yield from ("## What it costs", "")
    touches = sum(run.touches for run in report.runs) / report.campaign.runs
    yield f"Decisions and answers of people: {touches:.2f} a case."
    yield ""
    if report.usage:
        yield from _rows(("role", "model", "reports", *sentences.COUNT_NAMES.values()), sentences.usage(report.usage))


def _specification(report: Report) -> Iterator[str]:
    found = report.specification
    yield from ("## Read as a specification", "")
    always = [(name, answer) for name, answer in found.always.items()]
    divided = [
        (name, ", ".join(f"{one} {count}" for one, count in ways.items())) for name, ways in found.divided.items()
    ]
    once = [(name, f"{answer} (played once)") for name, answer in found.once.items()]
    yield from _rows(("scenario", "answers"), (*divided, *always, *once))


def _ways(report: Report) -> Iterator[str]:
    if report.ways:
        yield from ("## Fingerprints", "")
        rows = ((one.label, str(one.turns), one.fingerprint[:12], one.shown) for one in report.ways)
        yield from _rows(("told", "turns", "fingerprint", "what it did"), rows)


def _remarks(report: Report) -> Iterator[str]:
    for one in report.review.remarks:
        says = "agrees" if one.agrees else "disagrees"
        who = one.model or one.by
        yield in_markdown(f"case {one.index}, {one.scenario} seed {one.seed}: {who} {says}. {one.note}".rstrip())
        yield ""
    for said in report.feedback:
        yield in_markdown(f"feedback in case {said.index}, {said.by} about {said.about}: {said.text}")
        yield ""


def _failed_in_full(report: Report) -> Iterator[str]:
    if report.failures:
        yield from ("", "## Why runs failed")
    for one in report.failures:
        runs = report.campaign.scenarios[one.scenario].runs
        causes = ", ".join(f"{cause} {count}" if len(one.causes) > 1 else cause for cause, count in one.causes.items())
        yield from ("", f"### {one.scenario}: {one.runs} of {runs} runs ({words.seeds(one.seeds)}), {causes}", "")
        yield from _reasons(one)
    yield ""


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


def _reasons(failure: Failure | FailureTold) -> Iterator[str]:
    yield f"Settled: {in_markdown(failure.settled)}."
    yield ""
    if failure.broken is not None:
        yield f"- broke: {in_markdown(failure.broken)}"
    reasons: Iterable[Reason | FindingTold] = failure.reasons
    for reason in reasons:
        yield f"- **{reason.family.capitalize()}**, {reason.check}: expected {in_markdown(reason.expected)};"
        yield f"  seen {in_markdown(reason.seen)}"
        for name, line in reason.rows:
            yield f"    - {in_markdown(f'{name}  {line}'.rstrip())}"
