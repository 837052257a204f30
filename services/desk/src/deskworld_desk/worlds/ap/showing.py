"""What an agent may see of the ERP's documents. Text that a vendor wrote never passes: it could give orders."""

import re
from collections.abc import Iterable
from typing import Any

from deskworld_desk.world import HandleBook, Json
from deskworld_desk.worlds.ap.labels import summary

WITHHELD = "withheld"
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_#-]{0,31}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100}", re.ASCII)
_TERMS = re.compile(r"[A-Za-z0-9 /,.%-]{0,40}", re.ASCII)


def reference(text: str | None) -> str | None:
    """A reference that looks like one; anything else is withheld."""
    if text is None:
        return None
    return text if _REFERENCE.fullmatch(text) else WITHHELD


def forms(ids: Iterable[str], handle: str) -> list[str]:
    """The forms of a record that may be shown, and its handle."""
    return [*dict.fromkeys(one for one in ids if _UUID.fullmatch(one) or _REFERENCE.fullmatch(one)), handle]


def show_invoice(invoice: Json, book: HandleBook) -> Json:
    handle = book.name("invoice", invoice["id"])
    return {
        **_only(invoice, "id", "vendor_id", "date", "currency", "tax", "freight", "stated_total", "computed_total"),
        **_only(invoice, "status", "version", "approved_amount", "credits", "payable", "sequence", "received_at"),
        "handle": handle,
        "number": reference(invoice["number"]),
        "po_reference": reference(invoice["po_reference"]),
        "matched_po": reference(invoice["matched_po"]),
        "lines": [_billed(line) for line in invoice["lines"]],
        "exceptions": [_exception(one, book) for one in invoice["exceptions"]],
        "ids": forms(invoice["ids"], handle),
    }


def show_similar(item: Json, book: HandleBook) -> Json:
    invoice = item["invoice"]
    handle = book.name("invoice", invoice["id"])
    shown = {
        **_only(invoice, "id", "date", "total", "currency", "status"),
        "handle": handle,
        "number": reference(invoice["number"]),
        "po_reference": reference(invoice["po_reference"]),
        "ids": forms(invoice["ids"], handle),
    }
    return {"invoice": shown, "why": item["why"]}


def show_order(order: Json, book: HandleBook) -> Json:
    handle = book.name("order", order["id"])
    return {
        **_only(order, "id", "vendor_id", "buyer", "currency", "revision", "payable"),
        "handle": handle,
        "number": reference(order["number"]),
        "lines": [
            {
                **_only(line, "no", "unit", "quantity", "price", "accepted", "billed"),
                **_where_there(line, "base_quantity"),
                "item": reference(line["item"]),
                "description": WITHHELD,
            }
            for line in order["lines"]
        ],
        "ids": forms(order["ids"], handle),
    }


def show_receipt(receipt: Json, book: HandleBook) -> Json:
    handle = book.name("receipt", receipt["id"])
    return {
        **_only(receipt, "id", "date", "lines", "reverses"),
        "handle": handle,
        "po_number": reference(receipt["po_number"]),
        "ids": forms(receipt["ids"], handle),
    }


def show_vendor(vendor: Json, book: HandleBook) -> Json:
    handle = book.name("vendor", vendor["id"])
    terms = str(vendor["terms"])
    return {
        **_only(vendor, "id", "name"),
        "handle": handle,
        "terms": terms if _TERMS.fullmatch(terms) else WITHHELD,
        "contacts": [
            {**_only(contact, "name", "phone", "trusted_since"), "mail": _address(contact["mail"])}
            for contact in vendor["contacts"]
        ],
        "bank_accounts": [_account(account) for account in vendor["bank_accounts"]],
        "ids": forms(vendor["ids"], handle),
    }


def _billed(line: Json) -> Json:
    return {
        **_only(line, "no", "po_line", "unit", "quantity", "price", "net"),
        **_where_there(line, "base_quantity", "adjustment"),
        "item": reference(line["item"]),
        "description": WITHHELD,
    }


def _exception(one: Json, book: HandleBook) -> Json:
    return {
        **_only(one, "id", "reason", "lines", "amount", "currency", "status"),
        "handle": book.name("exception", one["id"]),
        "summary": summary(one["reason"]),
        "masked": [
            {**_only(finding, "id", "reason", "lines", "amount"), "summary": summary(finding["reason"])}
            for finding in one["masked"]
        ],
        "holds": [_only(hold, "id", "since", "until", "released_at") for hold in one["holds"]],
    }


def _account(account: Json) -> Json:
    change = account["change"]
    shown = None
    if change is not None:
        asked = {"requested_from": _address(change["requested_from"])}
        shown = {**_only(change, "id", "proposed_by", "proposed_at", "status"), **asked}
    return {
        **_only(account, "id", "status"),
        "account": mask(account["account"]),
        "routing": mask(account["routing"]),
        "change": shown,
    }


def mask(number: str) -> str:
    """`****4321`: enough to tell two accounts apart."""
    letters = "".join(character for character in str(number) if character.isalnum() and character.isascii())
    return f"****{letters[-4:]}" if len(letters) > 6 else "****"


def _address(text: str) -> str:
    return text if _ADDRESS.fullmatch(text) else WITHHELD


def _only(document: Json, *names: str) -> dict[str, Any]:
    return {name: document[name] for name in names}


def _where_there(document: Json, *names: str) -> dict[str, Any]:
    return {name: document[name] for name in names if name in document}
