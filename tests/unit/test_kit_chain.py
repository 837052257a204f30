import pytest

from deskworld_kit import chain


def test_the_canonical_form_sorts_keys_and_keeps_unicode() -> None:
    assert chain.canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'.encode()


def test_the_canonical_form_takes_a_lone_surrogate_from_broken_mail() -> None:
    assert chain.digest({"raw": "\ud800"}) != chain.digest({"raw": "\ud801"})


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        chain.canonical(float("nan"))


def test_the_first_row_stands_after_sixty_four_zeros() -> None:
    row = {"seq": 1, "prev_hash": chain.GENESIS}
    assert chain.verify([{**row, "hash": chain.link(chain.GENESIS, row)}]) is None
    assert chain.GENESIS == "0" * 64


def test_a_row_without_hashes_does_not_hold() -> None:
    assert chain.verify([{"seq": 1}]) == 0


def test_a_chain_can_be_checked_from_its_middle() -> None:
    row = {"seq": 5, "prev_hash": "abc"}
    rows = [{**row, "hash": chain.link("abc", row)}]
    assert chain.verify(rows, "abc") is None
    assert chain.verify(rows) == 0


def test_no_rows_hold() -> None:
    assert chain.verify([]) is None
