"""Two locks, one key: what the policy routes, the ERP accepts from the person it was routed to.

The other way round the policy is stricter on purpose; which of its rules the ERP does not have is listed here.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from tests.support.policy import documents, routing

from deskworld_erp.invoicing.rules.authority import Action, Grant, Role
from deskworld_erp.invoicing.rules.commands import (
    Caller,
    Command,
    InvoiceState,
    OpenException,
    OrderStanding,
    Situation,
    judge,
)
from deskworld_erp.invoicing.rules.values import Reason, Status

AUTHORITY = yaml.safe_load((Path(__file__).parents[2] / "services/erp/src/deskworld_erp/authority.yaml").read_text())
PEOPLE = {
    role: next(who for who, roles in AUTHORITY["people"].items() if role in roles) for role in AUTHORITY["limits"]
}
BUYER = PEOPLE["buyer"]
ACTIONS = ("approve-variance", "short-pay", "hold", "reject", "request-credit-memo")
OWN, OTHER, MASKED = "x-1", "x-2", "m-1"


@dataclass(frozen=True, slots=True)
class Cell:
    """One proposal in one state of the records, from which both locks are asked."""

    action: str
    reason: str
    status: str
    total: Decimal
    payable: Decimal
    amount: Decimal | None
    currency: str
    sibling: str | None
    masked: bool
    settles: tuple[str, ...]
    against: str | None
    order_payable: Decimal
    held: bool
    unverified: bool

    @property
    def open(self) -> tuple[tuple[str, str], ...]:
        return ((OWN, self.reason), *(((OTHER, self.sibling),) if self.sibling else ()))


def grid() -> Iterator[Cell]:
    money = [Decimal("1000.00"), Decimal("10000.00"), Decimal("10000.01")]
    settles: tuple[tuple[str, ...], ...] = ((), (OWN,), (OWN, OTHER, MASKED), (OWN, MASKED), (OWN, "x-9"))
    reasons = ("PRICE_VARIANCE", "NO_PO", "DUPLICATE", "POSSIBLE_DUPLICATE", "UNPLANNED_CHARGE")
    for action, reason, total, named in product(ACTIONS, reasons, money, settles):
        masked = reason in {"NO_PO", "DUPLICATE", "POSSIBLE_DUPLICATE"}
        for status, sibling, currency, held, unverified in (
            ("EXCEPTION", None, "USD", False, False),
            ("EXCEPTION", None, "JPY", False, False),
            ("EXCEPTION", "QTY_OVER_RECEIPT", "EUR", False, False),
            ("EXCEPTION", "DUPLICATE", "USD", False, False),
            ("EXCEPTION", None, "USD", False, True),
            ("ON_HOLD", None, "USD", True, False),
            ("APPROVED", None, "USD", False, False),
        ):
            payable = Decimal("0.00") if masked else total - 40
            for amount, against, covered in (
                (total - 40, None, total),
                (total - 39, "PO-1", total),
                (total, "PO-1", total - 40),
                (Decimal("0.00"), "PO-9", total),
            ):
                pays = {"approve-variance": total, "short-pay": amount}.get(action)
                yield Cell(
                    action, reason, status, total, payable, pays, currency, sibling, masked, named, against, covered,
                    held, unverified,
                )  # fmt: skip


def asked(cell: Cell) -> dict[str, Any]:
    order = {"po": "PO-1", "payable": f"{cell.order_payable:.2f}"}
    return {
        "case": {"id": OWN, "reason": cell.reason, "proposer": "agent"},
        "tool": "propose_resolution",
        "proposal": {
            "action": cell.action, "amount": "none" if cell.amount is None else f"{cell.amount:.2f}",
            "currency": cell.currency, "settles": list(cell.settles), "against_po": cell.against or "none",
            "citations": [],
        },
        "facts": {
            "invoice": {
                "status": cell.status, "total": f"{cell.total:.2f}", "version": 3, "payable": f"{cell.payable:.2f}",
                "open": [{"id": one, "reason": why, "held": one == OWN and cell.held} for one, why in cell.open],
                "masked": [{"id": MASKED, "reason": "PRICE_VARIANCE"}] if cell.masked else [],
            },
            "against": order if cell.against == "PO-1" else "none", "issue": "40.00", "buyer": BUYER,
            "bank": "unverified" if cell.unverified else "known", "cites_bank": True, "ungrounded": [],
            "asked_this_turn": False, "mail": {"instructions": False, "reader_failed": False}, "credit": "none",
        },
    }  # fmt: skip


def standing(cell: Cell, caller: str) -> Situation:
    order = OrderStanding("PO-1", BUYER, cell.currency, cell.order_payable)
    without = cell.reason == "NO_PO"
    masked = frozenset({MASKED}) if cell.masked else frozenset()
    return Situation(
        command=Command(
            action=Action(cell.action), expected_version=3, settles=frozenset(cell.settles), amount=cell.amount,
            exception_id=OWN if cell.action in {"hold", "request-credit-memo"} else None, against_po=cell.against,
        ),
        invoice=InvoiceState(
            status=Status(cell.status), version=3, currency=cell.currency, computed_total=cell.total,
            stated_total=cell.total, credits=Decimal("0.00"), payable=cell.payable, matched=None if without else order,
            open=(
                OpenException(OWN, Reason(cell.reason), "h-1" if cell.held else None, masked),
                *([OpenException(OTHER, Reason(cell.sibling), None)] if cell.sibling else []),
            ),
            bank_change_unverified=cell.unverified,
        ),
        against=order if cell.against == "PO-1" else None,
        caller=Caller(caller, is_person=True, grants=grants(caller)),
    )  # fmt: skip


def grants(who: str) -> tuple[Grant, ...]:
    def limits(role: str) -> dict[str, Decimal] | None:
        found = AUTHORITY["limits"][role]
        return None if found is None else {currency: Decimal(most) for currency, most in found.items()}

    return tuple(Grant(Role(role), limits(role)) for role in AUTHORITY["people"][who])


STRICTER = {
    "ALREADY_HELD", "BANK_UNVERIFIED", "DUPLICATE_OPEN", "INVOICE_NOT_OPEN", "ORDER_DOES_NOT_COVER",
    "ORDER_NOT_ASKED_FOR",
}  # fmt: skip


def test_what_is_routed_the_erp_accepts() -> None:
    seen: Counter[str] = Counter()
    stricter: Counter[str] = Counter()
    for cell in grid():
        found = routing(asked(cell))
        seen[found["effect"]] += 1
        if found["effect"] == "route":
            who = found.get("user") or PEOPLE[found["role"]]
            refused = judge(standing(cell, who))
            assert refused is None, f"routed to {who}, and the ERP says {refused}: {cell}"
        elif judge(standing(cell, PEOPLE["controller"])) is None:
            stricter.update({reason["code"] for reason in found["reasons"]})
    assert seen["route"] > 300
    assert seen["refuse"] > 300
    assert set(stricter) <= STRICTER, stricter


def test_the_limits_of_both_locks_are_the_same() -> None:
    above = documents()["ap"]["data"]["controller_above"]
    for role in ("buyer", "ap-manager"):
        assert AUTHORITY["limits"][role] == above
    assert AUTHORITY["limits"]["controller"] is None
