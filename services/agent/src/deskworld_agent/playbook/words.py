"""A colleague's few words, read for what they say about a question that can be answered with yes or no."""

import re
from decimal import Decimal
from enum import Enum


class Says(Enum):
    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


class Wants(Enum):
    """What somebody who declined wants instead."""

    ORDER_PRICE = "pay at the price of the order"
    RETURN = "send the goods back"
    UNCLEAR = "unclear"


NO_HARM = re.compile(r"\b(no|not an?|without) (problem|objection|concern|issue|worries|doubt)s?\b", re.IGNORECASE)
NO = re.compile(
    r"\b(no|nope|not|never|nothing|nobody|none|neither|cannot|without|refuse[ds]?|reject(ed|s)?|declin(e|ed|es)"
    r"|wrong|incorrect|unknown|mistaken|disagree[ds]?|unauthori[sz]ed)\b|n[’']t\b",
    re.IGNORECASE,
)
YES = re.compile(
    r"\b(yes|yeah|yep|agree[ds]?|approve[ds]?|confirm(ed|s)?|correct|right|fine|ok|okay|sure|accept(ed|s)?"
    r"|ours|indeed|expected|go ahead|please pay)\b",
    re.IGNORECASE,
)
PRICE = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d{1,4})?(?!\w|\s?%|[.,]\d)")
AT_ORDER_PRICE = re.compile(
    r"\b(order(ed)?|agreed|contract(ed)?|original|po|old|lower)\b[^.;]*\b(price|rate|cost)\b"
    r"|\b(price|rate|cost) (of|on|in|from) (the|our) (order|po|contract)\b"
    r"|\b(only|no more than|not more than) (pay )?\d",
    re.IGNORECASE,
)
SEND_BACK = re.compile(
    r"\b(return(ed|ing|s)?|send(ing)? (\w+ ){0,3}back|take (\w+ ){0,3}back|go(es|ing)? back)\b", re.IGNORECASE
)


def says(words: str) -> Says:
    """No outweighs yes: "yes, but that is not ours" is no."""
    rest = NO_HARM.sub(" fine ", words)
    if NO.search(rest):
        return Says.NO
    return Says.YES if YES.search(rest) else Says.UNCLEAR


def says_of_price(words: str, *, billed: Decimal | None, ordered: Decimal | None) -> Says:
    """Who names the billed price agrees to it, and who names only the order's price does not."""
    named = prices(words)
    said = says(words)
    if said is Says.NO or billed == ordered:
        return said
    if ordered in named and billed not in named:
        return Says.NO
    if billed in named and ordered not in named and said is Says.UNCLEAR:
        return Says.YES
    return said


def wants(words: str | None, *, ordered: Decimal | None = None) -> Wants:
    if not words:
        return Wants.UNCLEAR
    if SEND_BACK.search(words) and not re.search(r"\b(not|no|n[’']t)\b[^.;,]*\b(return|back)", words, re.IGNORECASE):
        return Wants.RETURN
    if AT_ORDER_PRICE.search(words) or (ordered is not None and ordered in prices(words)):
        return Wants.ORDER_PRICE
    return Wants.UNCLEAR


def prices(words: str) -> set[Decimal]:
    return {Decimal(found.group().replace(",", "")) for found in PRICE.finditer(words)}
