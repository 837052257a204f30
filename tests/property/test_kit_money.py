import contextlib
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from deskworld_kit.money import CENT, fmt_money, money

amounts = st.decimals(min_value=-(10**15), max_value=10**15, places=2)


@given(amounts)
def test_an_amount_survives_the_wire(amount: Decimal) -> None:
    assert money(fmt_money(amount)) == amount


@given(st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False))
def test_rounding_moves_an_amount_by_half_a_cent_at_most(amount: Decimal) -> None:
    assert abs(money(amount) - amount) <= CENT / 2
    assert -money(amount) == money(-amount)


@given(st.text(max_size=40))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert money(text).as_tuple().exponent == -2
