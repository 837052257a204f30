"""The table of both stacks, the pairs that differ, and the times side by side."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from rich import box
from rich.table import Table
from tests.both_stacks.comparing import Compared
from tests.both_stacks.playing import Played

from deskworld.report import words
from deskworld.values.campaign import ScenarioSummary, Seconds
from deskworld.values.verdict import FAMILIES

LETTERS = " ".join(family[0].upper() for family in FAMILIES)


def verdicts(played: Sequence[Played]) -> Table:
    """A line a scenario, agent and state of the rules."""
    made = _table(f"{words.FAMILY_LETTERS}\ntimelines: pairs whose normalised timelines are equal")
    for name in ("scenario", "agent", "rules"):
        made.add_column(name, no_wrap=True)
    for name in ("embedded", LETTERS, "compose", LETTERS, "verdicts", "timelines"):
        made.add_column(name, justify="right", no_wrap=True)
    lines = [(scenario, one) for one in played for scenario in one.embedded.scenarios]
    for scenario, line in sorted(lines, key=itemgetter(0)):
        here, there = line.embedded.scenarios[scenario], line.compose.scenarios.get(scenario)
        mine = [pair for pair in line.pairs if pair.scenario == scenario]
        made.add_row(
            scenario,
            line.agent,
            line.rules,
            *_side(here),
            *(_side(there) if there else ("–", "–")),
            "same" if not any(pair.verdicts for pair in mine) else "[red]differ[/]",
            f"{sum(not pair.timelines for pair in mine)}/{len(mine)}",
        )
    return made


def _side(one: ScenarioSummary) -> tuple[str, str]:
    families = (words.ALL if one.checks[family] == one.runs else str(one.checks[family]) for family in FAMILIES)
    return f"{one.passed}/{one.runs}", " ".join(families)


def differences(found: Sequence[Compared]) -> Iterator[str]:
    """Nothing for a pair whose verdicts and timelines are the same."""
    for pair in found:
        if pair.verdicts or pair.timelines:
            yield pair.name
            yield from (f"  {line}" for line in (*pair.verdicts, *pair.timelines))


def times(found: Mapping[str, tuple[Seconds, Seconds]], count: int) -> Table:
    made = _table(f"{words.PERCENTILES}; {count} cases, one at a time")
    made.add_column("case alone, s", no_wrap=True)
    for name in ("embedded p50", "p95", "compose p50", "p95", "p50, times"):
        made.add_column(name, justify="right", no_wrap=True)
    for scenario, (here, there) in found.items():
        figures = (f"{value:.3f}" for value in (here.p50, here.p95, there.p50, there.p95))
        made.add_row(scenario, *figures, f"{there.p50 / here.p50:.1f}")
    return made


def _table(caption: str) -> Table:
    return Table(caption=caption, caption_justify="left", header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1))
