"""What a phrase can do in a letter about an invoice."""

from enum import Enum, auto


class Cue(Enum):
    """Each is looked for in one sentence; the lexicon weighs them together."""

    NOT = auto()
    HARMLESS_NOT = auto()  # a negation that denies nothing ("no objection")
    OUT_OF_STOCK = auto()
    DISCONTINUED = auto()
    UPGRADE = auto()
    OTHER_REASON = auto()
    CREDIT_MEMO = auto()
    CORRECTED_INVOICE = auto()
    REFUND = auto()
