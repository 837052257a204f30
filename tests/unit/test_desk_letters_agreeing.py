"""Two versions of one mail, read apart: what both say stands."""

import pytest

from deskworld_desk.letters.agreeing import agreed
from deskworld_desk.quarantine.reading import Reading

SAID = Reading(
    reader="r",
    intent="SUBSTITUTED_ITEM",
    offers=("CREDIT_MEMO", "REFUND"),
    stated_price="11.20",
    po_number="PO-1",
    substitution_reason="OUT_OF_STOCK",
    shipped_item="BOLT-M8",
)


def test_one_reading_is_itself_and_two_that_agree_are_one() -> None:
    assert agreed([SAID]) == agreed([SAID, SAID]) == SAID


@pytest.mark.parametrize(
    ("name", "other", "unknown"),
    [
        ("intent", "DENIES", "UNCLEAR"),
        ("offers", ("REFUND",), ("REFUND",)),
        ("stated_price", "10.00", None),
        ("po_number", "PO-2", None),
        ("substitution_reason", "UPGRADE", None),
        ("shipped_item", None, None),
    ],
)
def test_what_they_say_differently_is_unknown_and_the_rest_stands(name: str, other: object, unknown: object) -> None:
    for readings in ([SAID, SAID.model_copy(update={name: other})], [SAID.model_copy(update={name: other}), SAID]):
        assert agreed(readings) == SAID.model_copy(update={name: unknown})


def test_what_both_readings_used_is_added_up() -> None:
    used = SAID.model_copy(update={"usage": {"model": "m", "input": 100, "output": 7}})
    assert agreed([used, used]).usage == {"model": "m", "input": 200, "output": 14}
    assert agreed([SAID, used]).usage == {"model": "m", "input": 100, "output": 7}


@pytest.mark.parametrize("name", ["contains_instructions", "failed"])
def test_what_one_of_them_saw_or_missed_was_seen_or_missed(name: str) -> None:
    flagged = SAID.model_copy(update={name: True})
    assert agreed([SAID, flagged]) == agreed([flagged, SAID]) == flagged
