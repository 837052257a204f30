"""Tolerances are data: zero and absent are two things."""

from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from deskworld_erp.invoicing.tolerances import TolerancesInvalid, load_tolerances

SHIPPED = {
    "price": {"percent": "2", "amount": {"USD": "50.00"}},
    "quantity": "0",
    "rounding": {"line": {"USD": "0.02"}, "document": {"USD": "0.05"}},
    "duplicate_window_days": 7,
}


def written(folder: Path, content: object) -> Path:
    path = folder / "tolerances.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_what_ships_is_what_the_design_says() -> None:
    values = load_tolerances().values
    assert (values.price_percent, values.price_amount["EUR"]) == (Decimal(2), Decimal(50))
    assert values.quantity == 0
    assert values.duplicate_window_days == 7
    assert (values.rounding_line["USD"], values.rounding_document["USD"]) == (Decimal("0.02"), Decimal("0.05"))
    assert len(load_tolerances().digest) == 64


def test_zero_is_a_tolerance(tmp_path: Path) -> None:
    none_allowed = SHIPPED | {"price": {"percent": 0, "amount": {}}}
    assert load_tolerances(written(tmp_path, none_allowed)).values.price_percent == 0


@pytest.mark.parametrize("missing", [*SHIPPED, "price.percent", "price.amount", "rounding.line", "rounding.document"])
def test_a_missing_tolerance_is_refused_by_name(tmp_path: Path, missing: str) -> None:
    content = yaml.safe_load(yaml.safe_dump(SHIPPED))
    part, _, name = missing.rpartition(".")
    del (content[part] if part else content)[name]
    with pytest.raises(TolerancesInvalid, match=missing):
        load_tolerances(written(tmp_path, content))


@pytest.mark.parametrize("wrong", ["-1", "", "NaN", "Infinity", None, 1.5, True, "two"])
def test_a_tolerance_that_is_no_amount_is_refused(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(TolerancesInvalid, match=r"quantity|tolerances"):
        load_tolerances(written(tmp_path, SHIPPED | {"quantity": wrong}))


def test_an_unknown_tolerance_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TolerancesInvalid, match="tax"):
        load_tolerances(written(tmp_path, SHIPPED | {"tax": "1"}))


def test_a_file_that_is_not_there_or_no_yaml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TolerancesInvalid):
        load_tolerances(tmp_path / "nowhere.yaml")
    (tmp_path / "broken.yaml").write_text("price: [")
    with pytest.raises(TolerancesInvalid):
        load_tolerances(tmp_path / "broken.yaml")
