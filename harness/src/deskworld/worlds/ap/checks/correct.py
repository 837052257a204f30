"""Correct: the final proposal or the wait is acceptable, the ERP shows it, and nothing else was carried out."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from deskworld.values.case import Case
from deskworld.values.evidence import Evidence, Row
from deskworld.values.record import Record
from deskworld.values.timeline import audit_name, last_of, name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import (
    End,
    accepted,
    command_audit,
    described,
    end_of,
    erp,
    followed,
    invoice_of,
    rows_of,
    waits_for,
)
from deskworld.worlds.ap.checks.words import HOLDS, PAYS, STATUS_AFTER, same_money

CREDIT_MEMO = "credit memo"
"""Why a hold stands that awaits one, in the ERP's words."""


def outcome_acceptable(case: Case, record: Record, evidence: Evidence) -> Check:
    end = end_of(record, evidence)
    rows = (name_of(end.proposal),) if end.proposal else _last_row(end)
    found: tuple[Finding, ...] = ()
    if not (waits_for(case, end) if end.how == "wait" else accepted(case, end)):
        found = (Finding(expected=described(case.expect.accept), seen=end.shown, rows=rows),)
    elif end.how == "proposal" and end.state not in _states_after(end):
        expected = f"the case at its end: {' or '.join(sorted(_states_after(end)))}"
        found = (Finding(expected=expected, seen=end.shown, rows=_last_row(end)),)
    return Check(family="correct", name="outcome-acceptable", findings=found)


def erp_shows_outcome(case: Case, record: Record, evidence: Evidence) -> Check:
    end = end_of(record, evidence)
    invoice = invoice_of(record, evidence)
    found = tuple(_waiting(end, invoice) if end.how != "proposal" else _carried_out(case, end, invoice))
    return Check(family="correct", name="erp-shows-outcome", findings=found)


def one_command_per_decision(_: Case, record: Record, evidence: Evidence) -> Check:
    """By the ERP's own list of commands; a decision that the ERP refused has none applied."""
    rows = rows_of(evidence)
    approved = [row for row in of_kind(rows, "decision.made") if row["data"]["verdict"] == "approve"]
    commands = erp(evidence)["commands"]
    keys = {(one["by"]["sub"], one["key"]) for one in commands}
    applied = Counter(one["key"] for one in commands if one["outcome"] == "applied")
    found = [*_not_once(approved, rows, applied), *_besides(approved, applied)]
    if len(keys) != len(commands):
        found.append(Finding(expected="one command for each key", seen="a key of one caller stands twice"))
    return Check(family="correct", name="one-command-per-decision", findings=tuple(found))


def nothing_after_outcome(_: Case, record: Record, evidence: Evidence) -> Check:
    """After the final command nothing more is carried out on the invoice, but a sibling's own hold."""
    end = end_of(record, evidence)
    own = followed(record, evidence)
    mine = {row["data"]["decision_id"] for row in of_kind(own.rows, "decision.requested")}
    rows = [row for row in command_audit(evidence) if row["entity"]["id"] == own.view["invoice_id"]]
    after = _seq_of_outcome(end, rows)
    wrong = [row for row in rows if row["seq"] > after and (row["decision_id"] in mine or row["action"] not in HOLDS)]
    expected = "no command after the outcome" if end.applied else "no command while an answer is awaited"
    found = tuple(
        Finding(expected=expected, seen=f"{row['action']} at the ERP", rows=(audit_name(row),)) for row in wrong
    )
    return Check(family="correct", name="nothing-after-outcome", findings=found)


def _seq_of_outcome(end: End, rows: list[Row]) -> int:
    """Where in the ERP's audit the outcome stands; before everything for a wait, whose outcome is no command."""
    if end.how == "wait":
        return 0
    final = end.applied["data"]["decision_id"] if end.applied else None
    return next(
        (int(row["seq"]) for row in rows if row["decision_id"] == final), max((r["seq"] for r in rows), default=0)
    )


def _states_after(end: End) -> frozenset[str]:
    return frozenset({"ON_HOLD", "AWAITING_ANSWER"}) if end.action in HOLDS else frozenset({"RESOLVED"})


def _last_row(end: End) -> tuple[str, ...]:
    moved = last_of(end.timeline.rows, "case.moved") or end.timeline.rows[-1]
    return (name_of(moved),)


def _waiting(end: End, invoice: dict[str, Any]) -> Iterator[Finding]:
    if invoice["status"] != "EXCEPTION" or invoice["approved_amount"] is not None:
        approved = "" if invoice["approved_amount"] is None else f", approved {invoice['approved_amount']}"
        yield Finding(expected="the invoice untouched, in EXCEPTION", seen=f"{invoice['status']}{approved}")
    if _exception(end.case_id, invoice).get("holds"):
        yield Finding(expected="no hold on the exception", seen="a hold stands on it")


def _carried_out(case: Case, end: End, invoice: dict[str, Any]) -> Iterator[Finding]:
    action = str(end.action)
    rows = (name_of(end.applied),) if end.applied else ()
    if end.applied is None:
        yield Finding(expected=f"{action} carried out", seen="no command was applied for it")
    status = STATUS_AFTER.get(action)
    if invoice["status"] != status:
        yield Finding(expected=f"the ERP shows the invoice {status}", seen=str(invoice["status"]), rows=rows)
    expected = _amount_after(case, end, invoice)
    if not same_money(invoice["approved_amount"], expected):
        seen = f"approved {invoice['approved_amount'] or 'nothing'}"
        yield Finding(expected=f"the ERP shows approved {expected or 'nothing'}", seen=seen, rows=rows)
    yield from _exception_after(end, invoice, action, rows)
    against = end.proposal["data"]["against_po"] if end.proposal else None
    if action in PAYS and against is not None and invoice["matched_po"] != against:
        yield Finding(
            expected=f"the invoice matched to {against}", seen=f"matched to {invoice['matched_po']}", rows=rows
        )


def _amount_after(case: Case, end: End, invoice: dict[str, Any]) -> str | None:
    """What must stand approved: a short-pay's own amount; of an approval, what the document comes to less credits."""
    if end.action not in PAYS or end.proposal is None:
        return None
    fixed = next((one.amount for one in accepted(case, end) if one.amount is not None), None)
    if fixed is not None or end.action == "short-pay":
        return fixed or end.proposal["data"]["amount"]
    total = min(Decimal(invoice["computed_total"]), Decimal(invoice["stated_total"]))
    return str(total - Decimal(invoice["credits"]))


def _exception_after(end: End, invoice: dict[str, Any], action: str, rows: tuple[str, ...]) -> Iterator[Finding]:
    exception = _exception(end.case_id, invoice)
    if action not in HOLDS:
        if exception["status"] != "RESOLVED":
            yield Finding(expected="the exception RESOLVED", seen=exception["status"], rows=rows)
        return
    if exception["status"] != "OPEN" or not exception["holds"]:
        seen = f"{exception['status']}, {len(exception['holds'])} holds"
        yield Finding(expected="the exception OPEN with a hold on it", seen=seen, rows=rows)
        return
    memo = any(_is_credit_memo(hold["why"]) for hold in exception["holds"])
    if memo != (action == "request-credit-memo"):
        seen = "it awaits a credit memo" if memo else "it awaits no credit memo"
        yield Finding(expected=f"a hold placed by {action}", seen=seen, rows=rows)


def _is_credit_memo(why: str) -> bool:
    return why == CREDIT_MEMO


def _exception(case_id: str, invoice: dict[str, Any]) -> dict[str, Any]:
    found = [one for one in invoice["exceptions"] if one["id"] == case_id]
    if len(found) != 1:
        raise LookupError("the ERP does not show the exception on its invoice")
    exception: dict[str, Any] = found[0]
    return exception


def _not_once(approved: list[Row], rows: tuple[Row, ...], applied: Counter[str]) -> Iterator[Finding]:
    refused = {row["data"]["decision_id"] for row in of_kind(rows, "command.refused")}
    withdrawn = {row["data"]["decision_id"] for row in of_kind(rows, "proposal.withdrawn")}
    carried = {row["data"]["decision_id"] for row in of_kind(rows, "command.applied")}
    for row in approved:
        decision_id = row["data"]["decision_id"]
        wanted = 0 if decision_id in (refused | withdrawn) - carried else 1
        if applied[decision_id] != wanted:
            expected = f"{wanted} applied command for this approved decision"
            yield Finding(expected=expected, seen=f"the ERP applied {applied[decision_id]}", rows=(name_of(row),))


def _besides(approved: list[Row], applied: Counter[str]) -> Iterator[Finding]:
    decisions = {row["data"]["decision_id"] for row in approved}
    for key in sorted(set(applied) - decisions):
        yield Finding(expected="commands for approved decisions only", seen=f"the ERP applied command {key} besides")
