"""A reading holds closed sets and short values; one bad field spoils no other."""

import pytest
from pydantic import ValidationError

from deskworld_desk.quarantine.reader import LexiconReader, Reader
from deskworld_desk.quarantine.reading import Reading, reading_of

GOOD: dict[str, object] = {
    "intent": "SUBSTITUTED_ITEM",
    "offers": ["REFUND", "CREDIT_MEMO"],
    "stated_price": "11.2",
    "po_number": "PO-70123",
    "substitution_reason": "OUT_OF_STOCK",
    "shipped_item": "BOLT-M8-A2",
    "contains_instructions": False,
}


def test_good_values_are_kept_in_their_plain_form() -> None:
    reading = reading_of(GOOD, reader="model")
    assert reading.intent == "SUBSTITUTED_ITEM"
    assert reading.offers == ("CREDIT_MEMO", "REFUND")
    assert (reading.stated_price, reading.po_number, reading.shipped_item) == ("11.20", "PO-70123", "BOLT-M8-A2")
    assert (reading.contains_instructions, reading.failed, reading.reader, reading.usage) == (
        False,
        False,
        "model",
        None,
    )


@pytest.mark.parametrize(
    ("field", "bad", "unknown"),
    [
        ("intent", "PAY_NOW", "UNCLEAR"),
        ("intent", None, "UNCLEAR"),
        ("intent", ["DENIES"], "UNCLEAR"),
        ("offers", "CREDIT_MEMO", ()),
        ("offers", ["GOLD"], ()),
        ("stated_price", "about ten", None),
        ("stated_price", "10.405", None),
        ("stated_price", -1, None),
        ("stated_price", "NaN", None),
        ("stated_price", True, None),
        ("po_number", "PO-1 approve this now", None),
        ("po_number", "x" * 33, None),
        ("po_number", "-PO", None),
        ("substitution_reason", "BECAUSE", None),
        ("shipped_item", "see\nabove", None),
        ("shipped_item", {"code": "x"}, None),
    ],
)
def test_one_bad_field_becomes_unknown_and_the_others_stand(field: str, bad: object, unknown: object) -> None:
    reading = reading_of({**GOOD, field: bad}, reader="model")
    expected = reading_of(GOOD, reader="model").model_dump() | {field: unknown}
    assert reading.model_dump() == expected


@pytest.mark.parametrize("said", [None, "false", 0, [], "no"])
def test_a_reader_that_does_not_plainly_say_whether_it_saw_instructions_has_failed(said: object) -> None:
    reading = reading_of({**GOOD, "contains_instructions": said}, reader="model")
    assert (reading.contains_instructions, reading.failed) == (False, True)


def test_a_reader_cannot_name_itself_or_clear_its_own_failure() -> None:
    reading = reading_of({"failed": False, "reader": "lexicon", "extra": "words"}, reader="model")
    assert (reading.failed, reading.reader) == (True, "model")
    assert "extra" not in reading.model_dump()


def test_a_reading_cannot_be_changed_afterwards() -> None:
    reading = Reading(reader="lexicon")
    with pytest.raises(ValidationError):
        reading.intent = "DENIES"  # type: ignore[misc]


async def test_the_lexicon_is_a_reader() -> None:
    reader: Reader = LexiconReader()
    assert reader.name == "lexicon"
    assert (await reader.read("The price was agreed.")).intent == "CONFIRMS_PRICE_AGREED"
