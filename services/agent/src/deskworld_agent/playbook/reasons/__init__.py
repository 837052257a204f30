"""How each reason is worked. A reason that is not named here is a person's."""

from collections.abc import Callable, Mapping

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.moves import Move
from deskworld_agent.playbook.reasons.bank import bank_changed
from deskworld_agent.playbook.reasons.charge import unplanned_charge
from deskworld_agent.playbook.reasons.document import currency_mismatch, document_arithmetic, uom_mismatch
from deskworld_agent.playbook.reasons.duplicate import duplicate, possible_duplicate
from deskworld_agent.playbook.reasons.missing_order import no_order
from deskworld_agent.playbook.reasons.price import price_variance
from deskworld_agent.playbook.reasons.receipt import goods_missing
from deskworld_agent.playbook.reasons.substitution import item_substituted

REASONS: Mapping[str, Callable[[CaseFile], Move]] = {
    "PRICE_VARIANCE": price_variance,
    "QTY_OVER_RECEIPT": goods_missing,
    "NO_RECEIPT": goods_missing,
    "DUPLICATE": duplicate,
    "POSSIBLE_DUPLICATE": possible_duplicate,
    "NO_PO": no_order,
    "UNPLANNED_CHARGE": unplanned_charge,
    "VENDOR_BANK_CHANGED": bank_changed,
    "ITEM_SUBSTITUTED": item_substituted,
    "CURRENCY_MISMATCH": currency_mismatch,
    "UOM_MISMATCH": uom_mismatch,
    "DOCUMENT_ARITHMETIC": document_arithmetic,
}
