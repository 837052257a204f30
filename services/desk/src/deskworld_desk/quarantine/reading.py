"""What a reader may say about a letter: closed sets and short typed values, never a word of the letter's own."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict

from deskworld_desk.quarantine.amounts import two_decimals

Intent = Literal[
    "CONFIRMS_PRICE_AGREED",
    "JUSTIFIES_CHARGE",
    "DENIES",
    "GIVES_PO_NUMBER",
    "SAYS_GOODS_COMING",
    "ASKS_QUESTION",
    "SUBSTITUTED_ITEM",
    "UNCLEAR",
    "OTHER",
]
Offer = Literal["CREDIT_MEMO", "CORRECTED_INVOICE", "REFUND"]
SubstitutionReason = Literal["OUT_OF_STOCK", "DISCONTINUED", "UPGRADE", "OTHER"]

# As a reference on a document may look; anything longer or stranger could carry a sentence past the reader.
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_#-]{0,31}")


def _one_of(allowed: Any, unknown: Any) -> BeforeValidator:
    values = get_args(allowed)
    return BeforeValidator(lambda value: value if isinstance(value, str) and value in values else unknown)


def _offers(value: object) -> tuple[str, ...]:
    named = value if isinstance(value, (list, tuple, set, frozenset)) else ()
    return tuple(each for each in get_args(Offer) if each in named)


def _reference(value: object) -> str | None:
    return value if isinstance(value, str) and _REFERENCE.fullmatch(value) else None


def _price(value: object) -> str | None:
    return two_decimals(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


class Reading(BaseModel):
    """One field that makes no sense becomes unknown, which is UNCLEAR, none or None; the others stand.

    `failed`: the reader could not do its work. That and `contains_instructions` are two different findings.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    intent: Annotated[Intent, _one_of(Intent, "UNCLEAR")] = "UNCLEAR"
    offers: Annotated[tuple[Offer, ...], BeforeValidator(_offers)] = ()
    stated_price: Annotated[str | None, BeforeValidator(_price)] = None
    po_number: Annotated[str | None, BeforeValidator(_reference)] = None
    substitution_reason: Annotated[SubstitutionReason | None, _one_of(SubstitutionReason, None)] = None
    shipped_item: Annotated[str | None, BeforeValidator(_reference)] = None
    contains_instructions: bool = False
    failed: bool = False
    reader: str
    usage: dict[str, int | str] | None = None
    """What reading it took, of a reader that counts: `model`, and each count that was reported."""


def reading_of(values: Mapping[str, object], *, reader: str) -> Reading:
    """A reading from untrusted values. Whether it saw instructions must be said plainly, else the reader failed."""
    seen = values.get("contains_instructions")
    plain = isinstance(seen, bool)
    known = {name: value for name, value in values.items() if name in Reading.model_fields and name not in _OURS}
    return Reading(**known, contains_instructions=bool(plain and seen), failed=not plain, reader=reader)


_OURS = {"contains_instructions", "failed", "reader", "usage"}
