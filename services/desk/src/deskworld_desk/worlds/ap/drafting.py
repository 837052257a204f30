"""From what is wanted and what was read to a proposal that the policy can be asked about."""

from decimal import Decimal

from deskworld_desk.world import CaseNow, Draft, Json
from deskworld_desk.worlds.ap.actions import PAYS, STATUS_AFTER
from deskworld_desk.worlds.ap.records import Invoice, Vendor
from deskworld_desk.worlds.ap.routing import Known, Proposed, Proposer, proposal_input
from deskworld_kit.money import fmt_money


def draft(
    case: CaseNow,
    proposer: Proposer,
    proposed: Proposed,
    known: Known,
    *,
    rationale: str,
    asked_this_turn: bool = False,
) -> Draft:
    return Draft(
        action=proposed.action,
        amount=None if proposed.amount is None else fmt_money(proposed.amount),
        currency=case.currency if known.invoice is None else known.invoice.currency,
        settles=proposed.settles,
        against=proposed.against,
        citations=proposed.citations,
        unread=proposed.ungrounded,
        rationale=rationale,
        version=case.version if known.invoice is None else known.invoice.version,
        routing_input=proposal_input(case, proposer, proposed, known, asked_this_turn=asked_this_turn),
        changes=_changes(proposed, known.invoice, known.vendor),
    )


def amount_of(action: str, asked: Decimal | None, invoice: Invoice | None) -> Decimal | None:
    """What the action would pay: of an approval always what stands to approve, of a short-pay what is asked."""
    if action == "approve-variance":
        return None if invoice is None else invoice.to_approve
    return asked if action == "short-pay" else None


def settled_by(action: str, named: tuple[str, ...] | None, case_id: str) -> tuple[str, ...]:
    """What pays settles at least the case's own exception."""
    if named is not None:
        return named
    return (case_id,) if action in PAYS else ()


def _changes(proposed: Proposed, invoice: Invoice | None, vendor: Vendor | None) -> Json:
    """What the decider is shown of the outcome."""
    if invoice is None:
        return {}
    named = {one.id: one.reason for one in invoice.open} | {
        finding.id: finding.reason for one in invoice.open for finding in one.masked
    }
    return {
        "invoice": {"id": invoice.id, "number": invoice.number},
        "vendor": None if vendor is None else {"id": vendor.id, "name": vendor.name},
        "status": {"from": invoice.status, "to": STATUS_AFTER.get(proposed.action)},
        "computed_total": fmt_money(invoice.computed_total),
        "payable": fmt_money(invoice.payable),
        "settles": [{"id": one, "reason": named.get(one)} for one in proposed.settles],
        "masked": [{"id": finding.id, "reason": finding.reason} for one in invoice.open for finding in one.masked],
    }
