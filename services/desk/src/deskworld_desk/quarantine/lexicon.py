"""The deterministic reader: concepts of business letters, weighed together. No tools, no network, no memory.

What the letter says is decided by weights that are made from labelled letters (`training`); prices, order numbers,
items and offers are looked for by rules. A sentence that steers the desk is flagged and then read no further.
"""

import re
from collections.abc import Sequence
from typing import get_args

from deskworld_desk.quarantine.amounts import stated_price
from deskworld_desk.quarantine.instructions import hides_orders
from deskworld_desk.quarantine.linear import Learnt, learnt
from deskworld_desk.quarantine.listening import Heard, answer_features, listened
from deskworld_desk.quarantine.phrases import PATTERNS, Cue, hears
from deskworld_desk.quarantine.plain import LENGTH_LIMIT, Sentence, tidy
from deskworld_desk.quarantine.reading import Intent, Offer, Reading, SubstitutionReason
from deskworld_desk.quarantine.references import order_number, shipped_item

NAME = "lexicon"

# What follows an "if" is no statement.
_CONDITION = re.compile(
    r"\b(?:if|unless|in case|should you|falls|sollten sie|wenn|au cas ou|"
    r"si (?:vous|le|la|les|usted\w*|el|los|las|no|cela|esto)|en caso de)"
    r"\b(?:\s+\w+)?(?:(?!\b(?:we|i|wir|ich|nous|je)\b)[^,;.])*"
)


def read(text: str) -> Reading:
    """Never raises; the same text gives the same reading."""
    return read_with(learnt(), text)


def read_with(weights: Learnt, text: str) -> Reading:
    heard = listened(text, weights.steering)
    kept = heard.kept
    order, item = order_number(kept), shipped_item(kept)
    price, unsure = stated_price(kept)
    intent = _intent(weights, heard)
    if intent == "SUBSTITUTED_ITEM" and unsure:
        # Half-read is worse than unread here: an absent price would pass for "as billed".
        intent = "UNCLEAR"
    substituted = intent == "SUBSTITUTED_ITEM"
    return Reading(
        intent=intent,
        offers=_offers(kept),
        stated_price=price,
        po_number=order.given,
        substitution_reason=_reason(kept) if substituted else None,
        shipped_item=item.given if substituted else None,
        contains_instructions=heard.steers or hides_orders(tidy(text)),
        failed=len(text) > LENGTH_LIMIT,  # what was not read may say anything
        reader=NAME,
    )


def _intent(weights: Learnt, heard: Heard) -> Intent:
    """A letter of which nothing is left says nothing of ours; one without a word answers nothing."""
    if not heard.answer:
        return "OTHER"
    if not any(letter.isalnum() for sentence in heard.answer for letter in sentence.text):
        return "UNCLEAR"
    best = weights.intent.best(answer_features(heard))
    return next(intent for intent in get_args(Intent) if intent == best)


def _asserted(folded: str) -> str:
    return _CONDITION.sub(" ", PATTERNS[Cue.HARMLESS_NOT].sub(" fine ", folded))


def _offers(kept: Sequence[Sentence]) -> tuple[Offer, ...]:
    found: list[Offer] = []
    kinds: tuple[tuple[Offer, Cue], ...] = (
        ("CREDIT_MEMO", Cue.CREDIT_MEMO),
        ("CORRECTED_INVOICE", Cue.CORRECTED_INVOICE),
        ("REFUND", Cue.REFUND),
    )
    for offer, cue in kinds:
        for sentence in kept:
            folded = "" if sentence.question else _asserted(sentence.folded)
            match = PATTERNS[cue].search(folded)
            if match and not hears(Cue.NOT, folded[max(0, match.start() - 40) : match.start()]):
                found.append(offer)
                break
    return tuple(found)


def _reason(kept: Sequence[Sentence]) -> SubstitutionReason | None:
    reasons: tuple[tuple[SubstitutionReason, Cue], ...] = (
        ("DISCONTINUED", Cue.DISCONTINUED),
        ("OUT_OF_STOCK", Cue.OUT_OF_STOCK),
        ("UPGRADE", Cue.UPGRADE),
        ("OTHER", Cue.OTHER_REASON),
    )
    for reason, cue in reasons:
        if any(hears(cue, sentence.folded) for sentence in kept):
            return reason
    return None
