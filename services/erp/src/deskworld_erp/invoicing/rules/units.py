"""Units of measure (UN/ECE Recommendation 20): what converts into what by definition alone."""

from decimal import Decimal

from deskworld_erp.invoicing.rules.amounts import EXACT

_MEASURES: tuple[dict[str, Decimal], ...] = (
    {  # pieces
        "EA": Decimal(1),
        "C62": Decimal(1),
        "H87": Decimal(1),
        "PCE": Decimal(1),
        "PR": Decimal(2),
        "DZN": Decimal(12),
        "GRO": Decimal(144),
        "CEN": Decimal(100),
        "MIL": Decimal(1000),
    },
    {"MGM": Decimal("0.001"), "GRM": Decimal(1), "KGM": Decimal(1000), "TNE": Decimal(1_000_000)},
    {"MMT": Decimal("0.001"), "CMT": Decimal("0.01"), "DMT": Decimal("0.1"), "MTR": Decimal(1), "KMT": Decimal(1000)},
    {"MLT": Decimal("0.001"), "CLT": Decimal("0.01"), "LTR": Decimal(1), "HLT": Decimal(100), "MTQ": Decimal(1000)},
    {"SEC": Decimal(1), "MIN": Decimal(60), "HUR": Decimal(3600)},
)
_SIZE = {unit: (measure, size) for measure, units in enumerate(_MEASURES) for unit, size in units.items()}


def convert(quantity: Decimal, unit: str, into: str) -> Decimal | None:
    """The same physical quantity in another unit, or None when there is no conversion."""
    if unit == into:
        return quantity
    of, to = _SIZE.get(unit), _SIZE.get(into)
    if of is None or to is None or of[0] != to[0]:
        return None
    return EXACT.divide(EXACT.multiply(quantity, of[1]), to[1])
