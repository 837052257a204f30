"""Whether a command may be carried out: checks in a fixed order, each a small function, the first refusal stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from deskworld_erp.invoicing.rules.amounts import NOTHING
from deskworld_erp.invoicing.rules.authority import PAYS, Action, Grant, refusal
from deskworld_erp.invoicing.rules.payable import ceiling
from deskworld_erp.invoicing.rules.values import CHECKED_AGAIN, Reason, Status


class Code(StrEnum):
    INVALID_REQUEST = "INVALID_REQUEST"
    NOT_AUTHORISED = "NOT_AUTHORISED"
    NOT_FOUND = "NOT_FOUND"
    STALE_VERSION = "STALE_VERSION"
    INVALID_TRANSITION = "INVALID_TRANSITION"
    BANK_CHANGE_UNVERIFIED = "BANK_CHANGE_UNVERIFIED"
    DUPLICATE_OPEN = "DUPLICATE_OPEN"
    EXCEPTION_OPEN = "EXCEPTION_OPEN"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    ALREADY_HELD = "ALREADY_HELD"
    IDEMPOTENCY_KEY_REUSED = "IDEMPOTENCY_KEY_REUSED"
    VERIFICATION_REFUSED = "VERIFICATION_REFUSED"


@dataclass(frozen=True, slots=True)
class Refused:
    code: Code
    detail: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    action: Action
    expected_version: int
    settles: frozenset[str] = frozenset()
    exception_id: str | None = None
    hold_id: str | None = None
    amount: Decimal | None = None
    against_po: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenException:
    id: str
    reason: Reason
    hold_id: str | None
    masked: frozenset[str] = frozenset()
    held_by: str | None = None


@dataclass(frozen=True, slots=True)
class OrderStanding:
    """An order of the invoice's vendor and what could be paid against it now."""

    number: str
    buyer: str
    currency: str
    payable: Decimal


@dataclass(frozen=True, slots=True)
class Caller:
    """`grants` is None where authority is not enforced."""

    username: str
    is_person: bool
    grants: tuple[Grant, ...] | None


@dataclass(frozen=True, slots=True)
class InvoiceState:
    status: Status
    version: int
    currency: str
    computed_total: Decimal
    stated_total: Decimal
    credits: Decimal
    payable: Decimal
    matched: OrderStanding | None
    open: tuple[OpenException, ...]
    bank_change_unverified: bool
    asked: frozenset[tuple[str, str]] = frozenset()
    """`(action, username)` of what people did that others have to decide on."""
    unverified_accounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Situation:
    command: Command
    invoice: InvoiceState
    against: OrderStanding | None
    """The order that the command names, when this vendor has it."""
    caller: Caller
    now: datetime | None = None
    """Office time."""

    @property
    def pays(self) -> bool:
        return self.command.action in PAYS

    @property
    def ceiling(self) -> Decimal:
        one = self.invoice
        return ceiling(one.computed_total, one.stated_total, one.credits)

    @property
    def amount(self) -> Decimal:
        """What the command pays; else the invoice's total."""
        if self.command.action is Action.SHORT_PAY:
            return NOTHING if self.command.amount is None else self.command.amount
        return self.ceiling if self.command.action is Action.APPROVE_VARIANCE else self.invoice.computed_total

    def open_for(self, reason: Reason) -> OpenException | None:
        return next((one for one in self.invoice.open if one.reason is reason), None)

    @property
    def named(self) -> OpenException | None:
        """The open exception that the command is about; where it names a hold too, the one on which that stands."""
        wanted = self.command
        for one in self.invoice.open:
            by_exception = wanted.exception_id in (None, one.id)
            by_hold = wanted.hold_id in (None, one.hold_id)
            if by_exception and by_hold and (wanted.exception_id, wanted.hold_id) != (None, None):
                return one
        return None


FROM: Mapping[Action, frozenset[Status]] = {
    **dict.fromkeys(Action, frozenset({Status.EXCEPTION, Status.ON_HOLD})),
    Action.RELEASE_HOLD: frozenset({Status.ON_HOLD}),
    Action.ASSIGN_PO: CHECKED_AGAIN,
}


def judge(situation: Situation) -> Refused | None:
    """The first check that refuses, in the order that the contract gives; None when all let it through."""
    for check in ORDER:
        refused = check(situation)
        if refused is not None:
            return refused
    return None


def _authority(of: Situation) -> Refused | None:
    caller, action = of.caller, of.command.action
    if not caller.is_person:
        detail = "A service account may only read: a command needs a person behind it."
        return Refused(Code.NOT_AUTHORISED, detail, {"action": action, "user": caller.username})
    if caller.grants is None:
        return None
    order = of.invoice.matched or of.against
    why = refusal(
        caller.grants,
        action,
        amount=of.amount,
        currency=of.invoice.currency,
        owns_order=order is not None and order.buyer == caller.username,
    )
    if why is None:
        return None
    values = {"action": action, "user": caller.username, "amount": f"{of.amount:f}", "currency": of.invoice.currency}
    return Refused(Code.NOT_AUTHORISED, f"{caller.username} may not {action} here: {why}.", values)


def _segregation(of: Situation) -> Refused | None:
    """Nobody decides on what they asked for: whoever matched an invoice to an order by hand, or cleared it of being a
    duplicate, does not pay it; whoever placed a hold does not release it."""
    caller, action = of.caller, of.command.action
    if caller.grants is None:
        return None
    values = {"action": action, "user": caller.username}
    mine = sorted(what for what, username in of.invoice.asked if username == caller.username)
    if of.pays and mine:
        detail = f"{caller.username} asked for this invoice to be paid ({', '.join(mine)}): another person decides."
        return Refused(Code.NOT_AUTHORISED, detail, values | {"asked": mine})
    named = of.named
    if action is Action.RELEASE_HOLD and named is not None and named.held_by == caller.username:
        detail = f"{caller.username} placed this hold: another person releases it."
        return Refused(Code.NOT_AUTHORISED, detail, values | {"hold_id": named.hold_id})
    return None


def _version(of: Situation) -> Refused | None:
    expected, current = of.command.expected_version, of.invoice.version
    if expected == current:
        return None
    detail = f"The invoice is at version {current}; the command was made for version {expected}."
    return Refused(Code.STALE_VERSION, detail, {"expected_version": expected, "current_version": current})


def _transition(of: Situation) -> Refused | None:
    action, status = of.command.action, of.invoice.status
    allowed = FROM[action]
    if status in allowed:
        return None
    detail = f"{action} is possible from {', '.join(sorted(allowed))}; the invoice is {status}."
    return Refused(Code.INVALID_TRANSITION, detail, {"action": action, "status": status})


def _bank_change(of: Situation) -> Refused | None:
    if not of.pays or not of.invoice.bank_change_unverified:
        return None
    detail = "A change of this vendor's bank account is not verified: nothing pays."
    return Refused(Code.BANK_CHANGE_UNVERIFIED, detail, {"accounts": list(of.invoice.unverified_accounts)})


def _duplicate(of: Situation) -> Refused | None:
    found = of.open_for(Reason.DUPLICATE) if of.pays else None
    if found is None:
        return None
    return Refused(Code.DUPLICATE_OPEN, "The invoice stands under an open DUPLICATE.", {"exception_id": found.id})


def _exceptions_exist(of: Situation) -> Refused | None:
    known = {one.id for one in of.invoice.open} | {masked for one in of.invoice.open for masked in one.masked}
    unknown = sorted(of.command.settles - known)
    if unknown:
        return Refused(Code.NOT_FOUND, "settles names what is not open on this invoice.", {"settles": unknown})
    about_one = (Action.HOLD, Action.REQUEST_CREDIT_MEMO, Action.RELEASE_HOLD)
    if of.command.action in about_one and of.named is None:
        values = {"exception_id": of.command.exception_id, "hold_id": of.command.hold_id}
        return Refused(Code.NOT_FOUND, "The invoice has no open exception or standing hold with this id.", values)
    if of.command.action is Action.CLEAR_DUPLICATE and of.open_for(Reason.DUPLICATE) is None:
        return Refused(Code.NOT_FOUND, "The invoice has no open DUPLICATE to clear.", {"action": of.command.action})
    return None


def _exceptions_settled(of: Situation) -> Refused | None:
    """Approving one exception never pays another in silence."""
    action, command = of.command.action, of.command
    above_payable = action is Action.SHORT_PAY and of.amount > of.invoice.payable
    if action is not Action.APPROVE_VARIANCE and not above_payable:
        return None
    needed = {one.id: str(one.reason) for one in of.invoice.open}
    needed |= {masked: "masked" for one in of.invoice.open for masked in one.masked}
    missing = {name: what for name, what in sorted(needed.items()) if name not in command.settles}
    if not missing:
        return None
    detail = f"{len(missing)} open exception(s) or masked finding(s) are not named in settles."
    return Refused(Code.EXCEPTION_OPEN, detail, {"missing": missing, "payable": f"{of.invoice.payable:f}"})


def _holds(of: Situation) -> Refused | None:
    action, named, until = of.command.action, of.named, of.command.until
    if named is None:
        return None
    if until is not None and of.now is not None and until <= of.now:
        values = {"until": until.isoformat(), "now": of.now.isoformat()}
        return Refused(Code.INVALID_REQUEST, "until: a hold ends after now.", values)
    if action is Action.HOLD and named.hold_id is not None:
        values = {"exception_id": named.id, "hold_id": named.hold_id}
        return Refused(Code.ALREADY_HELD, "A hold stands on this exception already.", values)
    if action is Action.RELEASE_HOLD and named.hold_id is None:
        return Refused(Code.NOT_FOUND, "No hold stands on this exception.", {"exception_id": named.id})
    return None


def _order(of: Situation) -> Refused | None:
    """What pays on NO_PO names the order that it pays against; elsewhere the invoice's own order is the only one."""
    wanted = of.command.against_po
    if of.command.action is Action.ASSIGN_PO or wanted is not None:
        if of.against is None:
            return Refused(Code.NOT_FOUND, "This vendor has no such order.", {"against_po": wanted})
        matched = of.invoice.matched
        if of.command.action is not Action.ASSIGN_PO and matched is not None and matched.number != wanted:
            values = {"against_po": wanted, "matched_po": matched.number}
            return Refused(Code.INVALID_REQUEST, "against_po: the invoice bills another order.", values)
        return None
    no_po = of.open_for(Reason.NO_PO) if of.pays else None
    if no_po is None and not (of.pays and of.invoice.matched is None):
        return None
    values = {"against_po": None, "exception_id": None if no_po is None else no_po.id}
    return Refused(Code.EXCEPTION_OPEN, "What pays without an order names one in against_po.", values)


def _amount(of: Situation) -> Refused | None:
    if not of.pays:
        return None
    asked, paid, most = of.command.amount, of.amount, of.ceiling
    values = {"amount": None if asked is None else f"{asked:f}", "most": f"{most:f}"}
    if of.command.action is Action.SHORT_PAY:
        if not NOTHING < paid < of.invoice.computed_total or paid > most:
            return Refused(Code.INVALID_AMOUNT, "A short-pay is above nothing and below the invoice's total.", values)
    elif asked is not None and asked != most:
        return Refused(Code.INVALID_AMOUNT, f"approve-variance pays {most:f}; another amount is a short-pay.", values)
    elif most <= NOTHING:
        return Refused(Code.INVALID_AMOUNT, "Nothing is left to approve on this invoice.", values)
    if of.invoice.matched is None and of.against is not None:
        return _within_order(of, of.against)
    return None


def _within_order(of: Situation, against: OrderStanding) -> Refused | None:
    payable = against.payable if against.currency == of.invoice.currency else NOTHING
    if of.amount <= payable:
        return None
    values = {"amount": f"{of.amount:f}", "against_po": against.number, "payable": f"{payable:f}"}
    return Refused(Code.INVALID_AMOUNT, f"Against this order {payable:f} could be paid, not {of.amount:f}.", values)


ORDER: tuple[Callable[[Situation], Refused | None], ...] = (
    _authority,
    _segregation,
    _version,
    _transition,
    _bank_change,
    _duplicate,
    _exceptions_exist,
    _exceptions_settled,
    _holds,
    _order,
    _amount,
)
