"""The input of the routing policy says everything in full: unknown is a word, never a gap."""

from decimal import Decimal
from typing import Any

import pytest
from tests.support.desk_ap import ACCOUNT_ID, CASE_ID, CHANGE_ID, VENDOR_ID, case, exception, invoice, order, vendor
from tests.support.policy import routing

from deskworld_desk.worlds.ap.drafting import amount_of, draft, settled_by
from deskworld_desk.worlds.ap.records import Invoice, Order, Vendor
from deskworld_desk.worlds.ap.routing import Known, Proposed, cites_bank, proposal_input, tool_input

EVERYTHING = Known(
    invoice=Invoice.model_validate(invoice()),
    order=Order.model_validate(order()),
    vendor=Vendor.model_validate(vendor()),
)


def proposed(action: str = "approve-variance", amount: str | None = "1040.00", **changes: Any) -> Proposed:
    plain: dict[str, Any] = {
        "action": action,
        "amount": None if amount is None else Decimal(amount),
        "settles": (CASE_ID,),
        "against": None,
        "citations": ("INV-00734",),
        "ungrounded": (),
    }
    return Proposed(**plain | changes)


def asked(known: Known = EVERYTHING, what: Proposed | None = None, **changes: Any) -> dict[str, Any]:
    return proposal_input(case(**changes), "agent", what or proposed(), known, asked_this_turn=False)


def gaps(value: Any, path: str = "input") -> list[str]:
    if value is None:
        return [path]
    if isinstance(value, dict):
        return [gap for name, item in value.items() for gap in gaps(item, f"{path}.{name}")]
    if isinstance(value, list):
        return [gap for item in value for gap in gaps(item, f"{path}[]")]
    return []


def test_a_variance_within_limits_goes_to_the_buyer_of_the_order() -> None:
    decided = routing(asked())
    assert (decided["effect"], decided["role"], decided["user"]) == ("route", "buyer", "anna.keller")


@pytest.mark.parametrize("known", [EVERYTHING, Known()], ids=["everything read", "nothing read"])
def test_nothing_in_the_input_is_null(known: Known) -> None:
    assert gaps(asked(known)) == []
    assert gaps(tool_input(case(), "agent", "get_invoice", known, asked_this_turn=False)) == []


def test_what_could_not_be_read_is_refused_and_never_routed() -> None:
    for known in (
        Known(),
        Known(invoice=EVERYTHING.invoice),
        Known(order=EVERYTHING.order, vendor=EVERYTHING.vendor),
    ):
        assert routing(asked(known))["effect"] == "refuse"


def test_an_unread_order_leaves_the_decision_to_a_manager_and_to_no_buyer() -> None:
    decided = routing(asked(Known(invoice=EVERYTHING.invoice, vendor=EVERYTHING.vendor)))
    assert (decided["effect"], decided["role"]) == ("route", "ap-manager")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"instructions_seen": True}, "MAIL_INSTRUCTIONS"),
        ({"reader_failed": True}, "MAIL_UNREAD"),
        ({"memory": {"credit": "requested"}}, "CREDIT_MEMO_PENDING"),
    ],
)
def test_what_the_case_has_seen_bars_a_payment(changes: dict[str, Any], code: str) -> None:
    assert code in [reason["code"] for reason in routing(asked(**changes))["reasons"]]


def test_an_unverified_bank_change_bars_a_payment_and_a_letter_to_the_vendor() -> None:
    pending = Known(invoice=EVERYTHING.invoice, vendor=Vendor.model_validate(vendor(pending=True)))
    letter = tool_input(case(), "agent", "email_vendor", pending, asked_this_turn=False)
    for question in (asked(pending), letter):
        assert [reason["code"] for reason in routing(question)["reasons"]] == ["BANK_UNVERIFIED"]


def test_a_letter_waits_for_bank_facts_that_are_known() -> None:
    letter = tool_input(case(), "agent", "email_vendor", Known(), asked_this_turn=False)
    assert [reason["code"] for reason in routing(letter)["reasons"]] == ["BANK_UNKNOWN"]


@pytest.mark.parametrize("tool", ["get_invoice", "get_vendor", "note_case", "wait", "keep_hold", "ask_buyer"])
def test_tools_that_only_read_or_ask_are_allowed(tool: str) -> None:
    assert routing(tool_input(case(), "agent", tool, Known(), asked_this_turn=True))["effect"] == "allow"


def test_a_tool_that_the_allow_list_does_not_name_is_refused() -> None:
    assert routing(tool_input(case(), "agent", "pay_now", Known(), asked_this_turn=False))["effect"] == "refuse"


@pytest.mark.parametrize("cited", [VENDOR_ID, CHANGE_ID, ACCOUNT_ID])
def test_a_bank_hold_may_cite_the_vendor_or_the_change(cited: str) -> None:
    pending = Vendor.model_validate(vendor(pending=True))
    assert cites_bank(pending, ("INV-00734", cited)) is True
    assert cites_bank(pending, ("INV-00734",)) is False


def test_an_ungrounded_citation_is_named_in_the_refusal() -> None:
    decided = routing(asked(what=proposed(ungrounded=("PO-999",))))
    assert "PO-999" in decided["reasons"][0]["text"]


def test_an_approval_pays_what_stands_to_approve_whatever_was_asked() -> None:
    document = Invoice.model_validate(invoice(stated_total="1030.00", credits="30.00"))
    assert amount_of("approve-variance", Decimal(5), document) == Decimal("1000.00")
    assert amount_of("short-pay", Decimal(5), document) == Decimal(5)
    assert amount_of("hold", Decimal(5), document) is None


def test_what_pays_settles_the_own_exception_unless_others_are_named() -> None:
    assert settled_by("approve-variance", None, "x-1") == ("x-1",)
    assert settled_by("short-pay", ("x-2",), "x-1") == ("x-2",)
    assert settled_by("hold", None, "x-1") == ()


def test_the_version_of_a_proposal_is_the_one_that_was_read() -> None:
    document = Invoice.model_validate(invoice(exception(), version=7))
    made = draft(case(), "agent", proposed(), Known(invoice=document), rationale="Within tolerance.")
    assert (made.version, made.routing_input["facts"]["invoice"]["version"]) == (7, 7)
