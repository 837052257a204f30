"""What a case starts from, as the ERP would hold it once it was seeded."""

from collections.abc import Callable, Mapping
from typing import Any

from deskworld.values.case import Case, SeededRecord


def records_of(case: Case, new: Callable[[], str]) -> dict[str, SeededRecord]:
    """Every record of the situation, by its ref."""
    made = {"vendor": SeededRecord(kind="vendor", id=case.subject_id, forms=(case.subject_id,))}
    named = {"orders": "order", "receipts": "receipt", "bank_changes": "bank-change", "invoices": "invoice"}
    for part, kind in named.items():
        for one in case.situation[part]:
            number, id_ = one.get("number"), new()
            forms = (id_, number) if number else (id_,)
            made[one["ref"]] = SeededRecord(kind=kind, id=id_, number=number, forms=forms)
    change = made.get("bank-change")
    if change is not None:
        vendor = made["vendor"]
        made["vendor"] = vendor.model_copy(update={"forms": (*vendor.forms, *change.forms)})
    return made


def raised(case: Case, case_id: str, invoice_id: str) -> dict[str, Any]:
    """The match exception that opens the case."""
    about = {"reason": case.follow, "invoice": "invoice", "invoice_id": invoice_id}
    return {"id": case_id, "amount": "40.00", "currency": "USD", **about}


def invoice_in_question(case: Case, record: SeededRecord, case_id: str) -> dict[str, Any]:
    sent = case.situation["invoices"][-1]
    exception = {"id": case_id, "invoice_id": record.id, "reason": case.follow, "status": "OPEN"}
    return {
        "id": record.id,
        "number": record.number,
        "vendor_id": case.subject_id,
        **{name: sent[name] for name in ("po_reference", "date", "currency", "tax", "freight", "lines")},
        "matched_po": None,
        "stated_total": case.words["total"],
        "computed_total": case.words["total"],
        "status": "EXCEPTION",
        "version": 1,
        "approved_amount": None,
        "credits": "0.00",
        "exceptions": [{**exception, "masked": [], "holds": []}],
        "ids": list(record.forms),
    }


def earlier_invoices(case: Case, records: Mapping[str, SeededRecord]) -> list[dict[str, Any]]:
    """Invoices of the situation that came before the one in question."""
    return [
        {**sent, "id": records[sent["ref"]].id, "vendor_id": case.subject_id, "status": "APPROVED"}
        | {"computed_total": case.words["total"]}
        for sent in case.situation["invoices"][:-1]
    ]
