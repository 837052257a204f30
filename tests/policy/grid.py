"""The grid on which policy and ERP are held against each other: reason × action × amount × currency × facts × person.

`python -m tests.policy.grid` writes the list of the cells that the ERP accepts and the policy refuses.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml
from tests.policy.stricter import FILE, written
from tests.support.policy import routing
from tests.support.policy_inputs import ACTIONS, REASONS, Json

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
BUYER = "anna.keller"
PEOPLE = ("anna.keller", "bruno.costa", "emma.lind", "grace.hall", "ines.vogel", "kira.stone")
"""The buyer of the order, another buyer, a clerk, an AP manager, a controller, an auditor."""
AMOUNTS = (Decimal("10000.00"), Decimal("10000.01"))
"""The invoice's total: the limit of buyers and AP managers, and a hair above it."""
CURRENCIES = ("USD", "JPY")
"""One with limits, and one that nobody has a limit for."""
AT_ISSUE = Decimal("40.00")
NOTHING = Decimal("0.00")
OWN, OTHER, MASKED = "x-1", "x-2", "m-1"
ALL = (OWN, OTHER, MASKED)
MASKING = frozenset({"NO_PO", "DUPLICATE", "POSSIBLE_DUPLICATE", "CURRENCY_MISMATCH"})
"""Behind these the match finds more, and nothing is payable by order and receipts."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One state of the records and of the case, and how the proposal answers it. As sound as can be, but for what is
    said. `settles` is cut down to what is open or masked; `order` is the one that `against_po` names."""

    settles: tuple[str, ...] = ALL
    sibling: str | None = None
    status: str = "EXCEPTION"
    held: bool = False
    bank: str = "known"
    order: str = "as needed"
    covered: bool = True
    part: Decimal = -AT_ISSUE
    """What a short-pay pays, measured from the total."""
    case: Mapping[str, Any] = field(default_factory=dict)
    """What only the desk knows."""


FACTS: Mapping[str, Facts] = {
    "nothing in the way": Facts(),
    "settles nothing": Facts(settles=()),
    "a masked finding is not named": Facts(settles=(OWN, OTHER)),
    "a sibling is open and named": Facts(sibling="QTY_OVER_RECEIPT"),
    "a sibling is open and not named": Facts(sibling="QTY_OVER_RECEIPT", settles=(OWN, MASKED)),
    "an open duplicate beside it": Facts(sibling="DUPLICATE"),
    "names what is not open": Facts(settles=(*ALL, "x-9")),
    "on hold, this exception held": Facts(status="ON_HOLD", held=True),
    "the invoice is approved": Facts(status="APPROVED"),
    "a bank change is unverified": Facts(bank="unverified"),
    "no order is named": Facts(order="none"),
    "an order is named": Facts(order="PO-1"),
    "the named order does not cover it": Facts(covered=False),
    "an order of nobody is named": Facts(order="PO-9"),
    "a short-pay above what is payable": Facts(part=-AT_ISSUE / 2),
    "a short-pay of all": Facts(part=NOTHING),
    "bank facts could not be read": Facts(case={"bank": "unknown"}),
    "the buyer is not known": Facts(case={"buyer": "unknown"}),
    "a credit memo is awaited": Facts(case={"credit": "requested"}),
    "a letter gives instructions": Facts(case={"mail": {"instructions": True, "reader_failed": False}}),
    "a letter could not be read": Facts(case={"mail": {"instructions": False, "reader_failed": True}}),
    "somebody was asked in this turn": Facts(case={"asked_this_turn": True}),
    "a citation that nobody read": Facts(case={"ungrounded": ["PO-7"]}),
    "the bank change is not cited": Facts(case={"cites_bank": False}),
    "the amount at issue is not known": Facts(case={"issue": "unknown"}),
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A cell but for its person."""

    reason: str
    action: str
    amount: Decimal
    currency: str
    facts: str

    @property
    def given(self) -> Facts:
        return FACTS[self.facts]

    @property
    def masked(self) -> bool:
        return self.reason in MASKING

    @property
    def open(self) -> tuple[tuple[str, str], ...]:
        sibling = self.given.sibling
        return ((OWN, self.reason), *(((OTHER, sibling),) if sibling else ()))

    @property
    def settles(self) -> tuple[str, ...]:
        there = {one for one, _ in self.open} | ({MASKED} if self.masked else set())
        return tuple(one for one in self.given.settles if one in there or one not in ALL)

    @property
    def pays(self) -> Decimal | None:
        return {"approve-variance": self.amount, "short-pay": self.amount + self.given.part}.get(self.action)

    @property
    def payable(self) -> Decimal:
        return NOTHING if self.masked else self.amount - AT_ISSUE

    @property
    def against(self) -> str | None:
        needed = "PO-1" if self.reason == "NO_PO" and self.pays is not None else None
        return {"as needed": needed, "none": None}.get(self.given.order, self.given.order)

    @property
    def order_payable(self) -> Decimal:
        return self.amount if self.given.covered else AT_ISSUE

    @property
    def unverified(self) -> bool:
        return self.given.bank == "unverified" or self.reason == "VENDOR_BANK_CHANGED"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the policy said of a proposal: whom it asks (`role` and perhaps `user`), or the codes of its refusal."""

    role: str | None
    user: str | None
    codes: tuple[str, ...]


def proposals() -> Iterator[Proposal]:
    for facts, action, reason, amount, currency in product(FACTS, ACTIONS, REASONS, AMOUNTS, CURRENCIES):
        yield Proposal(reason, action, amount, currency, facts)


def question(one: Proposal) -> Json:
    """What `ap.routing` is asked."""
    return {
        "case": {"id": OWN, "reason": one.reason, "proposer": "agent"},
        "tool": "propose_resolution",
        "proposal": {
            "action": one.action, "amount": "none" if one.pays is None else f"{one.pays:.2f}",
            "currency": one.currency, "settles": list(one.settles), "against_po": one.against or "none",
            "citations": [],
        },
        "facts": {
            "invoice": {
                "status": one.given.status, "total": f"{one.amount:.2f}", "version": 3, "payable": f"{one.payable:.2f}",
                "open": [{"id": id_, "reason": why, "held": id_ == OWN and one.given.held} for id_, why in one.open],
                "masked": [{"id": MASKED, "reason": "PRICE_VARIANCE"}] if one.masked else [],
            },
            "against": {"po": "PO-1", "payable": f"{one.order_payable:.2f}"} if one.against == "PO-1" else "none",
            "issue": f"{AT_ISSUE:.2f}", "buyer": BUYER, "bank": "unverified" if one.unverified else "known",
            "cites_bank": True, "ungrounded": [], "asked_this_turn": False,
            "mail": {"instructions": False, "reader_failed": False}, "credit": "none", **one.given.case,
        },
    }  # fmt: skip


def accepts(one: Proposal, person: str) -> str | None:
    """None when the ERP takes the command from this person; else its code."""
    refused = judge(_situation(one, person))
    return None if refused is None else f"{refused.code}: {refused.detail}"


def _situation(one: Proposal, person: str) -> Situation:
    order = OrderStanding("PO-1", BUYER, one.currency, one.order_payable)
    masked = frozenset({MASKED}) if one.masked else frozenset[str]()
    holds = one.action in {"hold", "request-credit-memo"}
    return Situation(
        command=Command(
            action=Action(one.action), expected_version=3, amount=one.pays, against_po=one.against,
            settles=frozenset(one.settles), exception_id=OWN if holds else None,
        ),
        invoice=InvoiceState(
            status=Status(one.given.status), version=3, currency=one.currency, computed_total=one.amount,
            stated_total=one.amount, credits=NOTHING, payable=one.payable,
            matched=None if one.reason == "NO_PO" else order, bank_change_unverified=one.unverified,
            open=tuple(
                OpenException(id_, Reason(why), "h-1" if id_ == OWN and one.given.held else None,
                              masked if id_ == OWN else frozenset())
                for id_, why in one.open
            ),
        ),
        against=order if one.against == "PO-1" else None,
        caller=Caller(person, is_person=True, grants=_grants(person)),
    )  # fmt: skip


@cache
def _grants(person: str) -> tuple[Grant, ...]:
    def limits(role: str) -> dict[str, Decimal] | None:
        found = AUTHORITY["limits"][role]
        return None if found is None else {currency: Decimal(most) for currency, most in found.items()}

    return tuple(Grant(Role(role), limits(role)) for role in AUTHORITY["people"][person])


def asked_for(one: Proposal) -> Asked:
    found = routing(question(one))
    if found["effect"] == "route":
        return Asked(found["role"], found.get("user"), ())
    return Asked(None, None, tuple(sorted({reason["code"] for reason in found["reasons"]})))


def may_be_asked(asked: Asked) -> tuple[str, ...]:
    """Whoever the decision can come to; none where it was refused."""
    if asked.user is not None:
        return (asked.user,)
    return tuple(one for one in PEOPLE if asked.role in AUTHORITY["people"][one])


@cache
def compared() -> tuple[tuple[Proposal, Asked, Mapping[str, str | None]], ...]:
    """The whole grid: what the policy says, and what the ERP says to each person."""
    return tuple((one, asked_for(one), {who: accepts(one, who) for who in PEOPLE}) for one in proposals())


def stricter() -> Iterator[tuple[Proposal, str, tuple[str, ...]]]:
    """Each cell, with its person, that the ERP accepts and the policy refuses, and why it does."""
    for one, asked, answers in compared():
        if asked.codes:
            yield from ((one, who, asked.codes) for who, refused in answers.items() if refused is None)


WHOLES = (REASONS, PEOPLE, CURRENCIES, tuple(map(str, AMOUNTS)))


def listed() -> str:
    """The list as it is to stand in the file."""
    cells = ((one.facts, one.action, one.reason, f"{one.amount}", one.currency, who, codes)
             for one, who, codes in stricter())  # fmt: skip
    return written(cells, WHOLES)


if __name__ == "__main__":
    text = listed()
    FILE.write_text(text)
    sys.stdout.write(f"{FILE.name}: {len(text.splitlines())} lines\n")
