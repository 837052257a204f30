"""What a phrase can do in a letter about an invoice."""

from enum import Enum, auto


class Cue(Enum):
    """Each is looked for in one sentence; the lexicon weighs them together."""

    AGREED = auto()  # two parties settled something
    CONSENTED = auto()  # one party said yes; to a price only if a price word stands by
    PRICE = auto()
    CONTENT = auto()  # a short yes to what was asked
    NOT = auto()
    HARMLESS_NOT = auto()  # a negation that denies nothing ("no objection")
    SUPPOSED = auto()  # if, could, would: no statement
    KNOWS_NOTHING = auto()
    WRONG = auto()
    TWICE = auto()
    SLIP = auto()  # by mistake, sorry, disregard
    ONLY_ONE = auto()
    ARRIVED = auto()
    ORDER_NUMBER = auto()
    ORDERED = auto()
    BY_WORD = auto()  # by phone, verbally
    COMING = auto()  # on its way, will be delivered
    MOVES = auto()  # ships, leaves, arrives
    REMAINDER = auto()
    SOON = auto()  # next week, on Friday
    GOODS = auto()
    COST = auto()
    ROSE = auto()
    CHARGE = auto()
    CUSTOMARY = auto()  # always, separately, as per terms
    BECAUSE = auto()
    TWO_LOTS = auto()
    SUBSTITUTED = auto()
    OUT_OF_STOCK = auto()
    DISCONTINUED = auto()
    UPGRADE = auto()
    OTHER_REASON = auto()
    ASKS = auto()
    ATTACHED = auto()
    LATER = auto()  # will get back to you
    VAGUE = auto()
    PROMOTION = auto()
    REMINDER = auto()
    NOTICE = auto()  # holidays, moved, greetings
    PAPER = auto()  # invoice, credit note, answer: what is sent is no goods
    CREDIT_MEMO = auto()
    CORRECTED_INVOICE = auto()
    REFUND = auto()
