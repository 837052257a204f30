"""The report and the letter as pages: one file each, without a script and without anything from elsewhere.

Every value is escaped, and what hides or turns text round is spelled out (`plain`). The page's own policy lets nothing
load and nothing run, so that even a mistake here would show text and no more.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deskworld.report import plots, sentences, words
from deskworld.report.plain import plain
from deskworld.report.telling import cause
from deskworld.statistics import Interval, interval_text, share_text
from deskworld.values.report import Report, UsageTold
from deskworld.values.verdict import FAMILIES, Counted

PAGES = Path(__file__).parent / "pages"
WORST = 5
"""Scenarios that a letter of one page names."""
MOST = 6
"""Lines of one part of a letter; how many more there are is said."""
LONGEST = 130
"""Characters of such a line."""


def html(report: Report) -> str:
    return _page("report.html", report, times=plots.times([run.seconds for run in report.runs]))


def letter(report: Report) -> str:
    """One page for the person who signs: safety first, bounds, worst cases, what was not tested."""
    return _page("letter.html", report, worst=sentences.worst(report.campaign, WORST))


def _page(template: str, report: Report, **values: Any) -> str:
    style = (PAGES / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = _environment().get_template(template)
    return page.render(
        report=report,
        campaign=report.campaign,
        style=style,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        **values,
    )


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"lines": _lines, "interval": _interval, "seconds": _seconds, "first": _first}
    made.filters |= {"first_of": _first_of, "counted_most": _most, "usage_line": _usage_line, "moment": _moment}
    made.globals |= {
        "FAMILIES": FAMILIES,
        "MOST": MOST,
        "LONGEST": LONGEST,
        "COUNTS": sentences.COUNT_NAMES,
        "sentences": sentences,
        "words": words,
        "plots": plots,
        "share": share_text,
        "cause": cause,
    }
    return made


def _visible(value: Any) -> Any:
    return plain(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _lines(text: str) -> list[str]:
    """Line by line, so that a line end stays one and no other character acts."""
    return text.split("\n")


def _interval(interval: Iterable[float]) -> str:
    return interval_text(Interval(*interval))


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _first(text: str, most: int = 12) -> str:
    return text[:most]


def _first_of(pair: Sequence[str]) -> str:
    return pair[0]


def _moment(stamp: str) -> str:
    """`2026-03-02 09:00 UTC`."""
    return f"{datetime.fromisoformat(stamp).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _usage_line(one: UsageTold) -> str:
    return f"{one.role} {one.model}: {sentences.usage_line(one)}"


def _most(counts: Mapping[str, Counted]) -> int:
    """The largest of a model's counts, which the longest bar is."""
    return max((one.total or 0 for one in counts.values()), default=0)
