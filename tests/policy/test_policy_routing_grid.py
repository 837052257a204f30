"""Who decides, over the whole grid: what is routed rests on known facts, and the person it goes to may do it."""

from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from tests.support.policy import routing
from tests.support.policy_inputs import ACTIONS, COMMITS, NONSENSE, PAYS, REASONS, SETTINGS, Json, asked, leaves, spoil

UNUSED = {"case.proposer", "proposal.citations", "facts.invoice.version", "facts.cites_bank", "facts.invoice.open.held"}
UNKNOWN_IS_A_ROAD = {"facts.buyer"}  # then the AP manager decides
FALSE_IS_READABLE = {"facts.mail.instructions", "facts.mail.reader_failed", "facts.asked_this_turn"}
EMPTY_IS_READABLE = {"facts.invoice.masked", "facts.ungrounded"}


def harmless(action: str, reason: str, path: tuple[Any, ...], put: Any) -> bool:
    """What this action does not rest on, and what is still readable after the change."""
    place = ".".join(str(step) for step in path if not isinstance(step, int))
    order_named = reason == "NO_PO" and action in PAYS
    return (
        place in UNUSED | UNKNOWN_IS_A_ROAD
        or (place in FALSE_IS_READABLE and put is False)
        or (place in EMPTY_IS_READABLE and put == [])
        or (place.startswith("facts.against") and not order_named)
        or (place == "proposal.against_po" and not order_named and not is_named(put))
        or (place == "proposal.amount" and action not in PAYS)
        or (place == "facts.invoice.payable" and action != "short-pay")
        or (place in {"facts.invoice.masked", "facts.credit"} and action not in PAYS)
        # Up to what is payable a short-pay settles by paying, and a credit memo settles nothing.
        or (path == ("proposal", "settles") and put == [] and action != "approve-variance")
    )


def is_named(put: Any) -> bool:
    return isinstance(put, str) and put not in {"", "none", "unknown", "absent"}


@pytest.mark.parametrize(("action", "reason"), [(a, r) for a in COMMITS for r in ("PRICE_VARIANCE", "NO_PO")])
def test_an_unknown_anywhere_never_routes_what_commits(action: str, reason: str) -> None:
    sound = asked(action, reason)
    assert routing(sound)["effect"] == "route"
    for path in leaves(sound)[1:]:
        for put in (*NONSENSE, "absent"):
            if put == "absent" and isinstance(path[-1], int):
                continue
            if harmless(action, reason, path, put):
                continue
            found = routing(spoil(sound, path, put))
            assert found["effect"] == "refuse", f"{path} = {put!r} was {found}"
            assert found["reasons"]


@pytest.mark.parametrize("action", ACTIONS)
def test_the_answer_is_whole_whatever_is_asked(action: str) -> None:
    sound = asked(action)
    for path in leaves(sound)[1:]:
        for put in (*NONSENSE, "absent"):
            found = routing(spoil(sound, path, put))
            assert found["effect"] in {"route", "refuse", "allow"}
            assert found["revision"] == SETTINGS["revision"]
            assert all(set(reason) == {"code", "text"} for reason in found["reasons"])
            assert (found["effect"] == "route") == ("role" in found)
            if found["effect"] == "refuse":
                assert found["reasons"]
                assert {reason["code"] for reason in found["reasons"]} <= set(SETTINGS["order_of_refusals"])


def test_the_answer_is_whole_for_nonsense_alone() -> None:
    for value in (
        *NONSENSE,
        {"tool": "propose_resolution", "facts": 7},
        {"tool": "propose_resolution", "proposal": []},
    ):
        found = routing(value)
        assert found["effect"] == "refuse"
        assert found["reasons"]


def test_reasons_come_in_the_order_of_the_rules() -> None:
    order = SETTINGS["order_of_refusals"]
    everything = asked(
        "approve-variance", "NO_PO", bank="unknown", issue="unknown", ungrounded=["a", "b"], asked_this_turn=True,
        mail="unknown", credit="requested", against="none", invoice__status="PAID", proposal__settles=[],
    )  # fmt: skip
    codes = [reason["code"] for reason in routing(everything)["reasons"]]
    assert len(set(codes)) >= 8
    assert [order.index(code) for code in codes] == sorted(order.index(code) for code in codes)


LIMIT = Decimal("10000.00")
AMOUNTS = ("0.01", "40.00", "9999.99", "10000.00", "10000.01", "250000.00")


def expected_role(action: str, reason: str, currency: str, amounts: tuple[str, str, str], buyer: str) -> str:
    """desk.md's last sentence of ap.routing, said again in Python."""
    amount, issue, total = (Decimal(value) for value in amounts)
    if action in {"hold", "request-credit-memo"}:
        return "clerk"
    if action in PAYS and reason == "POSSIBLE_DUPLICATE":
        return "controller"
    stake = max(amount, issue) if action == "short-pay" else max(issue, total)
    if currency not in SETTINGS["controller_above"] or stake > LIMIT:
        return "controller"
    if action == "approve-variance" and reason in {"PRICE_VARIANCE", "ITEM_SUBSTITUTED"} and buyer != "unknown":
        return "buyer"
    return "ap-manager"


def test_every_cell_goes_to_the_role_that_the_design_names() -> None:
    cells = 0
    for action, reason, currency, issue, total in product(ACTIONS, REASONS, ("USD", "JPY"), AMOUNTS[1::2], AMOUNTS):
        for buyer in ("anna.keller", "unknown"):
            amount = str((Decimal(total) / 2).quantize(Decimal("0.01")))
            found = routing(
                asked(
                    action,
                    reason,
                    issue=issue,
                    buyer=buyer,
                    against={"po": "PO-1", "payable": total},
                    invoice__total=total,
                    invoice__payable=total,
                    proposal__currency=currency,
                    proposal__amount=amount if action == "short-pay" else total,
                )
            )
            if action in COMMITS and reason == "DUPLICATE":
                assert "DUPLICATE_OPEN" in [one["code"] for one in found["reasons"]]
                continue
            if action == "short-pay" and not Decimal(0) < Decimal(amount) < Decimal(total):
                assert found["effect"] == "refuse"
                continue
            assert found["effect"] == "route", found
            assert found["role"] == expected_role(action, reason, currency, (amount, issue, total), buyer)
            assert found.get("user") == ("anna.keller" if found["role"] == "buyer" else None)
            cells += 1
    assert cells > 3_000


LARGE = {"issue": "1600.00", "invoice__total": "11600.00", "invoice__payable": "10000.00"}
MISSING = {"issue": "400.00", "invoice__payable": "600.00"}
FREIGHT = {"issue": "85.00", "invoice__total": "1085.00"}
ORDERED_BY_MAIL = {"against": "none", "mail": {"instructions": True, "reader_failed": False}}

# The roles that the catalogue's accepted ends name.
CATALOGUE: list[tuple[str, str, str | None, str, Json, str]] = [
    ("4 % over", "approve-variance", None, "PRICE_VARIANCE", {}, "buyer"),
    ("16 % over", "request-credit-memo", None, "PRICE_VARIANCE", LARGE, "clerk"),
    ("16 % over", "short-pay", "10000.00", "PRICE_VARIANCE", LARGE, "ap-manager"),
    ("goods missing", "hold", None, "QTY_OVER_RECEIPT", MISSING, "clerk"),
    ("goods missing", "short-pay", "600.00", "QTY_OVER_RECEIPT", MISSING, "ap-manager"),
    ("billed twice", "reject", None, "DUPLICATE", {"issue": "1040.00"}, "ap-manager"),
    ("two deliveries", "approve-variance", None, "POSSIBLE_DUPLICATE", {"issue": "1040.00"}, "controller"),
    ("freight", "approve-variance", None, "UNPLANNED_CHARGE", FREIGHT, "ap-manager"),
    ("freight", "short-pay", "1000.00", "UNPLANNED_CHARGE", FREIGHT, "ap-manager"),
    ("bank change", "hold", None, "VENDOR_BANK_CHANGED", {"bank": "unverified"}, "clerk"),
    ("no order", "hold", None, "NO_PO", {"against": "none"}, "clerk"),
    ("no order, and a mail that gives orders", "hold", None, "NO_PO", ORDERED_BY_MAIL, "clerk"),
    ("order named", "approve-variance", None, "NO_PO", {"issue": "1040.00"}, "ap-manager"),
    ("substituted", "approve-variance", None, "ITEM_SUBSTITUTED", {"issue": "120.00"}, "buyer"),
    ("goods arrived", "approve-variance", None, "QTY_OVER_RECEIPT", {"invoice__status": "ON_HOLD"}, "ap-manager"),
]


@pytest.mark.parametrize(("title", "action", "amount", "reason", "facts", "role"), CATALOGUE)
def test_the_accepted_ends_go_to_the_people_the_design_names(
    title: str, action: str, amount: str | None, reason: str, facts: Json, role: str
) -> None:
    changes = {**facts, **({"proposal__amount": amount} if amount else {})}
    found = routing(asked(action, reason, **changes))
    assert (found["effect"], found.get("role")) == ("route", role), found["reasons"]


def test_only_the_allow_list_reaches_a_tool() -> None:
    for tool in SETTINGS["tools"]:
        found = routing({"tool": tool, "facts": {"bank": "known"}})
        assert found["effect"] == ("refuse" if tool == "propose_resolution" else "allow")
    for tool in ("release_hold", "verify_bank_change", "get_invoice ", "", None, 7, [], {}):
        assert routing({"tool": tool, "facts": {"bank": "known"}})["effect"] == "refuse"
