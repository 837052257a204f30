"""What the ERP's doors say of themselves beside their routes: codes of refusals, their words, examples of fields."""

from collections.abc import Mapping

REFUSALS: Mapping[int, tuple[str, ...]] = {
    409: ("STALE_VERSION", "ALREADY_EXISTS"),
    422: (
        "INVALID_TRANSITION",
        "BANK_CHANGE_UNVERIFIED",
        "DUPLICATE_OPEN",
        "EXCEPTION_OPEN",
        "INVALID_AMOUNT",
        "ALREADY_HELD",
        "IDEMPOTENCY_KEY_REUSED",
        "VERIFICATION_REFUSED",
    ),
}
DETAILS = {
    "INVALID_REQUEST": "amount: at most 2 decimal places (was '10.005')",
    "NOT_AUTHORISED": "grace.hall may not approve more than 10000.00 USD.",
    "STALE_VERSION": "The invoice is at version 3.",
    "ALREADY_EXISTS": "The order's number is in use.",
    "INVALID_TRANSITION": "approve-variance is not possible from APPROVED.",
    "BANK_CHANGE_UNVERIFIED": "The vendor has a bank change that nobody verified yet.",
    "DUPLICATE_OPEN": "An open DUPLICATE bars what pays.",
    "EXCEPTION_OPEN": "settles must name every open exception.",
    "INVALID_AMOUNT": "The amount is above what may be paid.",
    "ALREADY_HELD": "The exception is held already.",
    "IDEMPOTENCY_KEY_REUSED": "Another request was sent under this key.",
    "VERIFICATION_REFUSED": "The phone is not the contact's number on record.",
}
VALUES = {
    "number": "RE-2026/0042",
    "po_reference": "PO-1001",
    "matched_po": "PO-1001",
    "po_number": "PO-1001",
    "against_po": "PO-1001",
    "order": "order",
    "ref": "invoice",
    "item": "BOLT-M8",
    "description": "Bolt M8, zinc",
    "name": "Muster AG",
    "terms": "net 30",
    "phone": "+41 44 000 00 00",
    "mail": "ap@muster.vendors.deskworld.example",
    "account": "CH9300762011623852957",
    "routing": "00762",
    "buyer": "anna.keller",
    "by": "emma.lind",
    "username": "emma.lind",
    "proposed_by": "emma.lind",
    "requested_from": "ap@muster.vendors.deskworld.example",
    "comment": "agreed with the buyer",
    "category": "S",
    "scheme": "0088",
    "url": "https://receiver.example/hooks/erp",
    "summary": "billed 10.40, ordered at 10.00",
}
