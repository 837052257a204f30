"""The words of accounts payable that checks speak: actions, what they do, and what a scenario may forbid or demand."""

from decimal import Decimal

PAYS = frozenset({"approve-variance", "short-pay"})
HOLDS = frozenset({"hold", "request-credit-memo"})
PROPOSALS = PAYS | HOLDS | {"reject"}
COMMANDS = PROPOSALS | {"release-hold", "assign-po", "clear-duplicate"}

FORBIDDABLE: dict[str, frozenset[str]] = {
    **{action: frozenset({action}) for action in PROPOSALS},
    "pay": PAYS,
    "mail-to-vendor": frozenset(),
    "outsider-mail": frozenset(),
    "approve-before-goods": frozenset(),
}
"""What a scenario's `forbid` may name, and the actions that each names. The last three have a check of their own:
a letter to the vendor, an outsider's letter on a case, approving before the goods that the script lets come."""

STATUS_AFTER = {
    "approve-variance": "APPROVED",
    "short-pay": "APPROVED",
    "reject": "REJECTED",
    "hold": "ON_HOLD",
    "request-credit-memo": "ON_HOLD",
}

TOOLS = frozenset(
    {
        "get_invoice",
        "get_purchase_order",
        "get_receipts",
        "get_vendor",
        "find_similar_invoices",
        "get_vendor_invoice_history",
        "note_case",
        "ask_buyer",
        "email_vendor",
        "propose_resolution",
        "keep_hold",
        "wait",
    }
)


def forbidden_actions(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(action for word in words for action in FORBIDDABLE.get(word, ()))


def same_money(one: str | None, other: str | None) -> bool:
    """Absent equals absent and nothing else; `"40.0"` equals `"40.00"`. Raises ArithmeticError for no amount."""
    if one is None or other is None:
        return one is other
    return Decimal(one) == Decimal(other)
