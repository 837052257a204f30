"""What the models of a run cost: counts as they were reported, an estimate by a table of prices, and a bill beside."""

from decimal import Decimal, InvalidOperation
from pathlib import Path

import yaml
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskworld import bundle
from deskworld import run as running
from deskworld.errors import ExitCode, UsageWrong
from deskworld.report import sentences, telling
from deskworld.report.costs import Cost, Prices, conclusion, costs, total
from deskworld.report.plain import plain

FORM = "currency: USD, per: 1000000, models: {NAME: {input: 2.50, output: 10}}; see docs/guides/reports.md"


def show(folder: Path, prices_file: Path | None, bill: str | None, *, out: Console) -> int:
    """Tokens by role and model, never added across models. Raises HarnessError."""
    prices = None if prices_file is None else read_prices(prices_file)
    billed = None if bill is None else money(bill)
    stored = bundle.read_bundle(folder)
    verdicts = [one.verdict for one in stored.cases()]
    found = costs(telling.summed(verdicts), prices)
    agent = stored.manifest["agent"]["name"]
    unreported = not running.scripted(agent) and not any(one.usage.role == telling.AGENT for one in found)
    _print(found, prices, billed, len(verdicts), out)
    if unreported:
        out.print(Text(plain(f"{agent} reported no usage at all: what it costs is not known"), style="red"))
    for reason in dict.fromkeys(reason for one in found for reason in one.short):
        out.print(Text(plain(reason)), soft_wrap=True)
    if billed is not None:
        out.print(Text(conclusion(found, billed, unreported=unreported)), soft_wrap=True)
    return ExitCode.PASS


def read_prices(path: Path) -> Prices:
    """Raises UsageWrong, naming the place."""
    try:
        return Prices.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageWrong(f"{path}: {where}: {first['msg']}", next_step=FORM) from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UsageWrong(f"cannot read {path}: {type(error).__name__}", next_step=FORM) from error


def money(text: str) -> Decimal:
    """Raises UsageWrong."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or found < 0:
        raise UsageWrong(f"--bill {text!r} is no sum of money", next_step="as 12.34, in the currency of --prices")
    return found


def _print(found: tuple[Cost, ...], prices: Prices | None, bill: Decimal | None, runs: int, out: Console) -> None:
    if not found:
        out.print(f"no model reported usage in {runs} runs", highlight=False)
        return
    table = Table("role", "model", "reports", *sentences.COUNT_NAMES.values(), "a run", box=None)
    currency = prices.currency if prices else ""
    if prices is not None:
        table.add_column(f"estimate {currency}")
    for one, row in zip(found, sentences.usage([one.usage for one in found]), strict=True):
        told = [count.total for count in (one.usage.counts.get("input"), one.usage.counts.get("output")) if count]
        whole = sum(part for part in told if part is not None)
        cells = [*row, f"{whole / runs:.0f} in+out" if any(part is not None for part in told) else sentences.NONE]
        if prices is not None:
            least = "at least " if one.short and one.estimate is not None else ""
            cells.append(sentences.NONE if one.estimate is None else f"{least}{one.estimate}")
        table.add_row(*(Text(plain(cell)) for cell in cells))
    out.print(table)
    if prices is None:
        out.print("no --prices: counts alone, for no price is invented", highlight=False)
        return
    estimate = total(found)
    said = sentences.NONE if estimate is None else f"{estimate} {currency}, {estimate / runs:.4f} a run"
    billed = "" if bill is None else f"; bill {bill} {currency}, {bill / runs:.4f} a run"
    out.print(f"estimate {said}{billed}", highlight=False, soft_wrap=True)
