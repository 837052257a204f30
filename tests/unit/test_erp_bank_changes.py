"""Who may take which step of a bank change, and on whose word."""

from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import product

import pytest

from deskworld_erp.invoicing.rules.authority import Grant, Role
from deskworld_erp.invoicing.rules.commands import Code
from deskworld_erp.vendors.rules.bank_changes import (
    FROM,
    Asked,
    ChangeState,
    ChangeStatus,
    KnownContact,
    Step,
    judge,
    same_phone,
)

ADA = KnownContact("Ada", "+41 44 000 00 00", date(2026, 3, 1))
CHANGE = ChangeState("change", ChangeStatus.PROPOSED, "emma", datetime(2026, 3, 10, 9, tzinfo=UTC), None)
CALLED = replace(CHANGE, status=ChangeStatus.CALLED_BACK, called_by="grace")


def asked(step: Step, username: str = "hugo", role: Role = Role.AP_MANAGER, **said: object) -> Asked:
    change = None if step is Step.PROPOSE else CALLED if step is Step.CONFIRM else CHANGE
    plain = Asked(step, username, is_person=True, grants=(Grant(role, None),), change=change, contacts=(ADA,),
                  phone="+41440000000" if step is Step.CALL_BACK else None)  # fmt: skip
    return replace(plain, **said)  # type: ignore[arg-type]


def code(one: Asked) -> Code | None:
    refused = judge(one)
    return None if refused is None else refused.code


@pytest.mark.parametrize(("role", "step"), list(product(Role, Step)))
def test_the_grid_of_roles_and_steps(role: Role, step: Step) -> None:
    may = role is Role.CLERK if step is Step.PROPOSE else role in (Role.AP_MANAGER, Role.CONTROLLER)
    assert (code(asked(step, role=role)) == Code.NOT_AUTHORISED) == (not may)


@pytest.mark.parametrize("step", list(Step))
def test_a_service_account_takes_no_step_even_where_authority_is_not_enforced(step: Step) -> None:
    assert code(asked(step, is_person=False, grants=None)) == Code.NOT_AUTHORISED


@pytest.mark.parametrize("step", [Step.CALL_BACK, Step.CONFIRM, Step.REJECT])
def test_nobody_decides_on_the_change_that_they_proposed(step: Step) -> None:
    assert code(asked(step, "emma")) == Code.NOT_AUTHORISED
    assert code(asked(step, "emma", grants=None)) is None  # trusted


def test_the_one_who_confirms_is_not_the_one_who_called() -> None:
    assert code(asked(Step.CONFIRM, "grace")) == Code.NOT_AUTHORISED
    assert code(asked(Step.CONFIRM, "hugo")) is None
    assert code(asked(Step.REJECT, "grace", change=CALLED)) is None


@pytest.mark.parametrize(("step", "status"), [(step, status) for step in FROM for status in ChangeStatus])
def test_the_table_of_transitions(step: Step, status: ChangeStatus) -> None:
    refused = code(asked(step, change=replace(CHANGE, status=status)))
    allowed = {
        Step.CALL_BACK: {"PROPOSED"},
        Step.CONFIRM: {"CALLED_BACK"},
        Step.REJECT: {"PROPOSED", "CALLED_BACK"},
    }[step]
    assert (refused == Code.INVALID_TRANSITION) == (status not in allowed)


@pytest.mark.parametrize("phone", ["+41 44 000 00 01", "000", "", "Ada", "+41 44 000 00 00 ext 5", "+"])
def test_only_a_number_on_record_is_called_back(phone: str) -> None:
    assert code(asked(Step.CALL_BACK, phone=phone)) == Code.VERIFICATION_REFUSED


@pytest.mark.parametrize(
    ("since", "days", "refused"),
    [("2026-03-09", 1, False), ("2026-03-10", 1, True), ("2026-03-11", 1, True), ("2026-03-01", 30, True),
     ("2026-02-08", 30, False)],
)  # fmt: skip
def test_a_number_counts_that_was_trusted_before_the_request(since: str, days: int, refused: bool) -> None:
    """D-28: the phone on record was changed after a mail, nine days before; a company may ask for thirty."""
    contact = replace(ADA, trusted_since=date.fromisoformat(since))
    found = code(asked(Step.CALL_BACK, contacts=(contact,), trusted_days=days))
    assert (found == Code.VERIFICATION_REFUSED) == refused


def test_of_two_contacts_with_one_number_the_longer_trusted_one_counts() -> None:
    late = replace(ADA, name="Bob", trusted_since=date(2026, 3, 10))
    assert code(asked(Step.CALL_BACK, contacts=(late, ADA))) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("+41 44 000 00 00", "+41440000000", True), ("0041 (44) 000-00-00", "+41 44 000 00 00", True),
     ("+41\u00a044\u2011000 00 00", "+41440000000", True), ("044 000 00 00", "+41 44 000 00 00", False),
     ("", "", False)],
)  # fmt: skip
def test_phones_are_the_same_however_their_digits_are_grouped(one: str, other: str, same: bool) -> None:
    assert same_phone(one, other) == same
