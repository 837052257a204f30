"""When two invoice numbers are the same."""

import pytest

from deskworld_erp.invoicing.rules.numbers import near_number, number_key, same_number, tight_key


@pytest.mark.parametrize(
    ("number", "key"),
    [
        ("INV-0042", ("INV", "42")),
        ("inv 42", ("INV", "42")),
        ("A-1-02", ("A", "1", "2")),
        ("A-12", ("A", "12")),
        ("2024/000", ("2024", "0")),
        ("٤٢", ("42",)),
        ("Ｒ４２", ("R", "42")),
        ("Straße 7", ("STRASSE", "7")),
        ("in\u200bv\u00ad1", ("INV", "1")),
        ("कि-1", ("कि", "1")),
        ("---", ()),
        ("", ()),
    ],
)
def test_a_number_has_one_key(number: str, key: tuple[str, ...]) -> None:
    assert number_key(number) == key


def test_an_empty_key_equals_nothing() -> None:
    assert not same_number("--", "--")
    assert not near_number("--", "//")


def test_near_numbers_are_equal_once_separators_are_gone() -> None:
    assert near_number("A-1-02", "A-12")  # keys equal when joined
    assert tight_key("A-1-02") == ("A", "102")
    assert near_number("A-1-02", "A-102")  # separators dropped before zeros are stripped
    assert not near_number("A-1-02", "A-13")
    assert not near_number("A-1", "a 01")  # those are the same
