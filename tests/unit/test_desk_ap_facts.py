"""What the decision table asks is computed from the ERP's documents; what could not be read is unknown."""

from typing import Any

import pytest
from tests.support.desk_ap import CASE_ID, billed, case, exception, invoice, order, vendor
from tests.support.policy import resolution

from deskworld_desk.worlds.ap.facts import Read, duplicate_cover, largest_line_variance, resolution_input
from deskworld_desk.worlds.ap.records import Invoice, Order, Similar, Vendor


def read(document: dict[str, Any], **others: Any) -> Read:
    return Read(Invoice.model_validate(document), **others)


def an_order(*lines: dict[str, Any]) -> Order:
    return Order.model_validate(order(*lines))


@pytest.mark.parametrize(
    ("price", "percent"),
    [("10.40", "4.00"), ("11.00", "10.00"), ("11.01", "10.10"), ("10.000001", "0.00001"), ("9.00", "-10.00")],
)
def test_the_variance_is_the_largest_percentage_over_the_order_price(price: str, percent: str) -> None:
    document = Invoice.model_validate(invoice(lines=[billed(price=price)]))
    assert largest_line_variance(document, an_order()) == percent


def test_a_variance_just_above_ten_percent_is_never_rounded_down_to_ten() -> None:
    document = Invoice.model_validate(invoice(lines=[billed(price="11.0000000001")]))
    assert largest_line_variance(document, an_order()) == "10.000001"


@pytest.mark.parametrize("change", [{"unit": "DZN"}, {"base_quantity": "100.000"}])
def test_what_is_counted_or_priced_otherwise_than_ordered_is_unknown_and_not_compared(change: dict[str, str]) -> None:
    document = Invoice.model_validate(invoice(lines=[billed(price="120.00", **change)]))
    assert largest_line_variance(document, Order.model_validate(order())) == "unknown"
    assert duplicate_cover(document, Order.model_validate(order()), ()) == "unknown"


def test_a_substituted_line_is_no_price_variance() -> None:
    document = Invoice.model_validate(invoice(lines=[billed(price="11.20", item="BOLT-M8-A2")]))
    assert largest_line_variance(document, an_order()) == "unknown"


def test_without_the_order_the_variance_is_unknown() -> None:
    assert largest_line_variance(Invoice.model_validate(invoice()), None) == "unknown"


def _history(*quantities: str, **changes: Any) -> tuple[Invoice, ...]:
    return tuple(
        Invoice.model_validate(invoice(lines=[billed(quantity=one)], sequence=1, **changes)) for one in quantities
    )


@pytest.mark.parametrize(
    ("accepted", "cover"), [("200.000", "all"), ("100.000", "none"), ("150.000", "part"), ("90.000", "none")]
)
def test_what_was_accepted_covers_all_part_or_none_beyond_earlier_invoices(accepted: str, cover: str) -> None:
    document = Invoice.model_validate(invoice(exception("POSSIBLE_DUPLICATE"), sequence=2))
    assert duplicate_cover(document, an_order({"accepted": accepted}), _history("100.000")) == cover


def test_a_rejected_earlier_invoice_takes_nothing_of_what_was_accepted() -> None:
    document = Invoice.model_validate(invoice(exception("POSSIBLE_DUPLICATE"), sequence=2))
    assert duplicate_cover(document, an_order(), _history("100.000", status="REJECTED")) == "all"


@pytest.mark.parametrize(("credited", "cover"), [("100.000", "all"), ("40.000", "part"), ("0.000", "none")])
def test_what_was_credited_on_an_earlier_invoice_is_not_taken_any_more(credited: str, cover: str) -> None:
    document = Invoice.model_validate(invoice(exception("POSSIBLE_DUPLICATE"), sequence=2))
    earlier = _history("100.000", credited={"1": credited})
    assert duplicate_cover(document, an_order({"accepted": "100.000"}), earlier) == cover


def test_an_earlier_invoice_under_an_open_duplicate_takes_nothing() -> None:
    document = Invoice.model_validate(invoice(exception("POSSIBLE_DUPLICATE"), sequence=2))
    earlier = Invoice.model_validate(invoice(exception("DUPLICATE"), sequence=1))
    assert duplicate_cover(document, an_order(), (earlier,)) == "all"


@pytest.mark.parametrize("missing", ["order", "history"])
def test_what_could_not_be_read_leaves_the_cover_unknown(missing: str) -> None:
    document = Invoice.model_validate(invoice(sequence=2))
    known = {"order": an_order(), "history": _history("100.000")} | {missing: None}
    assert duplicate_cover(document, known["order"], known["history"]) == "unknown"  # type: ignore[arg-type]


def test_a_small_variance_reaches_the_row_that_approves() -> None:
    asked = resolution_input(case(), read(invoice(), order=an_order(), vendor=Vendor.model_validate(vendor())))
    assert resolution(asked)["action"] == "approve-variance"


def test_a_decline_in_words_reaches_the_row_that_asks_for_credit() -> None:
    declined = ({"action": "approve-variance", "how": "words", "words": "We agreed 10.00."},)
    asked = resolution_input(case(declined=declined), read(invoice(), order=an_order()))
    assert asked["declined"] == [{"action": "approve-variance", "how": "words"}]
    assert resolution(asked)["action"] == "request-credit-memo"


def test_a_duplicate_is_rejected_only_when_the_original_was_found() -> None:
    document = invoice(exception("DUPLICATE"))
    found = Similar.model_validate({"invoice": {"id": "i", "number": "n", "ids": ["i", "n"]}, "why": "same-number-key"})
    for similar, action in (((found,), "reject"), ((), None), (None, None)):
        asked = resolution_input(case("DUPLICATE"), read(document, similar=similar))
        assert resolution(asked)["action"] == action


def test_an_unread_vendor_never_passes_for_one_without_a_bank_change() -> None:
    document = invoice(exception("VENDOR_BANK_CHANGED"))
    assert resolution_input(case("VENDOR_BANK_CHANGED"), read(document))["facts"]["bank_change"] == "unknown"
    pending = read(document, vendor=Vendor.model_validate(vendor(pending=True)))
    assert resolution(resolution_input(case("VENDOR_BANK_CHANGED"), pending))["action"] == "hold"


@pytest.mark.parametrize(
    ("facts", "substitution"),
    [
        ({}, {"reason": "unknown", "price": "absent"}),
        ({"substitution_reason": "OUT_OF_STOCK"}, {"reason": "known", "price": "absent"}),
        ({"substitution_reason": "OUT_OF_STOCK", "stated_price": "11.20"}, {"reason": "known", "price": "as-billed"}),
        ({"substitution_reason": "OUT_OF_STOCK", "stated_price": "10.00"}, {"reason": "known", "price": "other"}),
    ],
)
def test_a_substitution_is_known_by_what_was_established(facts: dict[str, str], substitution: dict[str, str]) -> None:
    document = invoice(exception("ITEM_SUBSTITUTED"), lines=[billed(item="BOLT-M8-A2", price="11.20")])
    asked = resolution_input(case("ITEM_SUBSTITUTED", facts=facts), read(document, order=an_order()))
    assert asked["facts"]["substitution"] == substitution


def test_masked_findings_and_siblings_are_told_to_the_table() -> None:
    masked = [{"id": "m-1", "reason": "PRICE_VARIANCE", "summary": "", "lines": [1], "amount": "1.00"}]
    sibling = exception("QTY_OVER_RECEIPT", id="x-2", holds=[{"id": "h"}])
    asked = resolution_input(case("DUPLICATE"), read(invoice(exception("DUPLICATE", masked=masked), sibling)))
    assert asked["facts"]["masked"] == ["m-1"]
    assert asked["facts"]["open"] == [
        {"id": CASE_ID, "reason": "DUPLICATE", "held": False},
        {"id": "x-2", "reason": "QTY_OVER_RECEIPT", "held": True},
    ]
