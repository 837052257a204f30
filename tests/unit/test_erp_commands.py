"""Which command is refused, by which check, and in which order the checks stand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product

import pytest

from deskworld_erp.invoicing.rules.authority import MAY, OWN_ORDERS_ONLY, PAYS, Action, Duty, Grant, Role, has_duty
from deskworld_erp.invoicing.rules.commands import (
    Caller,
    Code,
    Command,
    InvoiceState,
    OpenException,
    OrderStanding,
    Situation,
    judge,
)
from deskworld_erp.invoicing.rules.values import Reason, Status

D = Decimal
LIMITS = {"USD": D("10000.00"), "EUR": D("10000.00")}
LIMITED = {Role.BUYER, Role.AP_MANAGER}
PO = OrderStanding("PO-1", "anna", "USD", D("0.00"))
PRICE = OpenException("price", Reason.PRICE_VARIANCE, None)
PLAIN = InvoiceState(
    status=Status.EXCEPTION, version=3, currency="USD", computed_total=D("1040.00"), stated_total=D("1040.00"),
    credits=D("0.00"), payable=D("1000.00"), matched=PO, open=(PRICE,), bank_change_unverified=False,
)  # fmt: skip


def caller(role: Role = Role.CONTROLLER, username: str = "anna") -> Caller:
    return Caller(username, is_person=True, grants=(Grant(role, LIMITS if role in LIMITED else None),))


def asked(action: Action, **said: object) -> Command:
    needs: dict[Action, dict[str, object]] = {
        Action.APPROVE_VARIANCE: {"settles": frozenset({"price"})},
        Action.SHORT_PAY: {"amount": D("1000.00")},
        Action.HOLD: {"exception_id": "price"},
        Action.REQUEST_CREDIT_MEMO: {"exception_id": "price"},
        Action.RELEASE_HOLD: {"hold_id": "hold"},
    }
    return Command(action, 3, **{**needs.get(action, {}), **said})  # type: ignore[arg-type]


def code(
    command: Command,
    invoice: InvoiceState = PLAIN,
    *,
    against: OrderStanding | None = None,
    by: Caller | None = None,
) -> Code | None:
    refused = judge(Situation(command, invoice, against, by or caller()))
    return None if refused is None else refused.code


def no_po(**changes: object) -> InvoiceState:
    named = OpenException("no-po", Reason.NO_PO, None)
    plain = replace(PLAIN, open=(named,), matched=None, payable=D("0.00"))
    return replace(plain, **changes)  # type: ignore[arg-type]


# the order of the checks


def test_authority_comes_before_version_and_version_before_transition() -> None:
    stale = Command(Action.APPROVE_VARIANCE, 2)
    done = replace(PLAIN, status=Status.APPROVED)
    assert code(stale, done, by=caller(Role.CLERK)) == Code.NOT_AUTHORISED
    assert code(stale, done) == Code.STALE_VERSION
    assert code(Command(Action.APPROVE_VARIANCE, 3), done) == Code.INVALID_TRANSITION


def test_bank_change_comes_before_duplicate_before_exceptions_before_amount() -> None:
    duplicate = OpenException("dup", Reason.DUPLICATE, None)
    wrong = Command(Action.SHORT_PAY, 3, amount=D("9999999.00"))
    state = replace(PLAIN, open=(PRICE, duplicate), bank_change_unverified=True)
    by = caller(Role.CONTROLLER)
    assert code(wrong, state, by=by) == Code.BANK_CHANGE_UNVERIFIED
    assert code(wrong, replace(state, bank_change_unverified=False), by=by) == Code.DUPLICATE_OPEN
    assert code(wrong, PLAIN, by=by) == Code.EXCEPTION_OPEN
    assert code(replace(wrong, settles=frozenset({"price"})), PLAIN, by=by) == Code.INVALID_AMOUNT


def test_what_does_not_pay_goes_on_under_a_bank_change_and_a_duplicate() -> None:
    duplicate = OpenException("dup", Reason.DUPLICATE, None)
    state = replace(PLAIN, open=(PRICE, duplicate), bank_change_unverified=True)
    for action in (Action.HOLD, Action.REJECT, Action.REQUEST_CREDIT_MEMO, Action.CLEAR_DUPLICATE):
        assert code(asked(action), state) is None


# transitions

FROM_EXCEPTION_OR_HOLD = {Status.EXCEPTION, Status.ON_HOLD}


@pytest.mark.parametrize(("action", "status"), list(product(Action, Status)))
def test_the_table_of_transitions(action: Action, status: Status) -> None:
    allowed = {
        Action.RELEASE_HOLD: {Status.ON_HOLD},
        Action.ASSIGN_PO: {Status.RECEIVED, Status.MATCHED, Status.EXCEPTION, Status.ON_HOLD},
    }.get(action, FROM_EXCEPTION_OR_HOLD)
    refused = code(asked(action), replace(PLAIN, status=status))
    assert (refused == Code.INVALID_TRANSITION) == (status not in allowed)


# authority


@pytest.mark.parametrize(
    ("role", "action", "total", "owns", "currency"),
    list(product(Role, Action, ["1040.00", "10000.00", "10000.01"], [True, False], ["USD", "EUR", "NOK"])),
)
def test_the_grid_of_authority(role: Role, action: Action, total: str, owns: bool, currency: str) -> None:
    """role × action × amount × ownership × currency, against the design's table said once more in other words."""
    held = replace(PRICE, hold_id="hold")
    open_exceptions = (held,) if action is Action.RELEASE_HOLD else (PRICE,)
    state = replace(PLAIN, computed_total=D(total), stated_total=D(total), currency=currency, open=open_exceptions,
                    matched=replace(PO, buyer="anna" if owns else "bruno"))  # fmt: skip
    paid = D(total) - D("0.01") if action is Action.SHORT_PAY else D(total)
    command = asked(action, amount=paid, settles=frozenset({"price"})) if action in PAYS else asked(action)
    command = replace(command, amount=paid if action is Action.SHORT_PAY else None)

    may = {
        Role.CLERK: action in (Action.HOLD, Action.REQUEST_CREDIT_MEMO, Action.ASSIGN_PO),
        Role.BUYER: action is Action.APPROVE_VARIANCE and owns,
        Role.AP_MANAGER: action is not Action.CLEAR_DUPLICATE,
        Role.CONTROLLER: True,
        Role.AUDITOR: False,
    }[role]
    within = role not in LIMITED or (currency in LIMITS and paid <= D("10000.00"))
    refused = code(command, state, by=caller(role))
    assert (refused == Code.NOT_AUTHORISED) == (not (may and within))


def test_a_service_account_may_only_read_even_where_authority_is_not_enforced() -> None:
    machine = Caller("service-account-desk", is_person=False, grants=None)
    assert {code(asked(action), by=machine) for action in Action} == {Code.NOT_AUTHORISED}


def test_where_authority_is_not_enforced_any_person_may() -> None:
    assert code(asked(Action.APPROVE_VARIANCE), by=Caller("who", is_person=True, grants=None)) is None


def test_a_person_without_a_grant_may_nothing() -> None:
    assert code(asked(Action.HOLD), by=Caller("who", is_person=True, grants=())) == Code.NOT_AUTHORISED


def test_one_of_several_grants_is_enough() -> None:
    both = Caller("who", is_person=True, grants=(Grant(Role.BUYER, LIMITS), Grant(Role.CLERK, None)))
    assert code(asked(Action.HOLD), by=both) is None


def test_without_an_order_nobody_owns_it() -> None:
    refused = code(Command(Action.APPROVE_VARIANCE, 3), no_po(), by=caller(Role.BUYER))
    assert refused == Code.NOT_AUTHORISED


# segregation


def test_nobody_pays_what_they_matched_to_an_order_or_cleared_of_being_a_duplicate() -> None:
    for action, asked_for in product(PAYS, (Action.ASSIGN_PO, Action.CLEAR_DUPLICATE)):
        command = asked(action, settles=frozenset({"price"}))
        state = replace(PLAIN, asked=frozenset({(str(asked_for), "ines"), (str(asked_for), "jonas")}))
        for username, expected in (("ines", Code.NOT_AUTHORISED), ("jonas", Code.NOT_AUTHORISED), ("hugo", None)):
            assert code(command, state, by=caller(username=username)) == expected
        assert code(command, state, by=Caller("ines", is_person=True, grants=None)) is None  # trusted
        assert code(asked(Action.REJECT), state, by=caller(username="ines")) is None


def test_nobody_releases_the_hold_that_they_placed() -> None:
    held = replace(PLAIN, status=Status.ON_HOLD, open=(replace(PRICE, hold_id="hold", held_by="ines"),))
    for said in ({"hold_id": "hold"}, {"hold_id": None, "exception_id": "price"}):
        command = asked(Action.RELEASE_HOLD, **said)
        assert code(command, held, by=caller(username="ines")) == Code.NOT_AUTHORISED
        assert code(command, held, by=caller(username="jonas")) is None
        assert code(command, held, by=Caller("ines", is_person=True, grants=None)) is None


def test_a_hold_ends_after_now() -> None:
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)
    for seconds, expected in ((-1, Code.INVALID_REQUEST), (0, Code.INVALID_REQUEST), (1, None)):
        command = asked(Action.HOLD, until=now + timedelta(seconds=seconds))
        refused = judge(Situation(command, PLAIN, None, caller(), now=now))
        assert (None if refused is None else refused.code) == expected


def test_duties_go_with_roles() -> None:
    assert has_duty((Grant(Role.CLERK, None),), Duty.POST_RECEIPT)
    assert not has_duty((Grant(Role.BUYER, None),), Duty.POST_RECEIPT)
    assert {role for role in Role if has_duty((Grant(role, None),), Duty.MANAGE_EVENTS)} == {
        Role.AP_MANAGER,
        Role.CONTROLLER,
    }
    assert set(MAY) == set(Role)
    assert set(Role) > OWN_ORDERS_ONLY


# exceptions named


def test_approving_one_exception_never_pays_another_in_silence() -> None:
    masked = replace(PRICE, masked=frozenset({"hidden"}))
    freight = OpenException("freight", Reason.UNPLANNED_CHARGE, None)
    state = replace(PLAIN, open=(masked, freight))
    for settles, expected in (
        ({"price"}, Code.EXCEPTION_OPEN),
        ({"price", "freight"}, Code.EXCEPTION_OPEN),
        ({"price", "hidden", "freight"}, None),
    ):
        assert code(asked(Action.APPROVE_VARIANCE, settles=frozenset(settles)), state) == expected


def test_a_short_pay_within_payable_names_none_and_above_it_all() -> None:
    assert code(asked(Action.SHORT_PAY, amount=D("1000.00"))) is None
    assert code(asked(Action.SHORT_PAY, amount=D("1000.01"))) == Code.EXCEPTION_OPEN
    assert code(asked(Action.SHORT_PAY, amount=D("1000.01"), settles=frozenset({"price"}))) is None


@pytest.mark.parametrize("action", list(Action))
def test_settles_may_not_name_what_is_not_open(action: Action) -> None:
    assert code(asked(action, settles=frozenset({"price", "nothing"}))) in (Code.NOT_FOUND, Code.INVALID_TRANSITION)


def test_a_hold_is_of_an_open_exception_that_is_not_held() -> None:
    held = replace(PLAIN, status=Status.ON_HOLD, open=(replace(PRICE, hold_id="hold"),))
    assert code(asked(Action.HOLD)) is None
    assert code(asked(Action.HOLD, exception_id="gone")) == Code.NOT_FOUND
    assert code(asked(Action.HOLD), held) == Code.ALREADY_HELD
    assert code(asked(Action.REQUEST_CREDIT_MEMO), held) is None


def test_a_release_names_a_hold_that_stands() -> None:
    held = replace(PLAIN, status=Status.ON_HOLD, open=(replace(PRICE, hold_id="hold"), OpenException(
        "qty", Reason.QTY_OVER_RECEIPT, None)))  # fmt: skip
    assert code(asked(Action.RELEASE_HOLD), held) is None
    assert code(asked(Action.RELEASE_HOLD, hold_id=None, exception_id="price"), held) is None
    assert code(asked(Action.RELEASE_HOLD, hold_id=None, exception_id="qty"), held) == Code.NOT_FOUND
    assert code(asked(Action.RELEASE_HOLD, hold_id="other"), held) == Code.NOT_FOUND
    assert code(asked(Action.RELEASE_HOLD, exception_id="price"), held) is None
    assert code(asked(Action.RELEASE_HOLD, exception_id="qty"), held) == Code.NOT_FOUND  # the hold is on another


def test_only_a_duplicate_is_cleared() -> None:
    assert code(asked(Action.CLEAR_DUPLICATE)) == Code.NOT_FOUND


# amounts


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("0.00", Code.INVALID_AMOUNT), ("-1.00", Code.INVALID_AMOUNT), ("1040.00", Code.INVALID_AMOUNT),
     ("0.01", None), ("1039.99", None)],
)  # fmt: skip
def test_a_short_pay_is_above_nothing_and_below_the_total(amount: str, expected: Code | None) -> None:
    assert code(asked(Action.SHORT_PAY, amount=D(amount), settles=frozenset({"price"}))) == expected


def test_nothing_pays_more_than_the_lower_of_computed_and_stated_total_less_credits() -> None:
    stated = replace(PLAIN, stated_total=D("900.00"), credits=D("100.00"), payable=D("800.00"))
    both = frozenset({"price"})
    assert code(asked(Action.SHORT_PAY, amount=D("800.01"), settles=both), stated) == Code.INVALID_AMOUNT
    assert code(asked(Action.SHORT_PAY, amount=D("800.00")), stated) is None
    assert Situation(asked(Action.APPROVE_VARIANCE), stated, None, caller()).amount == D("800.00")
    assert code(asked(Action.APPROVE_VARIANCE, amount=D("800.00")), stated) is None
    assert code(asked(Action.APPROVE_VARIANCE, amount=D("900.00")), stated) == Code.INVALID_AMOUNT
    used_up = replace(PLAIN, credits=D("1040.00"))
    assert code(asked(Action.APPROVE_VARIANCE), used_up) == Code.INVALID_AMOUNT


# without an order


def test_what_pays_without_an_order_names_one_and_stays_within_what_it_lets_be_paid() -> None:
    covers = OrderStanding("PO-9", "anna", "USD", D("1040.00"))
    command = asked(Action.APPROVE_VARIANCE, settles=frozenset({"no-po"}))
    named = replace(command, against_po="PO-9")
    assert code(command, no_po()) == Code.EXCEPTION_OPEN
    assert code(named, no_po()) == Code.NOT_FOUND
    assert code(named, no_po(), against=covers) is None
    assert code(named, no_po(), against=replace(covers, payable=D("1039.99"))) == Code.INVALID_AMOUNT
    assert code(named, no_po(), against=replace(covers, currency="EUR")) == Code.INVALID_AMOUNT
    assert code(named, no_po(), against=covers, by=caller(Role.BUYER)) is None
    assert code(named, no_po(), against=covers, by=caller(Role.BUYER, "bruno")) == Code.NOT_AUTHORISED


def test_an_invoice_with_an_order_is_not_paid_against_another() -> None:
    other = OrderStanding("PO-9", "anna", "USD", D("1040.00"))
    command = asked(Action.APPROVE_VARIANCE, against_po="PO-9")
    assert code(command, against=other) == Code.INVALID_REQUEST
    assert code(replace(command, against_po="PO-1"), against=PO) is None


def test_an_order_is_assigned_when_this_vendor_has_it() -> None:
    assert code(asked(Action.ASSIGN_PO, against_po="PO-9"), no_po()) == Code.NOT_FOUND
    assert code(asked(Action.ASSIGN_PO, against_po="PO-1"), no_po(), against=PO) is None
