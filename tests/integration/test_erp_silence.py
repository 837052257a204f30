"""Approving one exception never pays another in silence: each situation with its figures."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from tests.support.erp import BANK_CHANGE, RunningErp, Seeded, invoice, line, situation


@dataclass(frozen=True, slots=True)
class Two:
    """One invoice with several reasons at once; `payable` is what they let through together."""

    title: str
    reasons: dict[str, str]
    """Each with the amount at issue."""
    total: str
    payable: str
    seed: dict[str, Any]


def two_lines() -> dict[str, Any]:
    """Ordered 100 @ 10.00 and 50 @ 4.00, of the second 20 came; billed 100 @ 10.40 and 50 @ 4.00."""
    bolt = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "100.000", "price": "10.00"}
    nut = {"item": "NUT-M8", "description": "Nut", "unit": "EA", "quantity": "50.000", "price": "4.00"}
    received = [{"line": 1, "quantity": "100.000"}, {"line": 2, "quantity": "20.000"}]
    lines = [line(price="10.40"), line(po_line=2, item="NUT-M8", quantity="50.000", price="4.00")]
    receipt = {"ref": "receipt", "order": "order", "date": "2026-03-05", "lines": received}
    return situation(invoice(lines=lines), order={"lines": [bolt, nut]}, receipts=[receipt])


CASES = [
    Two("price + quantity", {"PRICE_VARIANCE": "40.00", "QTY_OVER_RECEIPT": "416.00"}, "1040.00", "600.00",
        situation(invoice(lines=[line(price="10.40")]), received="60.000")),
    Two("price + freight", {"PRICE_VARIANCE": "40.00", "UNPLANNED_CHARGE": "85.00"}, "1125.00", "1000.00",
        situation(invoice(lines=[line(price="10.40")], freight="85.00"))),
    Two("substitution + quantity", {"ITEM_SUBSTITUTED": "120.00", "QTY_OVER_RECEIPT": "448.00"}, "1120.00", "600.00",
        situation(invoice(lines=[line(price="11.20", item="BOLT-M8-INOX")]), received="60.000")),
    Two("quantity + freight", {"QTY_OVER_RECEIPT": "400.00", "UNPLANNED_CHARGE": "85.00"}, "1085.00", "600.00",
        situation(invoice(freight="85.00"), received="60.000")),
    Two("bank change + quantity", {"VENDOR_BANK_CHANGED": "1000.00", "QTY_OVER_RECEIPT": "400.00"}, "1000.00", "0.00",
        situation(invoice(), received="60.000", bank_changes=[BANK_CHANGE])),
    Two("two lines with different reasons", {"PRICE_VARIANCE": "40.00", "QTY_OVER_RECEIPT": "120.00"}, "1240.00",
        "1080.00", two_lines()),
]  # fmt: skip
BY_TITLE = {one.title: one for one in CASES}


async def seeded_with(erp: RunningErp, case: Two) -> tuple[Seeded, dict[str, Any], dict[str, str]]:
    seed = _fresh(case.seed)
    seeded = await erp.seed(seed)
    found = await seeded.invoice()
    return seeded, found, {one["reason"]: one["id"] for one in found["exceptions"]}


def _fresh(seed: dict[str, Any]) -> dict[str, Any]:
    """The same figures under ids of their own."""
    other = situation()
    number = other["orders"][0]["number"]
    vendor = seed["vendor"] | {"id": other["vendor"]["id"]}
    orders = [one | {"number": number} for one in seed["orders"]]
    return seed | {
        "vendor": vendor,
        "orders": orders,
        "invoices": [one | {"po_reference": number} for one in seed["invoices"]],
    }


@pytest.mark.parametrize("case", CASES, ids=[one.title for one in CASES])
async def test_the_reasons_their_amounts_and_what_they_let_through(erp: RunningErp, case: Two) -> None:
    _, found, _ = await seeded_with(erp, case)
    assert {one["reason"]: one["amount"] for one in found["exceptions"]} == case.reasons
    assert (found["computed_total"], found["payable"]) == (case.total, case.payable)


@pytest.mark.parametrize("case", CASES, ids=[one.title for one in CASES])
async def test_naming_one_reason_approves_nothing(erp: RunningErp, case: Two) -> None:
    _, found, named = await seeded_with(erp, case)
    barred = "BANK_CHANGE_UNVERIFIED" if "VENDOR_BANK_CHANGED" in named else "EXCEPTION_OPEN"
    for chosen in [some for few in range(len(named)) for some in combinations(named, few)]:
        settles = [named[reason] for reason in chosen]
        refused = await erp.send("approve-variance", found, by="ines.vogel", settles=settles)
        assert (refused.status_code, refused.json()["code"]) == (422, barred), chosen
        if barred == "EXCEPTION_OPEN":
            missing = {named[reason]: reason for reason in named if reason not in chosen}
            assert refused.json()["values"] == {"missing": missing, "payable": case.payable}
    unchanged = await erp.get(f"/invoices/{found['id']}")
    assert (unchanged["status"], unchanged["version"], unchanged["approved_amount"]) == ("EXCEPTION", 1, None)


@pytest.mark.parametrize("case", [one for one in CASES if one.payable != "0.00"], ids=lambda one: one.title)
async def test_naming_all_of_them_pays_the_whole_and_settles_each(erp: RunningErp, case: Two) -> None:
    seeded, found, named = await seeded_with(erp, case)
    paid = await erp.send("approve-variance", found, by="ines.vogel", settles=sorted(named.values()))
    assert (paid.json()["amount"], sorted(paid.json()["settled"])) == (case.total, sorted(named.values()))
    assert (await seeded.invoice())["approved_amount"] == case.total


@pytest.mark.parametrize("case", [one for one in CASES if one.payable != "0.00"], ids=lambda one: one.title)
async def test_a_short_pay_of_what_all_let_through_names_none_and_one_cent_more_names_all(
    erp: RunningErp, case: Two
) -> None:
    seeded, found, named = await seeded_with(erp, case)
    cent_more = f"{case.payable[:-1]}1"
    refused = await erp.send("short-pay", found, by="ines.vogel", amount=cent_more)
    assert refused.json()["code"] == "EXCEPTION_OPEN"
    one_named = await erp.send("short-pay", found, by="ines.vogel", amount=cent_more, settles=[min(named.values())])
    assert one_named.json()["code"] == "EXCEPTION_OPEN"
    paid = await erp.send("short-pay", found, by="ines.vogel", amount=case.payable)
    assert (paid.status_code, (await seeded.invoice())["approved_amount"]) == (200, case.payable)


async def test_a_bank_change_lets_nothing_through_whatever_is_named(erp: RunningErp) -> None:
    _, found, named = await seeded_with(erp, BY_TITLE["bank change + quantity"])
    for action, body in (("approve-variance", {}), ("short-pay", {"amount": "0.01"})):
        refused = await erp.send(action, found, by="ines.vogel", settles=sorted(named.values()), **body)
        assert refused.json()["code"] == "BANK_CHANGE_UNVERIFIED"


async def test_masked_findings_are_named_too(erp: RunningErp) -> None:
    """Two bills of 50, of which 50 came: the second may be the first again, and if it is not, nothing came for it."""
    twins = situation(
        invoice("first", number="B-1", lines=[line(quantity="50")], settled="APPROVED"),
        invoice("second", number="B-2", date="2026-03-12", lines=[line(quantity="50")]),
        received="50.000",
    )
    seeded = await erp.seed(twins)
    second = await seeded.invoice("second")
    (open_one,) = second["exceptions"]
    assert open_one["reason"] == "POSSIBLE_DUPLICATE"
    (masked,) = open_one["masked"]
    assert masked["reason"] in ("NO_RECEIPT", "QTY_OVER_RECEIPT")
    refused = await erp.send("approve-variance", second, by="ines.vogel", settles=[open_one["id"]])
    assert refused.json()["values"]["missing"] == {masked["id"]: "masked"}
    paid = await erp.send("approve-variance", second, by="ines.vogel", settles=[open_one["id"], masked["id"]])
    assert (paid.status_code, paid.json()["settled"]) == (200, [open_one["id"]])


@pytest.mark.parametrize(("action", "body"), [("approve-variance", {}), ("short-pay", {"amount": "1040.00"})])
async def test_what_is_held_is_paid_by_name_or_not_at_all(erp: RunningErp, action: str, body: dict[str, Any]) -> None:
    """M-16: every path that pays looks at the hold; it is paid over only where the decider names what is held."""
    _, found, named = await seeded_with(erp, BY_TITLE["price + freight"])
    await erp.send("hold", found, by="emma.lind", exception_id=named["UNPLANNED_CHARGE"])
    held = await erp.get(f"/invoices/{found['id']}")
    refused = await erp.send(action, held, by="ines.vogel", settles=[named["PRICE_VARIANCE"]], **body)
    assert (refused.status_code, refused.json()["code"]) == (422, "EXCEPTION_OPEN")
    assert refused.json()["values"]["missing"] == {named["UNPLANNED_CHARGE"]: "UNPLANNED_CHARGE"}
    after = await erp.get(f"/invoices/{found['id']}")
    assert (after["status"], after["version"]) == ("ON_HOLD", held["version"])


async def test_a_hold_on_one_dispute_leaves_the_rest_payable_and_its_release_frees_nothing(erp: RunningErp) -> None:
    """M-25: 2,000.00 billed, 300.00 of it disputed as freight: 1,700.00 can be paid, and the 300.00 are not."""
    ordered = {name: value for name, value in line(price="17.00").items() if name != "po_line"}
    seed = situation(invoice(lines=[line(price="17.00")], freight="300.00"), order={"lines": [ordered]})
    seeded = await erp.seed(seed)
    charge = seeded.exception("UNPLANNED_CHARGE")
    await erp.send("hold", await seeded.invoice(), by="emma.lind", exception_id=charge)
    held = await seeded.invoice()
    assert (held["computed_total"], held["payable"], held["status"]) == ("2000.00", "1700.00", "ON_HOLD")
    await erp.send("release-hold", held, by="grace.hall", exception_id=charge)
    released = await seeded.invoice()
    assert (released["payable"], released["status"]) == ("1700.00", "EXCEPTION")
    refused = await erp.send("short-pay", released, by="ines.vogel", amount="1999.99")
    assert refused.json()["code"] == "EXCEPTION_OPEN"
    paid = await erp.send("short-pay", released, by="ines.vogel", amount="1700.00")
    assert paid.json()["amount"] == "1700.00"
