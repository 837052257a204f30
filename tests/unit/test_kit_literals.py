"""Values that are sent inside a statement: nothing in them can end the place where they stand."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from deskworld_kit.literals import literal

AT = datetime(2026, 3, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        ("O'Neill", "'O''Neill'"),
        ("'; DROP TABLE audit; --", "'''; DROP TABLE audit; --'"),
        ("back\\slash", " E'back\\\\slash'"),
        ("\\'", " E'\\\\'''"),
        (7, "'7'"),
        (Decimal("-10.40"), "'-10.40'"),
        (b"\x00'\\", "'\\x00275c'"),
        (AT, "'2026-03-10T09:00:00+00:00'"),
        ([], "'{}'"),
        (["a", "b'c", None], "ARRAY['a','b''c',NULL]"),
    ],
)
def test_a_value_stands_between_quotes_that_it_cannot_close(value: object, text: str) -> None:
    assert literal(value) == text


def test_nul_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ValueError, match="NUL"):
        literal("a\0b")


def test_a_type_without_a_literal_is_named() -> None:
    with pytest.raises(TypeError, match="set: "):
        literal({"a"})
