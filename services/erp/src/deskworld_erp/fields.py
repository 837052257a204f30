"""Field types at the door, and the form of values on the wire."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]+)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Value(BaseModel):
    """A frozen value; what it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _decimal(places: int) -> Any:
    def read(value: object) -> Decimal:
        if isinstance(value, Decimal):
            return value
        if not isinstance(value, str) or not _NUMBER.fullmatch(value):
            raise ValueError('a decimal number as a string, such as "1040.00"')
        number = Decimal(value)
        exponent = number.as_tuple().exponent
        if isinstance(exponent, int) and -exponent > places:
            raise ValueError(f"at most {places} decimal places")
        return number + 0

    return BeforeValidator(read)


def _printable(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("control characters and lone surrogates are not text")
    return value


def _canonical_uuid(value: object) -> str:
    if not isinstance(value, str) or len(value) != 36:
        raise ValueError("a UUID in its canonical form of 36 characters")
    return str(UUID(value))


def _iso_day(value: object) -> date:
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or len(value) != 10:
        raise ValueError("a date as YYYY-MM-DD")
    return date.fromisoformat(value)


def _whole(value: object) -> object:
    """JSON has one kind of number: 3.0 is 3 (RFC 8259; JSON Schema's `integer`)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _schema(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


Money = Annotated[Decimal, _decimal(2), _schema(r"^-?[0-9]{1,12}(\.[0-9]{1,2})?$", "1040.00")]
Quantity = Annotated[Decimal, _decimal(3), _schema(r"^-?[0-9]{1,12}(\.[0-9]{1,3})?$", "100.000")]
Price = Annotated[Decimal, _decimal(10), _schema(r"^-?[0-9]{1,12}(\.[0-9]{1,10})?$", "10.40")]
NotNegative = Field(ge=0)
_ABOVE_ZERO = r"^(?=.*[1-9])[0-9]{1,12}(\.[0-9]{1,%d})?$"
_FROM_ZERO = r"^[0-9]{1,12}(\.[0-9]{1,%d})?$"
Positive = Annotated[Quantity, Field(gt=0), _schema(_ABOVE_ZERO % 3, "100.000")]
Share = Annotated[Quantity, NotNegative, _schema(_FROM_ZERO % 3, "0.000")]
UnitPrice = Annotated[Price, NotNegative, _schema(_FROM_ZERO % 10, "10.40")]
Charge = Annotated[Money, NotNegative, _schema(_FROM_ZERO % 2, "85.00")]
PositiveMoney = Annotated[Money, Field(gt=0), _schema(_ABOVE_ZERO % 2, "1040.00")]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$"), Field(examples=["USD"])]
Unit = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{2,3}$"), Field(examples=["EA"])]
WHOLE = BeforeValidator(_whole)
"""It stands after the limits of the number, which then show in the description."""
Line = Annotated[int, Field(ge=1, le=100_000, strict=True), WHOLE]
Day = Annotated[date, BeforeValidator(_iso_day), WithJsonSchema({"type": "string", "format": "date"})]
Id = Annotated[str, BeforeValidator(_canonical_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
_TEXT = Field(json_schema_extra={"pattern": r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$"})
Short = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_printable), _TEXT]
Long = Annotated[str, StringConstraints(max_length=4000), AfterValidator(_printable), _TEXT]

PathId = Annotated[Id, Path(description="The record's id (UUID).")]
PathText = Annotated[Short, Path()]


def money_text(value: Decimal) -> str:
    return f"{value:.2f}"


def quantity_text(value: Decimal) -> str:
    return f"{value:.3f}"


def price_text(value: Decimal) -> str:
    """Two places, and more where the price has more."""
    short = f"{value:.2f}"
    return short if Decimal(short) == value else f"{value.normalize():f}"


def moment_text(value: datetime) -> str:
    return value.astimezone(UTC).isoformat()
