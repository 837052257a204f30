"""The deterministic reader: phrases of business letters, weighed sentence by sentence. No tools, no network, no memory.

A sentence that steers the desk is flagged and then read no further: what it says counts for nothing else.
"""

import re
from dataclasses import dataclass

from deskworld_desk.quarantine.amounts import stated_price
from deskworld_desk.quarantine.instructions import contains_instructions, steers
from deskworld_desk.quarantine.phrases import PATTERNS, Cue, hears
from deskworld_desk.quarantine.plain import LENGTH_LIMIT, Sentence, sentences, tidy
from deskworld_desk.quarantine.reading import Intent, Offer, Reading, SubstitutionReason
from deskworld_desk.quarantine.references import Found, order_number, shipped_item

NAME = "lexicon"

# A longer letter that says nothing of ours is about something else; a shorter one is an answer without content.
_SHORT = 9

# What follows an "if" is no statement.
_CONDITION = re.compile(
    r"\b(?:if|unless|in case|should you|falls|sollten sie|wenn|au cas ou|"
    r"si (?:vous|le|la|les|usted\w*|el|los|las|no|cela|esto)|en caso de)"
    r"\b(?:\s+\w+)?(?:(?!\b(?:we|i|wir|ich|nous|je)\b)[^,;.])*"
)
_CONTRAST = re.compile(r"\d,? (?:and )?(?:not|nicht|pas|no) (?:at |for |the )?(?:[a-z]{3} |[$€£] ?)?\d")
_DID_NOT = re.compile(
    r"\b(?:i|we|nobody here|nobody in \w+ \w+|no one here)(?: have| had| did| do|'ve)?(?: never|n't| not) "
    r"(?!yet\b|sure\b|(?:yet )?(?:received?|had|got|seen|forg\w+|heard)\b.{0,20}"
    r"\b(?:pay|repl|answer|money|time|back|from you))\w+|"
    r"\bno (?:he|hemos) \w+(?:ado|ido)\b|"
    r"\b(?:habe|haben) (?:\w+ ){0,4}(?:nie|nicht|niemals) |\b(?:je n'ai|nous n'avons) (?:jamais|pas) "
)
_CLAUSE = re.compile(r"[,;:()]|\b(?:but|however|although|whereas|aber|jedoch|mais|pero|sino)\b| - ")
_NEGATED_AFTER = re.compile(
    r"\W+(?:to |on |with |upon |zu |a |de )?(?:nothing|no\b|none|nobody|any such|nichts|kein|rien|nada|nadie)"
)


@dataclass(frozen=True, slots=True)
class _Heard:
    """What the letter's sentences say, each kind of statement once."""

    agreed: bool = False
    agreed_not: bool = False
    denied: bool = False
    did_not: bool = False  # "we have never ...", "I did not ..."
    by_word: bool = False  # ordered by phone: so there is no number
    twice: bool = False
    slip: bool = False
    content: bool = False
    coming: bool = False
    justified: bool = False
    substituted: bool = False
    asked: bool = False
    wonders: bool = False  # asks without a question mark
    vague: bool = False
    unrelated: bool = False

    def __or__(self, other: "_Heard") -> "_Heard":
        return _Heard(*(getattr(self, name) or getattr(other, name) for name in self.__slots__))


def read(text: str) -> Reading:
    """Never raises; the same text gives the same reading."""
    plain = tidy(text)
    every = sentences(plain)
    kept = [sentence for sentence in every if not steers(sentence)]
    heard = _Heard()
    for sentence in kept:
        heard |= _listen(sentence)
    order, item = order_number(kept), shipped_item(kept)
    price, unsure = stated_price(kept)
    intent = _intent(heard, order, item)
    if intent is None:
        intent = _nothing_of_ours(kept, steered=len(kept) < len(every))
    if intent == "SUBSTITUTED_ITEM" and (unsure or item.several):
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
        contains_instructions=contains_instructions(plain, every),
        failed=len(text) > LENGTH_LIMIT,  # what was not read may say anything
        reader=NAME,
    )


def _intent(heard: _Heard, order: Found, item: Found) -> Intent | None:
    """The first row that holds. None: the letter says nothing of ours."""
    about_price = heard.agreed or heard.agreed_not
    denied = heard.denied or (heard.twice and heard.slip)
    rows: tuple[tuple[Intent, bool], ...] = (
        ("SUBSTITUTED_ITEM", heard.substituted and (item.given is not None or item.several)),
        (
            "GIVES_PO_NUMBER",
            order.given is not None and not about_price and not heard.coming and not heard.justified,
        ),
        ("DENIES", heard.agreed_not or (denied and not heard.coming)),
        ("CONFIRMS_PRICE_AGREED", heard.agreed),
        ("DENIES", heard.by_word and not heard.coming),
        ("SAYS_GOODS_COMING", heard.coming),
        ("JUSTIFIES_CHARGE", heard.justified),
        ("DENIES", heard.did_not),
        ("CONFIRMS_PRICE_AGREED", heard.content and not heard.vague),
        ("OTHER", heard.unrelated),
        ("ASKS_QUESTION", heard.asked),
        ("UNCLEAR", heard.vague),
        ("ASKS_QUESTION", heard.wonders),
    )
    return next((intent for intent, holds in rows if holds), None)


def _nothing_of_ours(kept: list[Sentence], *, steered: bool) -> Intent:
    words = sum(len(sentence.folded.split()) for sentence in kept)
    return "UNCLEAR" if 0 < words <= _SHORT and not steered else "OTHER"


def _listen(sentence: Sentence) -> _Heard:
    folded = _asserted(sentence.folded)
    unrelated = any(hears(cue, folded) for cue in (Cue.PROMOTION, Cue.REMINDER, Cue.NOTICE))
    if sentence.question:
        return _Heard(asked=not unrelated, unrelated=unrelated)
    agreed, agreed_not = _agreement(folded)
    denied = _denial(folded) and not (hears(Cue.ASKS, folded) and not hears(Cue.KNOWS_NOTHING, folded))
    return _Heard(
        agreed=agreed,
        agreed_not=agreed_not,
        denied=denied,
        did_not=_DID_NOT.search(folded) is not None,
        by_word=hears(Cue.BY_WORD, folded)
        and (hears(Cue.ORDERED, folded) or re.search(r"\border\b", folded) is not None),
        twice=hears(Cue.TWICE, folded),
        slip=hears(Cue.SLIP, folded),
        content=hears(Cue.CONTENT, folded) and not denied and not agreed_not,
        coming=_coming(folded),
        justified=_justification(folded),
        substituted=_substitution(folded),
        wonders=hears(Cue.ASKS, folded),
        vague=any(hears(cue, folded) for cue in (Cue.ATTACHED, Cue.LATER, Cue.VAGUE)),
        unrelated=unrelated,
    )


def _asserted(folded: str) -> str:
    return _CONDITION.sub(" ", PATTERNS[Cue.HARMLESS_NOT].sub(" fine ", folded))


def _agreement(folded: str) -> tuple[bool, bool]:
    """Whether the sentence says that something was agreed, and whether it says that it was not."""
    leading_no = re.match(r"(?:no|nope|nein|non)\b", folded) is not None
    yes, no = False, False
    priced = hears(Cue.PRICE, folded)
    for clause in _CLAUSE.split(folded):
        found = PATTERNS[Cue.AGREED].search(clause)
        if not found and priced:
            found = PATTERNS[Cue.CONSENTED].search(clause)
        if not found:
            if hears(Cue.CONSENTED, clause) and hears(Cue.NOT, clause):
                no = True
            continue
        if hears(Cue.SUPPOSED, clause[: found.start()]):
            continue
        if hears(Cue.NOT, clause[: found.start()]) or _NEGATED_AFTER.match(clause[found.end() :]) or leading_no:
            no = True
        else:
            yes = True
    if yes and _CONTRAST.search(folded):
        return False, True
    return yes and not no, no


def _denial(folded: str) -> bool:
    negated = hears(Cue.NOT, folded)
    return (
        any(hears(cue, folded) for cue in (Cue.KNOWS_NOTHING, Cue.WRONG, Cue.ONLY_ONE))
        or (negated and hears(Cue.ARRIVED, folded) and not hears(Cue.PAPER, folded))
        or (negated and hears(Cue.ORDER_NUMBER, folded))
        or _not_near(Cue.ORDERED, folded)
    )


def _not_near(cue: Cue, folded: str) -> bool:
    return any(
        hears(Cue.NOT, folded[max(0, found.start() - 25) : found.start()]) for found in PATTERNS[cue].finditer(folded)
    )


def _coming(folded: str) -> bool:
    found = PATTERNS[Cue.COMING].search(folded)
    if found and not hears(Cue.PAPER, folded[found.end() : found.end() + 30]):
        return hears(Cue.GOODS, folded) or not hears(Cue.PAPER, folded)
    moves = hears(Cue.MOVES, folded)
    goods = hears(Cue.GOODS, folded) or hears(Cue.REMAINDER, folded)
    return (
        moves
        and ((goods and hears(Cue.SOON, folded)) or hears(Cue.REMAINDER, folded) or hears(Cue.SOON, folded))
        and not hears(Cue.PAPER, folded)
    )


def _justification(folded: str) -> bool:
    return (
        hears(Cue.TWO_LOTS, folded)
        or (hears(Cue.ROSE, folded) and (hears(Cue.COST, folded) or hears(Cue.BECAUSE, folded)))
        or (hears(Cue.CHARGE, folded) and (hears(Cue.CUSTOMARY, folded) or hears(Cue.BECAUSE, folded)))
    )


def _substitution(folded: str) -> bool:
    return hears(Cue.SUBSTITUTED, folded) or any(hears(cue, folded) for cue in (Cue.OUT_OF_STOCK, Cue.DISCONTINUED))


def _offers(kept: list[Sentence]) -> tuple[Offer, ...]:
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


def _reason(kept: list[Sentence]) -> SubstitutionReason | None:
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
