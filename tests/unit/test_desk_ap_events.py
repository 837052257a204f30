"""What the ERP's events mean for cases."""

from typing import Any

import pytest

from deskworld_desk.world import Changed, Closes, Opens, Rechecked
from deskworld_desk.worlds.ap.events import hear

CAUSE = {"kind": "receipt", "id": "r-1", "decision_id": None}


def event(kind: str, **data: Any) -> dict[str, Any]:
    plain = {
        "exception_id": "x-1",
        "invoice_id": "i-1",
        "vendor_id": "v-1",
        "po_number": "PO-1",
        "reason": "PRICE_VARIANCE",
        "amount": "40.00",
        "currency": "USD",
        "holds": [],
        "invoice_version": 3,
        "cause": CAUSE,
    }
    return {"id": "e-1", "type": f"deskworld.erp.{kind}", "subject": "x-1", "data": plain | data}


def test_a_raised_exception_opens_a_case_under_its_own_id() -> None:
    happening = hear(event("match-exception.raised", summary="…", masked=[])).happening
    assert isinstance(happening, Opens)
    assert (happening.case_id, happening.record_id, happening.version) == ("x-1", "i-1", 3)


def test_a_resolved_exception_closes_its_case_and_says_by_whose_command() -> None:
    heard = hear(event("match-exception.resolved", cause={"kind": "command", "id": "k", "decision_id": "d-1"}))
    assert isinstance(heard.happening, Closes)
    assert heard.decision_id == "d-1"


def test_a_credit_note_is_remembered_by_the_case_that_waits_for_it() -> None:
    held = event("match-exception.rechecked", holds=[{"id": "h"}], cause=CAUSE | {"kind": "credit-note"})
    happening = hear(held).happening
    assert isinstance(happening, Rechecked)
    assert (happening.held, happening.remembers) == (True, {"credit": "received"})


@pytest.mark.parametrize(("status", "final"), [("APPROVED", True), ("REJECTED", True), ("ON_HOLD", False)])
def test_an_approved_or_rejected_invoice_is_done(status: str, *, final: bool) -> None:
    happening = hear(event("invoice.changed", status=status, version=4, decision_id=None)).happening
    assert isinstance(happening, Changed)
    assert happening.final == final


def test_goods_alone_touch_no_case_until_the_match_says_so() -> None:
    assert hear(event("receipt.posted")).happening is None


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "e", "type": "somebody.else", "subject": "s", "data": {}},
        {"id": "e", "type": "deskworld.erp.match-exception.raised", "subject": "s", "data": {}},
        event("match-exception.resolved", cause=None),
    ],
)
def test_what_is_no_event_of_the_erp_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        hear(broken)
