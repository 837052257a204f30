"""What models cost: counts as they were reported, an estimate by prices that somebody gave, and a bill beside it."""

import io
from decimal import Decimal
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.reported import bundled, of_a_model, passed

from deskworld.commands import costing
from deskworld.errors import UsageWrong
from deskworld.report.costs import Prices, conclusion, costs, total
from deskworld.values.report import UsageTold
from deskworld.values.verdict import Counted

PRICES = "currency: USD\nper: 1000\nmodels:\n  m-1: {input: 2.50, output: 10}\n"


def used(output: int | None = 40, *, model: str = "m-1", missing: int = 0, **more: Counted) -> UsageTold:
    counts = {"input": Counted(total=1000, missing=0), "output": Counted(total=output, missing=missing), **more}
    return UsageTold(role="case agent", model=model, reports=2, runs=2, counts=counts)


def prices(text: str, folder: Path) -> Prices:
    path = folder / "prices.yaml"
    path.write_text(text)
    return costing.read_prices(path)


def shown(folder: Path, *, prices_file: Path | None = None, bill: str | None = None) -> str:
    out = io.StringIO()
    costing.show(folder, prices_file, bill, out=Console(file=out, width=200))
    return out.getvalue()


def test_without_prices_there_are_counts_alone(tmp_path: Path) -> None:
    text = shown(bundled(tmp_path, [of_a_model(passed())]))
    assert "no price is invented" in text
    assert "estimate" not in text
    assert "1040 in+out" in text


def test_an_estimate_is_exact_in_decimals(tmp_path: Path) -> None:
    [one] = costs([used()], prices(PRICES, tmp_path))
    assert one.estimate == Decimal("2.9000")
    assert one.short == ()


def test_a_count_that_was_not_reported_makes_the_estimate_a_least_one(tmp_path: Path) -> None:
    [one] = costs([used(missing=1)], prices(PRICES, tmp_path))
    assert one.short == ("case agent m-1: output not reported in 1 of 2",)
    assert "the estimate is too low" in conclusion([one], Decimal(3), unreported=False)


def test_a_model_or_a_count_without_a_price_is_named_and_never_priced_at_nought(tmp_path: Path) -> None:
    table = prices(PRICES, tmp_path)
    [other] = costs([used(model="m-9")], table)
    assert (other.estimate, other.short) == (None, ("case agent m-9: the table has no price for this model",))
    [cached] = costs([used(cache_read=Counted(total=5, missing=0))], table)
    assert cached.short == ("case agent m-1: the table has no price for cache_read",)
    assert total([other]) is None


def test_a_count_that_a_model_does_not_make_is_not_missing(tmp_path: Path) -> None:
    [one] = costs([used(reasoning=Counted(total=None, missing=2))], prices(PRICES, tmp_path))
    assert one.short == ()


@pytest.mark.parametrize(
    ("bill", "says"),
    [("2.90", "no count is missing"), ("4", "the bill is 1.1000 higher"), ("2", "the bill is 0.9000 lower")],
)
def test_a_bill_stands_beside_the_estimate_and_says_whether_a_count_is_missing(
    tmp_path: Path, bill: str, says: str
) -> None:
    found = costs([used()], prices(PRICES, tmp_path))
    assert says in conclusion(found, Decimal(bill), unreported=False)


def test_where_nothing_was_reported_a_bill_is_held_against_nothing(tmp_path: Path) -> None:
    assert "no estimate" in conclusion((), Decimal(3), unreported=True)
    text = shown(bundled(tmp_path, [passed()], agent="openai:m"), bill="3.00")
    assert "openai:m reported no usage at all" in text
    assert "there is no estimate to hold the bill against" in text


def test_estimate_and_bill_are_two_columns_a_run(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(PRICES)
    folder = bundled(tmp_path / "runs", [of_a_model(passed()), of_a_model(passed(8))])
    text = shown(folder, prices_file=tmp_path / "p.yaml", bill="6.00")
    assert "estimate 5.8000 USD, 2.9000 a run; bill 6.00 USD, 3.0000 a run" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("currency: usd\nmodels: {}\n", "currency"),
        ("currency: USD\nmodels: {m: {inptu: 1}}\n", "inptu is no count"),
        ("currency: USD\nmodels: {m: {input: -1}}\n", "is no price"),
        ("currency: USD\nmodels: {m: {input: .nan}}\n", "models"),
        ("currency: USD\nmodels: {m: {input: cheap}}\n", "models"),
        ("currency: USD\nper: 0\nmodels: {}\n", "per"),
        ("currency: USD\nmodel: {}\n", "model"),
        ("[1, 2]\n", "cannot|dictionary"),
        ("a: [\n", "cannot read"),
    ],
)
def test_a_table_of_prices_that_cannot_be_used_says_where(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageWrong, match=says):
        prices(text, tmp_path)


@pytest.mark.parametrize("bill", ["", "12 EUR", "-1", "nan", "Infinity"])
def test_a_bill_that_is_no_sum_is_refused(bill: str) -> None:
    with pytest.raises(UsageWrong, match="no sum of money"):
        costing.money(bill)
