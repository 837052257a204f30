from decimal import Decimal

import pytest

from deskworld_kit.money import fmt_money, fmt_quantity, money, quantity


@pytest.mark.parametrize(
    ("given", "amount"),
    [("10.4", "10.40"), ("0.005", "0.01"), ("-0.005", "-0.01"), ("2.675", "2.68"), (7, "7.00"), ("-0.001", "0.00"),
     ("1E+3", "1000.00"), (Decimal("9999999999999999.99"), "9999999999999999.99")],
)  # fmt: skip
def test_an_amount_has_two_places_rounded_half_up(given: Decimal | str | int, amount: str) -> None:
    assert fmt_money(money(given)) == amount


def test_a_quantity_has_three_places() -> None:
    assert fmt_quantity(quantity("100")) == "100.000"
    assert fmt_quantity(quantity("0.0005")) == "0.001"


@pytest.mark.parametrize(
    "given", ["NaN", "sNaN", "Infinity", "-inf", "", "ten", "1,000.00", "9" * 17, "1E+400", "1e99999"]
)
def test_what_is_no_amount_is_refused_by_name(given: str) -> None:
    with pytest.raises(ValueError, match=r"number|digits"):
        money(given)


def test_a_thing_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="decimal number"):
        money(object())  # type: ignore[arg-type]
