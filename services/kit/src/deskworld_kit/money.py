"""Money and quantities: exact decimals, never float."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

CENT = Decimal("0.01")
THOUSANDTH = Decimal("0.001")
ZERO = Decimal("0.00")
DIGITS = 18


def money(value: Decimal | str | int) -> Decimal:
    """An amount with two places, half-up.

    Raises:
        ValueError: not a number, not finite, or more than 18 digits.
    """
    return _fixed(value, CENT)


def quantity(value: Decimal | str | int) -> Decimal:
    """A quantity with three places, half-up.

    Raises:
        ValueError: not a number, not finite, or more than 18 digits.
    """
    return _fixed(value, THOUSANDTH)


def fmt_money(value: Decimal) -> str:
    """`"1040.00"`: the form on the wire."""
    return f"{money(value):f}"


def fmt_quantity(value: Decimal) -> str:
    """`"100.000"`: the form on the wire."""
    return f"{quantity(value):f}"


def _fixed(value: Decimal | str | int, step: Decimal) -> Decimal:
    try:
        number = Decimal(value)
        if not number.is_finite():
            raise ValueError(f"{value!r} is not a finite number")
        fixed = number.quantize(step, rounding=ROUND_HALF_UP)
    except (InvalidOperation, TypeError) as error:
        raise ValueError(f"{str(value)[:40]!r} is not a decimal number of at most {DIGITS} digits") from error
    if len(fixed.as_tuple().digits) > DIGITS:
        raise ValueError(f"{str(value)[:40]!r} has more than {DIGITS} digits")
    return fixed + 0  # negative zero becomes zero
