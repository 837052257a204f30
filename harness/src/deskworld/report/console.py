"""The table at the end, and why runs failed, in a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskworld.report import words
from deskworld.report.failures import Failure, failures
from deskworld.report.plain import plain
from deskworld.statistics import Interval, interval_text
from deskworld.values.campaign import Campaign
from deskworld.values.verdict import Verdict


def print_campaign(campaign: Campaign, verdicts: Sequence[Verdict], out: Console) -> None:
    out.print(table(campaign))
    for line in (*_failed(verdicts, campaign), *_closing(campaign, verdicts)):
        out.print(line, soft_wrap=True)


def table(campaign: Campaign) -> Table:
    made = Table(caption=words.PERCENTILES, caption_justify="left", header_style="bold")
    made.add_column("scenario", no_wrap=True)
    made.add_column("passed", justify="right", no_wrap=True)
    made.add_column("95 %", justify="right", no_wrap=True)
    for name in ("families passed", "settled by", "delivery"):
        made.add_column(name)
    for name in ("touches", "p50 s", "p95 s"):
        made.add_column(name, justify="right", no_wrap=True)
    for name, one in campaign.scenarios.items():
        made.add_row(
            Text(name, style="" if one.passed == one.runs else "red"),
            f"{one.passed}/{one.runs}",
            Text(interval_text(Interval(*one.interval))),
            words.families(one),
            words.counted(one.settled_by, one.runs),
            words.counted(one.delivery, one.runs),
            f"{one.touches:.1f}",
            f"{one.seconds.p50:.3f}",
            f"{one.seconds.p95:.3f}",
        )
    return made


def _failed(verdicts: Sequence[Verdict], campaign: Campaign) -> Iterator[Text]:
    for failure in failures(verdicts):
        runs = campaign.scenarios[failure.scenario].runs
        yield Text()
        yield Text.assemble(
            (failure.scenario, "bold red"),
            f" · {failure.count} of {runs} runs ({words.seeds(failure.seeds)}) · {failure.cause}",
        )
        yield from _reasons(failure)


def _reasons(failure: Failure) -> Iterator[Text]:
    if failure.broken is not None:
        yield Text(f"  broke: {plain(failure.broken)}")
    for reason in failure.reasons:
        yield Text.assemble(f"  {reason.family.capitalize()} ", (reason.check, "bold"))
        yield Text(f"    expected {plain(reason.expected)}")
        yield Text(f"    seen     {plain(reason.seen)}")
        for name, line in reason.rows:
            yield Text(f"      {name}  {plain(line)}".rstrip(), style="dim")


def _closing(campaign: Campaign, verdicts: Sequence[Verdict]) -> Iterator[Text]:
    yield Text()
    yield Text(words.headline(campaign), style="bold green" if campaign.passed == campaign.runs else "bold red")
    open_ = words.unclassified(verdicts)
    if open_ is not None:
        yield Text(open_)
    for line in words.proves(campaign):
        yield Text(line)
    yield Text(f"not graded: {', '.join(campaign.ungraded)}")
    yield Text(f"{campaign.wall_seconds:.1f} s for {campaign.runs} runs; bundle {plain(campaign.bundle)}")
