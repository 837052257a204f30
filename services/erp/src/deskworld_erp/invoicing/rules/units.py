"""Units of measure (UN/ECE Recommendation 20): what converts by definition, and what an item's own packs add."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

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
    {"MMK": Decimal("0.000001"), "CMK": Decimal("0.0001"), "DMK": Decimal("0.01"), "MTK": Decimal(1)},
    {"MLT": Decimal("0.001"), "CLT": Decimal("0.01"), "LTR": Decimal(1), "HLT": Decimal(100), "MTQ": Decimal(1000)},
    {"SEC": Decimal(1), "MIN": Decimal(60), "HUR": Decimal(3600)},
    {"KWH": Decimal(1), "MWH": Decimal(1000), "GWH": Decimal(1_000_000)},
)
_SIZE = {unit: (measure, size) for measure, units in enumerate(_MEASURES) for unit, size in units.items()}


@dataclass(frozen=True, slots=True)
class Pack:
    """One `unit` of the item holds `quantity` of `of`: a carton of 24 pieces, a drum of 200 litres."""

    unit: str
    quantity: Decimal
    of: str


def convert(quantity: Decimal, unit: str, into: str, packs: tuple[Pack, ...] = ()) -> Decimal | None:
    """The same physical quantity in another unit, or None when there is no conversion. Never one to one by guess."""
    if unit == into:
        return quantity
    found = _factor(unit, into, packs)
    if found is None:
        return None
    return EXACT.divide(EXACT.multiply(quantity, found[0]), found[1])


def contradicts(packs: tuple[Pack, ...]) -> Pack | None:
    """The first pack that says something else than the packs before it, or than the definitions, say already."""
    for number, pack in enumerate(packs):
        known = convert(Decimal(1), pack.unit, pack.of, packs[:number])
        if known is not None and known != pack.quantity:
            return pack
    return None


@lru_cache(maxsize=4096)
def _factor(unit: str, into: str, packs: tuple[Pack, ...]) -> tuple[Decimal, Decimal] | None:
    """Numerator and denominator, so that one division is the only step that rounds."""
    reached = {unit: (Decimal(1), Decimal(1))}
    waiting = [unit]
    while waiting:
        at = waiting.pop(0)
        numerator, denominator = reached[at]
        if at == into:
            return numerator, denominator
        for neighbour, times, over in _neighbours(at, into, packs):
            if neighbour not in reached:
                reached[neighbour] = (EXACT.multiply(numerator, times), EXACT.multiply(denominator, over))
                waiting.append(neighbour)
    return None


def _neighbours(unit: str, into: str, packs: tuple[Pack, ...]) -> Iterator[tuple[str, Decimal, Decimal]]:
    """Units that one step reaches, with what a quantity is multiplied and divided by on the way."""
    for pack in packs:
        if pack.unit == unit:
            yield pack.of, pack.quantity, Decimal(1)
        elif pack.of == unit:
            yield pack.unit, Decimal(1), pack.quantity
    if unit in _SIZE:
        measure, size = _SIZE[unit]
        wanted = {into, *(name for pack in packs for name in (pack.unit, pack.of))} - {unit}
        for name in sorted(wanted):
            if name in _SIZE and _SIZE[name][0] == measure:
                yield name, size, _SIZE[name][1]
