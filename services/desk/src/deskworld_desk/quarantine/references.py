"""Order numbers and item codes in letters: which one the writer means, and which one they put aside."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deskworld_desk.quarantine.plain import Sentence, fold

# How far around a reference the words are looked at, in characters.
_NEAR = 80
_SHAPE = r"[a-z0-9](?:[a-z0-9./_#-]{0,30}[a-z0-9])?"
_ORDER_WORDS = (
    r"p\.?o\.?(?:[ -]?(?:no|nr|number|ref\w*|#))?|purchase order(?: (?:no|number|nr|ref\w*))?|order(?: (?:no|"
    r"number|nr|ref\w*))|"
    r"(?:your|our|the|this) order|"
    r"bestell(?:ung|nummer|nr|-nr)(?:s-?nummer)?|auftrag(?:s-?(?:nummer|nr))?|(?:bon|numero|n°|no|"
    r"ordre) de commande|commande(?: n°| no)?|"
    r"(?:numero|n°|no|orden) de (?:pedido|compra)(?: n°)?|pedido(?: n°| no| numero)?"
)
_LINK = (
    r"(?:\s*(?:[.:#=,]|\b(?:is|was|reads?|should read|ist|lautet|est|es|exact|correct[oa]?|correspondant|the|le|la|"
    r"el|nr|no|number|"
    r"to this invoice|for this invoice|for it|we have|we had|here)\b|n°))*[\s:#]*"
)
_NAMED = re.compile(rf"\b(?:{_ORDER_WORDS}){_LINK}(?P<token>(?=[a-z./_#-]*\d){_SHAPE})")
_PREFIXED = re.compile(r"(?<![\w/-])(?P<token>po[-_/#]?\d[a-z0-9./_#-]{0,28})")
_TRAILED = re.compile(
    r"(?<![\w-])(?P<token>\d{6,12})\s*\(?(?:is |as )?(?:the |your |our )?(?:purchase order|p\.?o\.?\b|order (?:no|"
    r"number))"
)
_PUT_ASIDE = re.compile(
    r"(?:\bnot|\binstead of|\brather than|\bquoted|\bby accident|\bwrongly|\bmistakenly|\bnicht|\bstatt|\bpas|"
    r"\bau lieu d[eu']|\bno|"
    r"\ben lugar de(?:l)?|\ben vez de(?:l)?|\bwithout|\bnever|\bdoes not exist|\bunknown)\s*"
    r"(?:(?:to|the|a|your|on|under|for|le|la|el|die|zu|zur|po|order|number|no\.?)\s)*$"
)
_CHOSEN = re.compile(
    r"\b(?:correct|right|richtig\w*|zutreffend\w*|should read|should have|use|exact\w*|matching|belongs?|gehort|"
    r"instead)\b"
)
_BOX = re.compile(r"\bp\.?o\.? ?box\b")

_CODE = re.compile(
    r"(?<![\w-])(?=[A-Z0-9./_-]*[A-Z])(?:(?=[A-Za-z0-9./_-]*\d)[A-Z0-9]+(?:[-./_][A-Z0-9]+)+|"
    r"[A-Z]+-[A-Z]+-[A-Z]+(?:-[A-Z]+)*)(?![\w-])"
)
_NO_ITEM = re.compile(r"(?:PO|INV|RE|CN|IBAN|ISO|DIN|EN|AP|TRK|1Z|GR|DN|REF|CA)[-./_ ]?\d", re.IGNORECASE)
_BEFORE_ORDERED = re.compile(
    r"(?:instead of|rather than|in place of|in exchange for|substitute for|replacement for|successor (?:of|to)|"
    r"alternative (?:to|for)|statt|anstelle von|"
    r"anstatt|au lieu de|a la place de|en lugar de(?:l)?|en vez de(?:l)?|replaced|replaces|replacing|remplace|"
    r"ersetzt|sustituido|"
    r"none left of|none of|no longer (?:make|produce|carry|stock|offer)s?|(?:could|can|did) ?n[o']t (?:get|obtain|"
    r"source|supply)|"
    r"shortage of|out of|ran out of|no)\s*"
    r"(?:the |a |any |item |article |model |artikel |modell |l'article |den |die |das |el |la |le |\w+ )?$"
)
_AFTER_ORDERED = re.compile(
    r"\s*(?:\w+ )?(?:had |has |have |was |were |is |are |isn't |wasn't |war |ist |wurde |wird |fue |estaba |etant |"
    r"est |etait )"
    r"(?:\w+ )?(?:been |not |no |nicht )?(?:sold|out|unavailable|not|available|discontinued|end of|no longer|"
    r"ausverkauft|nicht|vergriffen|"
    r"agotad|descatalogad|en rupture|epuise|obsolete|phased|nicht mehr|eingestellt)|\s*(?:was|were|has been|is|"
    r"had been|wurde|fue) (?:replaced|substituted|superseded|ersetzt|sustituid)|\s*failed\b|\s*(?:on the|"
    r"from the) order\b"
)
_AFTER_SHIPPED = re.compile(
    r"(?!.*\b(?=[a-z0-9./_-]*\d)[a-z0-9]+[-./_][a-z0-9])[^.;]{0,40}\b(?:instead|"
    r"was (?:delivered|shipped|supplied|sent)|went out|"
    r"as (?:an? |the )?(?:substitute|replacement|alternative)|in (?:its|their) (?:place|stead)|als ersatz|"
    r"geliefert|geschickt|gesendet|"
    r"a la place|en su lugar)\b(?! of)"
)
_BEFORE_SHIPPED = re.compile(
    r"\b(?:sent|ship(?:ped)?|suppl(?:ied|ying)|delivered|dispatched|used|got|received|put|provided|gave|to|with|by|"
    r"successor|machine|"
    r"model|product|erhielten|stattdessen|haben wir|livre|par|enviamos|por)\b[^.;]{0,40}$"
)


@dataclass(frozen=True, slots=True)
class Found:
    """`given` is None where nothing, or more than one thing, could be meant; `several` says that it was the latter."""

    given: str | None
    several: bool = False


def order_number(found: Iterable[Sentence]) -> Found:
    """The order number that the writer gives as the right one, as written."""
    chosen: dict[str, bool] = {}
    for sentence in found:
        if sentence.question or _BOX.search(sentence.folded):
            continue
        for token, start in _order_tokens(sentence.folded):
            before = sentence.folded[max(0, start - _NEAR) : start]
            if _PUT_ASIDE.search(before):
                continue
            marked = bool(_CHOSEN.search(before))
            chosen[token.upper()] = chosen.get(token.upper(), False) or marked
    marked_ones = [token for token, marked in chosen.items() if marked]
    left = marked_ones if len(marked_ones) == 1 else list(chosen)
    if len(left) == 1:
        return Found(left[0])
    return Found(None, several=len(left) > 1)


def shipped_item(found: Iterable[Sentence]) -> Found:
    """The code of the item that was sent, apart from the one that was ordered."""
    ordered: set[str] = set()
    shipped: dict[str, bool] = {}
    for sentence in found:
        for match in _CODE.finditer(sentence.text):
            code = match.group().rstrip("./_-")
            if _NO_ITEM.match(code) or sentence.question:
                continue
            before = fold(sentence.text[max(0, match.start() - _NEAR) : match.start()])
            after = fold(sentence.text[match.end() : match.end() + _NEAR])
            if _BEFORE_ORDERED.search(before) or (_AFTER_ORDERED.match(after) and not _AFTER_SHIPPED.match(after)):
                ordered.add(code)
            else:
                marked = bool(_BEFORE_SHIPPED.search(before) or _AFTER_SHIPPED.match(after))
                shipped[code] = shipped.get(code, False) or marked
    left = [code for code in shipped if code not in ordered]
    marked_ones = [code for code in left if shipped[code]]
    if len(marked_ones) == 1:
        return Found(marked_ones[0])
    return Found(left[0]) if len(left) == 1 and (ordered or marked_ones) else Found(None, several=len(left) > 1)


def _order_tokens(folded: str) -> list[tuple[str, int]]:
    tokens: dict[int, str] = {}
    for match in _PREFIXED.finditer(folded):
        tokens[match.start("token")] = match.group("token").rstrip("./_#-")
    for match in (*_NAMED.finditer(folded), *_TRAILED.finditer(folded)):
        start, token = match.start("token"), match.group("token")
        if len(token) >= 4 and not any(begin <= start < begin + len(other) for begin, other in tokens.items()):
            tokens[start] = token
    return [(token, start) for start, token in sorted(tokens.items())]
