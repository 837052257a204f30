"""What a colleague's few words say. None of these sentences stands in a scenario."""

from decimal import Decimal

import pytest

from deskworld_agent.playbook.words import Says, Wants, prices, says, says_of_price, wants

YES = [
    "Yes.", "yep, that is ours", "Confirmed", "That one is fine with me.", "OK, go ahead", "I approved that last week",
    "No problem, pay it.", "No objections from my side.", "Sure.", "Correct, it belongs to that order.",
    "Without concerns: please pay.",
]  # fmt: skip
NO = [
    "No.", "Nope", "I never agreed to this", "That isn't ours.", "We didn’t order that", "Nobody asked for it",
    "Wrong order", "I disagree", "Yes I saw it, but that is not my order.", "I cannot confirm that.",
    "This is unauthorised.",
]  # fmt: skip
UNCLEAR = ["", "Let me look into it.", "Who is asking?", "I will come back to you on Monday", "12.50"]


@pytest.mark.parametrize("words", YES)
def test_a_yes_is_read_as_one(words: str) -> None:
    assert says(words) is Says.YES


@pytest.mark.parametrize("words", NO)
def test_a_no_outweighs_everything_else(words: str) -> None:
    assert says(words) is Says.NO


@pytest.mark.parametrize("words", UNCLEAR)
def test_what_says_neither_is_unclear(words: str) -> None:
    assert says(words) is Says.UNCLEAR


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("They and I settled on 10.40.", Says.YES),
        ("Agreed was 10.00", Says.NO),
        ("The right price is 10", Says.NO),
        ("Fine.", Says.YES),
        ("10.40 instead of 10.00, agreed.", Says.YES),
        ("Not 10.40.", Says.NO),
        ("I will check", Says.UNCLEAR),
        ("1,040.00 in total, yes", Says.YES),
    ],
)
def test_a_price_that_is_named_says_which_was_agreed(words: str, read: Says) -> None:
    assert says_of_price(words, billed=Decimal("10.4000"), ordered=Decimal("10.00")) is read


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("We keep them, but only at the order price.", Wants.ORDER_PRICE),
        ("Please pay the agreed rate and nothing else", Wants.ORDER_PRICE),
        ("I will pay 10.00 for these.", Wants.ORDER_PRICE),
        ("The price on the PO stands", Wants.ORDER_PRICE),
        ("These must go back.", Wants.RETURN),
        ("I am sending it all back", Wants.RETURN),
        ("Return them please", Wants.RETURN),
        ("We will not return them, the ordered price applies", Wants.ORDER_PRICE),
        ("I do not like it.", Wants.UNCLEAR),
        ("", Wants.UNCLEAR),
        (None, Wants.UNCLEAR),
    ],
)
def test_a_decline_says_what_is_wanted_instead(words: str | None, wanted: Wants) -> None:
    assert wants(words, ordered=Decimal("10.00")) is wanted


def test_prices_are_read_whole() -> None:
    assert prices("1,040.00 or 9.5, not 3 % of 12.") == {Decimal("1040.00"), Decimal("9.5"), Decimal(12)}
