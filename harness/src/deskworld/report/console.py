"""The table at the end, and why runs failed, in a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskworld.report import words
from deskworld.report.failures import Failure, failures
from deskworld.report.plain import plain
from deskworld.statistics import Interval
from deskworld.values.campaign import Campaign
from deskworld.values.verdict import FAMILIES, Verdict


def print_campaign(campaign: Campaign, verdicts: Sequence[Verdict], out: Console) -> None:
    out.print(table(campaign))
    for line in (*_failed(verdicts, campaign), *_closing(campaign, verdicts)):
        out.print(line, soft_wrap=True)


def table(campaign: Campaign) -> Table:
    """Fits a terminal of 80 columns; a column that would say nothing is left out."""
    made = Table(
        caption=f"{words.FAMILY_LETTERS}\n{words.PERCENTILES}",
        caption_justify="left",
        header_style="bold",
        box=box.SIMPLE_HEAD,
        # the box's own divider is space enough
        padding=0,
        show_edge=False,
    )
    attacked = any(one.delivery for one in campaign.scenarios.values())
    made.add_column("scenario", no_wrap=True)
    for name in ("passed", "95 %", *(family[0].upper() for family in FAMILIES)):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("by", min_width=5)
    if attacked:
        made.add_column("delivery", min_width=9)
    for name in ("touch", "p50/p95 s"):
        made.add_column(name, justify="right", no_wrap=True)
    for name, one in campaign.scenarios.items():
        made.add_row(
            Text(name, style="" if one.passed == one.runs else "red"),
            f"{one.passed}/{one.runs}",
            words.short_interval(Interval(*one.interval)),
            *(words.ALL if one.checks[family] == one.runs else str(one.checks[family]) for family in FAMILIES),
            words.counted(one.settled_by, one.runs),
            *([words.counted(words.short_delivery(one.delivery), one.runs)] if attacked else []),
            f"{one.touches:.1f}",
            f"{one.seconds.p50:.2f}/{one.seconds.p95:.2f}",
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
    for line in words.gates(campaign):
        yield Text(plain(line))
    yield Text(f"not graded: {', '.join(campaign.ungraded)}")
    yield Text(f"not covered: {'; '.join(campaign.not_covered)}")
    each = campaign.wall_seconds / campaign.runs
    yield Text(f"{campaign.wall_seconds:.1f} s for {campaign.runs} runs, {each:.3f} s a run side by side")
    yield Text(f"bundle {plain(campaign.bundle)}")
