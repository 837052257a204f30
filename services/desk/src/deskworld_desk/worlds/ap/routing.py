"""The document that `ap.routing` is asked with. Pure. Unknown is the string `"unknown"`, never absent or null."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from deskworld_desk.world import CaseNow, Json
from deskworld_desk.worlds.ap.records import Invoice, Order, Vendor
from deskworld_kit.money import fmt_money

UNKNOWN = "unknown"
NONE = "none"
Proposer = Literal["rules", "agent", "person"]


@dataclass(frozen=True, slots=True)
class Proposed:
    action: str
    amount: Decimal | None
    settles: tuple[str, ...]
    against: str | None
    citations: tuple[str, ...]
    ungrounded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What was read; None where it could not be. `against` is the order named, if it is one of this vendor's."""

    invoice: Invoice | None = None
    order: Order | None = None
    vendor: Vendor | None = None
    against: Order | None = None


def proposal_input(
    case: CaseNow, proposer: Proposer, proposed: Proposed, known: Known, *, asked_this_turn: bool
) -> Json:
    facts = _facts(case, known, asked_this_turn=asked_this_turn)
    facts["ungrounded"] = list(proposed.ungrounded)
    facts["cites_bank"] = cites_bank(known.vendor, proposed.citations)
    return {
        "case": {"id": case.id, "reason": case.reason, "proposer": proposer},
        "tool": "propose_resolution",
        "proposal": {
            "action": proposed.action,
            "amount": NONE if proposed.amount is None else fmt_money(proposed.amount),
            "currency": case.currency if known.invoice is None else known.invoice.currency,
            "settles": list(proposed.settles),
            "against_po": proposed.against or NONE,
            "citations": list(proposed.citations),
        },
        "facts": facts,
    }


def tool_input(case: CaseNow, proposer: Proposer, tool: str, known: Known, *, asked_this_turn: bool) -> Json:
    return {
        "case": {"id": case.id, "reason": case.reason, "proposer": proposer},
        "tool": tool,
        "proposal": NONE,
        "facts": _facts(case, known, asked_this_turn=asked_this_turn),
    }


def bank(vendor: Vendor | None) -> str:
    if vendor is None:
        return UNKNOWN
    return "unverified" if vendor.pending else "known"


def cites_bank(vendor: Vendor | None, citations: Iterable[str]) -> bool | str:
    """Whether the vendor, or the change of its bank account, is among the evidence."""
    if vendor is None:
        return UNKNOWN
    changes = {account.change.id for account in vendor.pending if account.change is not None}
    accounts = {account.id for account in vendor.pending}
    return bool({vendor.id, *vendor.ids, *changes, *accounts} & set(citations))


def _facts(case: CaseNow, known: Known, *, asked_this_turn: bool) -> dict[str, Any]:
    order = known.against or known.order
    return {
        "invoice": UNKNOWN if known.invoice is None else _invoice(known.invoice),
        "against": NONE
        if known.against is None
        else {"po": known.against.number, "payable": fmt_money(known.against.payable)},
        "issue": _issue(case, known.invoice),
        "buyer": UNKNOWN if order is None else order.buyer,
        "bank": bank(known.vendor),
        "cites_bank": UNKNOWN,
        "ungrounded": UNKNOWN,
        "asked_this_turn": asked_this_turn,
        "mail": {"instructions": case.instructions_seen, "reader_failed": case.reader_failed},
        "credit": case.memory.get("credit", NONE),
    }


def _invoice(invoice: Invoice) -> Json:
    return {
        "status": invoice.status,
        "total": fmt_money(invoice.computed_total),
        "version": invoice.version,
        "open": [{"id": one.id, "reason": one.reason, "held": one.held} for one in invoice.open],
        "masked": [{"id": finding.id, "reason": finding.reason} for one in invoice.open for finding in one.masked],
        "payable": fmt_money(invoice.payable),
    }


def _issue(case: CaseNow, invoice: Invoice | None) -> str:
    if invoice is None:
        return UNKNOWN
    own = [one for one in invoice.open if one.id == case.id]
    return fmt_money(own[0].amount) if len(own) == 1 else UNKNOWN
