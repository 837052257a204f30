"""Authority, held per person: which actions, up to which amount, on whose orders."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Action(StrEnum):
    APPROVE_VARIANCE = "approve-variance"
    SHORT_PAY = "short-pay"
    HOLD = "hold"
    RELEASE_HOLD = "release-hold"
    REJECT = "reject"
    REQUEST_CREDIT_MEMO = "request-credit-memo"
    ASSIGN_PO = "assign-po"
    CLEAR_DUPLICATE = "clear-duplicate"


class Duty(StrEnum):
    """What a person may do beside the actions on an invoice."""

    POST_RECEIPT = "post-receipt"
    POST_DOCUMENT = "post-document"
    SET_MASTER_DATA = "set-master-data"
    PROPOSE_BANK_CHANGE = "propose-bank-change"
    VERIFY_BANK_CHANGE = "verify-bank-change"
    READ_AUDIT = "read-audit"
    MANAGE_EVENTS = "manage-events"


class Role(StrEnum):
    CLERK = "clerk"
    BUYER = "buyer"
    AP_MANAGER = "ap-manager"
    CONTROLLER = "controller"
    AUDITOR = "auditor"


PAYS = frozenset({Action.APPROVE_VARIANCE, Action.SHORT_PAY})

_SIX = frozenset(Action) - {Action.ASSIGN_PO, Action.CLEAR_DUPLICATE}

MAY: Mapping[Role, frozenset[Action | Duty]] = {
    Role.CLERK: frozenset(
        {
            Action.HOLD,
            Action.REQUEST_CREDIT_MEMO,
            Action.ASSIGN_PO,
            Duty.POST_RECEIPT,
            Duty.POST_DOCUMENT,
            Duty.PROPOSE_BANK_CHANGE,
        }
    ),
    Role.BUYER: frozenset({Action.APPROVE_VARIANCE}),
    Role.AP_MANAGER: _SIX | {Action.ASSIGN_PO, Duty.SET_MASTER_DATA, Duty.VERIFY_BANK_CHANGE, Duty.MANAGE_EVENTS},
    Role.CONTROLLER: _SIX
    | {Action.ASSIGN_PO, Action.CLEAR_DUPLICATE}
    | {Duty.SET_MASTER_DATA, Duty.VERIFY_BANK_CHANGE, Duty.READ_AUDIT, Duty.MANAGE_EVENTS},
    Role.AUDITOR: frozenset({Duty.READ_AUDIT}),
}
OWN_ORDERS_ONLY = frozenset({Role.BUYER})


@dataclass(frozen=True, slots=True)
class Grant:
    """`limits` per currency; None means without limit. A currency that is not named is above every limit."""

    role: Role
    limits: Mapping[str, Decimal] | None


def has_duty(grants: Iterable[Grant], duty: Duty) -> bool:
    return any(duty in MAY[grant.role] for grant in grants)


def refusal(grants: Iterable[Grant], action: Action, *, amount: Decimal, currency: str, owns_order: bool) -> str | None:
    """Why none of the person's grants covers the action, in words; None when one does.

    `amount` is what the action pays or, where it pays nothing, the invoice's total.
    """
    why = "no grant of this person names this action"
    for grant in grants:
        if action not in MAY[grant.role]:
            continue
        if grant.role in OWN_ORDERS_ONLY and not owns_order:
            why = f"a {grant.role} may do this on their own orders only"
            continue
        limit = None if grant.limits is None else grant.limits.get(currency)
        if grant.limits is not None and (limit is None or amount > limit):
            why = f"{amount:f} {currency} is above this person's limit" + (f" of {limit:f}" if limit else "")
            continue
        return None
    return why
