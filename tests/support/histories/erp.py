"""The ERP's side of one case: the invoice in question, the chained audit, the commands and the outbox."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.histories.situation import invoice_in_question
from tests.support.histories.timeline import START

from deskworld.values.case import Case, SeededRecord
from deskworld.values.chain import GENESIS, hash_of

STATUS = {
    "approve-variance": "APPROVED",
    "short-pay": "APPROVED",
    "reject": "REJECTED",
    "hold": "ON_HOLD",
    "request-credit-memo": "ON_HOLD",
}


class Erp:
    def __init__(self, case: Case, records: Mapping[str, SeededRecord], case_id: str, new: Callable[[], str]) -> None:
        self.vendor = records["vendor"]
        self.invoice = invoice_in_question(case, records["invoice"], case_id)
        self.audit: list[dict[str, Any]] = []
        self.commands: list[dict[str, Any]] = []
        self.outbox: list[dict[str, Any]] = []
        self._case_id = case_id
        self._new = new
        for ref, record in records.items():
            self._audited("stage", None, record.kind, record.id, "post", None, {"ref": ref})

    def carries_out(self, decision_id: str, user: dict[str, str], action: str, amount: str | None) -> dict[str, Any]:
        """Document, audit and command; what the ERP answers to the desk."""
        exception = self.invoice["exceptions"][0]
        holding = STATUS[action] == "ON_HOLD"
        if holding:
            exception["holds"] = [self._hold(action, user["username"])]
        else:
            exception["status"] = "RESOLVED"
        self.invoice |= {
            "version": self.invoice["version"] + 1,
            "status": STATUS[action],
            "approved_amount": amount,
        }
        detail = {
            "key": decision_id,
            "status": STATUS[action],
            "version": self.invoice["version"],
            "amount": amount,
            "settled": [] if holding else [self._case_id],
            "hold_id": exception["holds"][0]["id"] if holding else None,
        }
        self._audited("harness", user, "invoice", self.invoice["id"], action, decision_id, detail)
        command = {"key": decision_id, "action": action, "invoice_id": self.invoice["id"], "outcome": "applied"}
        self.commands.append({**command, "code": None, "by": {**user, "client": "harness"}})
        return {name: detail[name] for name in ("amount", "status", "version", "key")}

    def publishes(self, type_: str, cause: dict[str, Any]) -> str:
        """The event's id."""
        event_id = self._new()
        about = {"type": f"deskworld.erp.{type_}", "subject": self._case_id, "data": {"cause": cause}}
        self.outbox.append({"id": event_id, **about})
        return event_id

    def shows(self, *earlier: dict[str, Any]) -> dict[str, Any]:
        """The witness that a run collects; `earlier` are the vendor's invoices before the one in question."""
        return {
            "vendor": {"id": self.vendor.id, "ids": list(self.vendor.forms)},
            "orders": [],
            "receipts": [],
            "invoices": [self.invoice, *earlier],
            "commands": self.commands,
            "audit": self.audit,
            "outbox": self.outbox,
            "chain": {"ok": True, "broken": None},
        }

    def _hold(self, action: str, username: str) -> dict[str, Any]:
        why = "credit memo" if action == "request-credit-memo" else "hold"
        placed = {"id": self._new(), "why": why, "by": username, "since": START.isoformat()}
        return {**placed, "until": None, "released_at": None}

    def _audited(
        self,
        client: str,
        user: dict[str, str] | None,
        kind: str,
        entity_id: str,
        action: str,
        decision_id: str | None,
        detail: dict[str, Any],
    ) -> None:
        row = {
            "seq": len(self.audit) + 1,
            "at": START.isoformat(),
            "entity": {"kind": kind, "id": entity_id},
            "vendor_id": self.vendor.id,
            "action": action,
            "client": client,
            "user": user,
            "decision_id": decision_id,
            "detail": detail,
            "prev_hash": self.audit[-1]["hash"] if self.audit else GENESIS,
        }
        row["hash"] = hash_of(row)
        self.audit.append(row)
