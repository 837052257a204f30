"""Prices in letters: how people write amounts in four languages, and which of several the writer stands by."""

import re
from collections.abc import Iterable
from decimal import Decimal

from deskworld_desk.quarantine.plain import Sentence

# How far around a number the words are looked at, in characters.
_NEAR = 80
_MONEY = r"(?:usd|eur|gbp|chf|us\$|euros?|dollars?|pounds?|[$€£])"
_NUMBER = re.compile(
    rf"(?P<before>{_MONEY}\s?)?(?<![\w.,/#-])"
    r"(?P<number>\d{1,3}(?:[., ']\d{3})+(?:[.,]\d{1,4})?(?![.,]?\d)|\d+(?:[.,]\d{1,4})?)"
    rf"(?P<dash>[.,]-{{1,2}})?(?!/\d|[.,]?\d|-\w)(?P<after>\s?{_MONEY}(?![a-z]))?"
)
# Right after a number: it counts or dates something.
_COUNTED = re.compile(
    r"\s?(?:%|percent|per ?cent|prozent|pour ?cent|por ciento|x\b|pcs|pieces?|units?|boxes|pallets?|items?|"
    r"met(?:re|er)s?|kg|mm|cm|m\b|"
    r"tons?|days?|weeks?|months?|years?|hours?|working|stuck|tagen?|wochen?|jours?|semaines?|dias?|semanas?|unidades|"
    r"(?:st|nd|rd|th|am|pm|uhr)\b|deliver|shipments?|invoices?|bills?|loads?|lots?|trucks?|copies|times|of (?:them|"
    r"those|the)\b|"
    r"(?:de )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|okt|nov|dec|dez|mai|fev|avr|jui|aou|ene|abr|ago|"
    r"dic)[a-z]*\b)"
)
# Right before a number: it is a limit.
_LIMIT = re.compile(
    r"\b(?:below|under|above|over|less than|more than|up to|at least|exceed\w*|unter|uber|ab|bis zu|moins de|"
    r"plus de|menos de|mas de|"
    r"inferior\w* a|superior\w* a|inferieur\w* a|superieur\w* a)\s+(?:the\s)?$"
)
# Right before a number: the writer says that this is not the price.
_REFUSED = re.compile(
    r"(?:(?:\bnot|n't|\bnever|\bnicht|\bpas|\bno) (?:accept|pay|agree (?:to|on)|approve|akzeptier\w*|bezahlen|"
    r"accepter|acepto)|\bnot|\binstead of|rather than|never|from|previously|formerly|nicht|statt|pas|au lieu de|"
    r"en vez de|"
    r"en lugar de|no)\s+"
    r"(?:at\s|the\s|for\s|zu\s|von\s|de\s|a\s|los\s|les\s|die\s)?$"
)
# A bare whole number is a price only where the words say so.
_CALLED_PRICE = re.compile(
    r"\b(?:agreed(?: on| at| to| upon)?|settled (?:on|at|for)|price(?: of| is| was| at|:)?|deal was|"
    r"vereinbart(?: waren| sind)?|"
    r"preis (?:von|ist|war)|convenu(?: de| a)?|prix (?:de|est)|acordamos|pactamos|precio (?:de|es|era)|"
    r"we (?:now )?bill|yes,?)\s+$"
)
_EACH = re.compile(
    r"\s?(?:each|apiece|a piece|per\b|/|pro\b|je\b|la piece|l'unite|cada|por unidad|le metre|the piece|ea\b|"
    r"das stuck)"
)
_MEANT = re.compile(
    r"\b(?:agree\w*|settled|accept\w*|confirm\w*|negotiated|deal|correct|right|contract|should be|ought to be|"
    r"approved|ok'?d|okayed|"
    r"vereinbart\w*|abgesprochen|zugestimmt|abgestimmt|richtig|korrekt|convenu\w*|accord\w*|acord\w*|pact\w*|"
    r"correct[oa]|now|jetzt|"
    r"desormais|ahora|invoiced|bill(?:ed)?|charged?|ask for|price\w*|rate|preis\w*|prix|precio)\b"
)


def two_decimals(text: str) -> str | None:
    """`10`, `10.4` or `10.40` as "10.40"; anything else is None."""
    stripped = text.strip()
    return f"{Decimal(stripped):.2f}" if re.fullmatch(r"\d{1,12}(?:\.\d{1,2})?", stripped) else None


def stated_price(found: Iterable[Sentence]) -> tuple[str | None, bool]:
    """The price the writer stands by, and whether several stood there with nothing to choose between them."""
    weighed = [each for sentence in found if not sentence.question for each in _weighed(sentence.folded)]
    best = max((weight for weight, _ in weighed), default=0)
    values = {value for weight, value in weighed if weight == best}
    return (values.pop(), False) if len(values) == 1 else (None, len(values) > 1)


def _weighed(folded: str) -> Iterable[tuple[int, str]]:
    for match in _NUMBER.finditer(folded):
        before, after = folded[max(0, match.start() - _NEAR) : match.start()], folded[match.end() : match.end() + _NEAR]
        value = _amount(match.group("number"))
        money = bool(match.group("before") or match.group("after") or match.group("dash"))
        each = bool(_EACH.match(after))
        if value is None or _LIMIT.search(before) or _REFUSED.search(before) or (not money and _COUNTED.match(after)):
            continue
        broken = bool(re.search(r"[.,]\d{1,4}$", match.group("number")))
        if not (money or broken or each or _CALLED_PRICE.search(before)):
            continue
        yield 1 + money + 2 * each + 2 * bool(_MEANT.search(before[-45:]) or _MEANT.search(after[:25])), value


def _amount(number: str) -> str | None:
    """The value with two decimals; None where the writing leaves two readings ("1.250" is 1250 or 1.25)."""
    bare = re.sub(r"[ ']", "", number)
    marks = re.findall(r"[.,]", bare)
    if not marks:
        return two_decimals(bare)
    whole, _, cents = bare.rpartition(marks[-1])
    grouped = bare != number or len(set(marks)) == 2
    if len(cents) == 3 and not grouped:
        return two_decimals(re.sub(r"[.,]", "", bare)) if len(marks) > 1 else None
    if len(cents) == 4 and cents.endswith("00"):
        cents = cents[:2]
    return two_decimals(f"{re.sub(r'[.,]', '', whole)}.{cents}")
