"""Exact arithmetic on money and quantities inside the rules."""

from decimal import ROUND_HALF_UP, Context, Decimal

EXACT = Context(prec=60, rounding=ROUND_HALF_UP)
"""Wide enough that no product of two document figures is ever rounded."""

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")
NO_QUANTITY = Decimal(0)
ONE = Decimal(1)
FINE = Decimal("1e-12")
KEPT = Decimal("1e-24")


def cents(value: Decimal) -> Decimal:
    """Two places, half-up, without a limit on the digits before the point."""
    return value.quantize(CENT, rounding=ROUND_HALF_UP, context=EXACT) + NOTHING


def fine(quantity: Decimal) -> Decimal:
    """Twelve places: thirds of a dozen add up again, and no excess that a document can state is lost."""
    return quantity.quantize(FINE, rounding=ROUND_HALF_UP, context=EXACT)


def kept(quantity: Decimal) -> Decimal:
    """Twenty-four places, where a sum over many documents is kept: their roundings never add up to a `fine` excess."""
    return quantity.quantize(KEPT, rounding=ROUND_HALF_UP, context=EXACT)
