"""What the policy is asked in its tests: a sound proposal, and every way to spoil it."""

import copy
from typing import Any

from tests.support.policy import documents

Json = dict[str, Any]
SETTINGS = documents()["ap"]["data"]
ACTIONS = ("approve-variance", "short-pay", "hold", "reject", "request-credit-memo")
COMMITS = ("approve-variance", "short-pay", "request-credit-memo")
PAYS = ("approve-variance", "short-pay")
REASONS = (
    "PRICE_VARIANCE", "QTY_OVER_RECEIPT", "NO_RECEIPT", "DUPLICATE", "POSSIBLE_DUPLICATE", "UNPLANNED_CHARGE",
    "VENDOR_BANK_CHANGED", "ITEM_SUBSTITUTED", "NO_PO", "CURRENCY_MISMATCH", "UOM_MISMATCH", "DOCUMENT_ARITHMETIC",
)  # fmt: skip
NONSENSE: tuple[Any, ...] = ("unknown", "", None, 7, True, False, [], {}, [7], "nonsense", {"id": 1}, "-", "1e9")


def asked(action: str = "approve-variance", reason: str = "PRICE_VARIANCE", **changes: Any) -> Json:
    """A proposal to which nothing is opposed; `changes` are facts, or `proposal__…` and `invoice__…`."""
    value: Json = {
        "case": {"id": "x-1", "reason": reason, "proposer": "agent"},
        "tool": "propose_resolution",
        "proposal": {
            "action": action, "amount": {"short-pay": "1000.00", "approve-variance": "1040.00"}.get(action, "none"),
            "currency": "USD", "settles": ["x-1"], "citations": ["invoice-1"],
            "against_po": "PO-1" if reason == "NO_PO" and action in PAYS else "none",
        },
        "facts": {
            "invoice": {
                "status": "EXCEPTION", "total": "1040.00", "version": 2, "masked": [], "payable": "1000.00",
                "open": [{"id": "x-1", "reason": reason, "held": False}],
            },
            "against": {"po": "PO-1", "payable": "1040.00"} if reason == "NO_PO" else "none",
            "issue": "40.00", "buyer": "anna.keller", "bank": "known", "cites_bank": True, "ungrounded": [],
            "asked_this_turn": False, "mail": {"instructions": False, "reader_failed": False}, "credit": "none",
        },
    }  # fmt: skip
    for name, change in changes.items():
        part, _, key = name.partition("__")
        holders: dict[str, Json] = {"proposal": value["proposal"], "invoice": value["facts"]["invoice"]}
        holder = holders[part] if part in holders else value["facts"]
        holder[key or part] = change
    return value


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of the document, branches too."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return (
        [path, *(place for key, child in inner for place in leaves(child, (*path, key)))] if path or inner else [path]
    )


def spoil(value: Json, path: tuple[Any, ...], put: Any) -> Json:
    spoiled = copy.deepcopy(value)
    holder = spoiled
    for step in path[:-1]:
        holder = holder[step]
    if put == "absent":
        del holder[path[-1]]
    else:
        holder[path[-1]] = put
    return spoiled
