"""Reads the tolerances. A missing, negative or unknown value is refused: zero and absent are two things."""

from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from deskworld_erp.invoicing.rules.values import Tolerances
from deskworld_kit.chain import digest


class TolerancesInvalid(Exception):
    """The file does not say what every tolerance is."""


def _decimal(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError('write a number in quotes, such as "50.00"')  # noqa: TRY004 - pydantic reports ValueError
    number = Decimal(value)
    if not number.is_finite() or number < 0:
        raise ValueError("a tolerance is zero (none allowed) or above")
    return number


Limit = Annotated[Decimal, BeforeValidator(_decimal)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Price(_Part):
    percent: Limit
    amount: dict[str, Limit]


class _Rounding(_Part):
    line: dict[str, Limit]
    document: dict[str, Limit]


class _File(_Part):
    price: _Price
    quantity: Limit
    rounding: _Rounding
    duplicate_window_days: Annotated[int, Field(ge=0, strict=True)]


@dataclass(frozen=True, slots=True)
class LoadedTolerances:
    values: Tolerances
    digest: str


def load_tolerances(path: Path | None = None) -> LoadedTolerances:
    """From `path`, or those that ship with the service.

    Raises:
        TolerancesInvalid: unreadable, or a value is missing, malformed, negative or unknown.
    """
    try:
        text = (path or files("deskworld_erp") / "tolerances.yaml").read_text(encoding="utf-8")
        content = yaml.safe_load(text)
        file = _File.model_validate(content)
    except (OSError, yaml.YAMLError, ArithmeticError) as error:
        raise TolerancesInvalid(f"tolerances {path or 'shipped'}: {error}") from error
    except ValidationError as error:
        found = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise TolerancesInvalid(f"tolerances {path or 'shipped'}: {found}") from error
    values = Tolerances(
        price_percent=file.price.percent,
        price_amount=file.price.amount,
        quantity=file.quantity,
        rounding_line=file.rounding.line,
        rounding_document=file.rounding.document,
        duplicate_window_days=file.duplicate_window_days,
    )
    return LoadedTolerances(values, digest(content))
