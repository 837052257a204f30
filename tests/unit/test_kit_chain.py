import hashlib

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


def test_a_row_can_be_written_out_before_its_place_in_the_chain_is_known() -> None:
    row = {"at": "2026", "detail": {"seq": 7, "prev_hash": "é"}, "user": None, "vendor_id": "v"}
    before, after = chain.around(row)
    whole = f'{before}{chain.GENESIS}","seq":12{after}'
    assert hashlib.sha256(whole.encode()).hexdigest() == chain.link(chain.GENESIS, row | {"seq": 12})


@pytest.mark.parametrize(
    "row", [{"at": 1}, {"user": 1}, {"at": 1, "user": 1, "seal": 1}, {"at": 1, "user": 1, "seq": 1}]
)
def test_a_row_with_keys_where_its_place_is_said_is_refused(row: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="before prev_hash and after seq"):
        chain.around(row)
