"""What models cost: an estimate from a table of prices, and what the provider's bill says, beside each other.

No price is invented. Without a table there are counts alone; a model or a count that the table does not name is said.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from deskworld.values.report import UsageTold

CENT = Decimal("0.0001")


class Prices(BaseModel):
    """`models`: by the model's name as it is reported, the price of `per` tokens of each count. A count that is part
    of another (cached tokens of the input, reasoning of the output) has the price 0 or what it costs on top."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = Field(pattern=r"^[A-Z]{3}$")
    per: int = Field(default=1_000_000, gt=0)
    models: dict[str, dict[str, Decimal]]

    @field_validator("models", mode="before")
    @classmethod
    def _in_decimals(cls, value: object) -> object:
        """What a file writes as 2.5 is meant so, and not as the nearest binary fraction."""
        if not isinstance(value, Mapping):
            return value
        return {
            str(name): {str(count): _decimal(price) for count, price in prices.items()}
            if isinstance(prices, Mapping)
            else prices
            for name, prices in value.items()
        }

    @field_validator("models")
    @classmethod
    def _known_counts(cls, value: dict[str, dict[str, Decimal]]) -> dict[str, dict[str, Decimal]]:
        for model, prices in value.items():
            for count, price in prices.items():
                if count not in COUNTS:
                    raise ValueError(f"{model}: {count} is no count; there are {', '.join(COUNTS)}")
                if not price.is_finite() or price < 0:
                    raise ValueError(f"{model}: {count}: {price} is no price")
        return value


COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning")


@dataclass(frozen=True, slots=True)
class Cost:
    """One model in one role. `estimate` is None where it cannot be told; `short`: why it is too low, or none at all."""

    usage: UsageTold
    estimate: Decimal | None
    short: tuple[str, ...]


def costs(usage: Iterable[UsageTold], prices: Prices | None) -> tuple[Cost, ...]:
    return tuple(_cost(one, prices) for one in usage)


def total(found: Sequence[Cost]) -> Decimal | None:
    """Money adds up where tokens do not; None where there is no estimate at all."""
    told = [one.estimate for one in found if one.estimate is not None]
    return sum(told, Decimal(0)) if told else None


def conclusion(found: Sequence[Cost], bill: Decimal, *, unreported: bool) -> str:
    """What bill and estimate say of each other; a count that is missing is named before anything is compared."""
    short = [reason for one in found for reason in one.short]
    estimate = total(found)
    if unreported or estimate is None:
        return "there is no estimate to hold the bill against: " + ("; ".join(short) or "no usage was reported")
    if short:
        return f"a count is missing, so the estimate is too low: {'; '.join(short)}"
    if bill > estimate:
        return f"no count is missing in what was reported; the bill is {bill - estimate} higher, so something was not"
    return "no count is missing" + ("" if bill == estimate else f"; the bill is {estimate - bill} lower")


def _cost(one: UsageTold, prices: Prices | None) -> Cost:
    missing = [
        f"{one.role} {one.model}: {name} not reported in {count.missing} of {one.reports}"
        for name, count in one.counts.items()
        # a count that no report of this model has is one that it does not make
        if count.missing and (count.total is not None or name in {"input", "output"})
    ]
    if prices is None:
        return Cost(one, None, tuple(missing))
    own = prices.models.get(one.model)
    if own is None:
        return Cost(one, None, (*missing, f"{one.role} {one.model}: the table has no price for this model"))
    unpriced = [name for name, count in one.counts.items() if count.total and name not in own]
    estimate = sum(
        (Decimal(count.total or 0) * own[name] / prices.per for name, count in one.counts.items() if name in own),
        Decimal(0),
    )
    return Cost(
        one,
        estimate.quantize(CENT, ROUND_HALF_UP),
        (*missing, *(f"{one.role} {one.model}: the table has no price for {name}" for name in unpriced)),
    )


def _decimal(price: object) -> object:
    return Decimal(str(price)) if isinstance(price, int | float) and not isinstance(price, bool) else price
