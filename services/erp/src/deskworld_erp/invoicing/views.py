"""Invoices and exceptions as the doors show them."""

from collections.abc import Mapping
from typing import Any

from deskworld_erp.fields import moment_text, money_text


def invoice_view(row: Any) -> dict[str, Any]:
    shown = [exception_view({"invoice_id": row.id} | one) for one in row.exceptions]
    return {
        "id": row.id,
        "number": row.number,
        "vendor_id": row.vendor_id,
        "po_reference": row.po_reference,
        "matched_po": row.matched_po,
        "date": row.date.isoformat(),
        "currency": row.currency,
        "lines": row.lines,
        "tax": money_text(row.tax),
        "freight": money_text(row.freight),
        "allowance": money_text(row.allowance),
        "rounding": money_text(row.rounding),
        "prepaid": money_text(row.prepaid),
        "sums": row.sums,
        "taxes": row.taxes,
        "stated_total": money_text(row.stated_total),
        "computed_total": money_text(row.computed_total),
        "status": row.status,
        "version": row.version,
        "approved_amount": None if row.approved_amount is None else money_text(row.approved_amount),
        "credits": money_text(row.credits),
        "credited": row.credited,
        "payable": money_text(row.payable),
        "notes": row.notes,
        "sequence": row.sequence,
        "received_at": moment_text(row.received_at),
        "exceptions": shown,
        "ids": [row.id, row.number],
    }


def exception_view(one: Mapping[str, Any]) -> dict[str, Any]:
    amount = one["amount"]
    return {
        "id": one["id"],
        "invoice_id": one["invoice_id"],
        "reason": one["reason"],
        "summary": one["summary"],
        "lines": one["lines"],
        "amount": amount if isinstance(amount, str) else money_text(amount),
        "currency": one["currency"],
        "status": one["status"],
        "masked": one["masked"],
        "holds": one["holds"],
    }
