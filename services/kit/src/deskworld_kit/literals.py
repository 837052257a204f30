"""Values as SQL literals, for statements that are sent together: the driver takes values beside a statement only where
it is sent alone."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal


def literal(value: object) -> str:
    """A value as SQL text, whose type the place where it stands gives.

    Text is quoted as libpq's PQescapeLiteral does: right whatever `standard_conforming_strings` says, in UTF-8, which
    the driver always speaks. Raises ValueError for NUL, which no text of the database holds, and TypeError for what has
    no literal here."""
    match value:
        case None:
            return "NULL"
        case str():
            return _text(value)
        case bytes():
            return f"'\\x{value.hex()}'"
        case bool() | int() | Decimal():
            return f"'{value}'"
        case datetime():
            return f"'{value.isoformat()}'"
        case list() | tuple():
            return _array(value)
    raise TypeError(f"{type(value).__name__}: a value that is sent with its statement has no literal of this type")


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"a text holds NUL, which the database does not store: {value[:80]!r}")
    quoted = value.replace("'", "''")
    if "\\" in quoted:
        doubled = quoted.replace("\\", "\\\\")
        return f" E'{doubled}'"
    return f"'{quoted}'"


def _array(values: Sequence[object]) -> str:
    return f"ARRAY[{','.join(map(literal, values))}]" if values else "'{}'"
