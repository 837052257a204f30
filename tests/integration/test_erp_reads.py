"""Reads at the office door: what they promise in OpenAPI they keep."""

import pytest
from pydantic import BaseModel
from tests.support.erp import BANK_CHANGE, RunningErp, invoice, line, situation

from deskworld_erp.audit.schemas import AuditRows, ChainView
from deskworld_erp.events.schemas import DeadLetters, Feed
from deskworld_erp.invoicing.schemas import (
    CommandOutcome,
    ExceptionsView,
    ExceptionView,
    InvoicesView,
    InvoiceView,
    SimilarsView,
)
from deskworld_erp.purchasing.schemas import OrdersView, OrderView
from deskworld_erp.receiving.schemas import ReceiptsView
from deskworld_erp.vendors.schemas import VendorsView, VendorView
from deskworld_kit.ids import new_id


async def test_every_answer_has_the_shape_that_the_contract_gives(erp: RunningErp) -> None:
    two = (invoice("first", number="R-1", lines=[line(price="10.40123")]), invoice("second", number="r 01"))
    seeded = await erp.seed(situation(*two, bank_changes=[BANK_CHANGE]))
    found = await seeded.invoice("second")
    exception = seeded.exception("DUPLICATE")
    await erp.send("hold", found, by="emma.lind", key="shape-1", exception_id=exception)
    number = seeded.record("order")["number"]
    shapes: list[tuple[str, type[BaseModel]]] = [
        (f"/invoices/{found['id']}", InvoiceView),
        (f"/invoices/{found['id']}/similar", SimilarsView),
        (f"/vendors/{seeded.vendor_id}", VendorView),
        (f"/vendors/{seeded.vendor_id}/invoices", InvoicesView),
        (f"/invoices?vendor_id={seeded.vendor_id}", InvoicesView),
        ("/vendors?limit=2", VendorsView),
        ("/purchase-orders?limit=2", OrdersView),
        (f"/purchase-orders/{number}", OrderView),
        (f"/purchase-orders/{number}/receipts", ReceiptsView),
        (f"/match-exceptions/{exception}", ExceptionView),
        ("/match-exceptions?status=OPEN&limit=2", ExceptionsView),
        ("/commands/shape-1", CommandOutcome),
        ("/events", Feed),
        ("/events/dead-letters", DeadLetters),
    ]
    for path, shape in shapes:
        shape.model_validate(await erp.get(path))
    for path, guarded in (("/audit?limit=3", AuditRows), ("/audit/verify", ChainView)):
        guarded.model_validate(await erp.get(path, by="kira.stone"))


async def test_an_etag_spares_a_second_answer_until_something_changes(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = await seeded.invoice()
    path, headers = f"/invoices/{found['id']}", erp.headers("desk")
    first = await erp.office.get(path, headers=headers)
    again = await erp.office.get(path, headers=headers | {"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await erp.send("reject", found, by="grace.hall")
    changed = await erp.office.get(path, headers=headers | {"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


async def test_pages_go_on_where_the_one_before_ended(erp: RunningErp) -> None:
    bills = [invoice(f"i{n}", number=f"N-{n}", lines=[line(quantity=f"{n}", price="99.00")]) for n in range(1, 6)]
    seeded = await erp.seed(situation(*bills))
    seen, cursor = [], ""
    while cursor is not None:
        page = await erp.get(f"/vendors/{seeded.vendor_id}/invoices?limit=2{cursor and '&cursor=' + cursor}")
        seen += [one["number"] for one in page["items"]]
        cursor = page["next"]
    assert seen == [f"N-{n}" for n in range(1, 6)]

    listed, cursor = [], ""
    while cursor is not None:
        page = await erp.get(f"/match-exceptions?limit=50{cursor and '&cursor=' + cursor}")
        listed += [one["id"] for one in page["items"]]
        cursor = page["next"]
    assert listed == sorted(set(listed))
    assert {one["id"] for one in seeded.answer["exceptions"]} <= set(listed)


async def test_the_feed_goes_on_from_its_cursor_and_says_where_even_when_nothing_is_new(erp: RunningErp) -> None:
    position = (await erp.get("/events?limit=200"))["next"]
    while (page := await erp.get(f"/events?limit=200&after={position}"))["items"]:
        position = page["next"]
    assert page["next"] == position
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    fresh = await erp.get(f"/events?after={position}")
    assert [event["subject"] for event in fresh["items"]] == [seeded.exception("PRICE_VARIANCE")]


@pytest.mark.parametrize(
    "path",
    [
        "/invoices/nothing",
        "/vendors/%00",
        "/purchase-orders/%00",
        "/purchase-orders/" + "x" * 300,
        "/match-exceptions?cursor=%00",
        "/match-exceptions?cursor=!!",
        "/match-exceptions?status=SHUT",
        "/match-exceptions?limit=0",
        "/match-exceptions?limit=1e3",
        "/events?after=YWJj",
        "/commands/%00",
    ],
)
async def test_hostile_paths_are_refused_in_words(erp: RunningErp, path: str) -> None:
    answer = await erp.office.get(path, headers=erp.headers("desk"))
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "kind",
    [
        "invoices/{}",
        "invoices/{}/similar",
        "vendors/{}",
        "vendors/{}/invoices",
        "purchase-orders/{}",
        "purchase-orders/{}/receipts",
        "match-exceptions/{}",
    ],
)
async def test_what_is_not_there_is_not_found(erp: RunningErp, kind: str) -> None:
    answer = await erp.office.get("/" + kind.format(new_id()), headers=erp.headers("desk"))
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_both_doors_say_that_they_are_well(erp: RunningErp) -> None:
    for door in (erp.office, erp.stage):
        well = {"status": "ok", "checks": {"database": "ok", "dispatcher": "ok"}}
        assert (await door.get("/health")).json() == well


async def test_lists_are_narrowed_and_name_what_they_found(erp: RunningErp) -> None:
    bills = (invoice("dear", number="L-1", lines=[line(price="99.00", quantity="10")]), invoice("fine", number="L-2"))
    situations = (situation(*bills, received="110"), situation(invoice()))
    name = f"Lister {new_id()[-8:]}"
    for one in situations:
        one["vendor"]["name"] = f"{name} AG"
    seeded, other = [await erp.seed(one) for one in situations]
    mine, dear = f"vendor_id={seeded.vendor_id}", seeded.record("dear")
    number = seeded.record("order")["number"]
    for path, expected in (
        (f"/invoices?{mine}", ["L-1", "L-2"]),
        (f"/invoices?{mine}&status=EXCEPTION", ["L-1", "L-2"]),
        (f"/invoices?{mine}&number=L-2", ["L-2"]),
        (f"/invoices?{mine}&status=REJECTED", []),
        (f"/invoices?po_number={number}", ["L-1", "L-2"]),
    ):
        assert [one["number"] for one in (await erp.get(path))["items"]] == expected, path
    named = await erp.get(f"/invoices?id={dear['id']}&id={new_id()}")
    assert named["ids"] == [dear["id"], "L-1"], "what is not there is not echoed"
    raised = await erp.get(f"/match-exceptions?{mine}&reason=PRICE_VARIANCE&invoice_id={dear['id']}")
    assert raised["ids"] == [seeded.exception("PRICE_VARIANCE")]
    assert (await erp.get(f"/purchase-orders?{mine}"))["ids"] == seeded.record("order")["forms"]
    assert (await erp.get(f"/purchase-orders?{mine}&buyer=bruno.costa"))["items"] == []
    vendors = await erp.get(f"/vendors?name={name.upper()}")
    assert {seeded.vendor_id, other.vendor_id} <= set(vendors["ids"])
    assert (await erp.get("/vendors?name=%25"))["items"] == [], "a per cent sign is a letter like another"


async def test_pages_do_not_shift_while_records_are_added(erp: RunningErp) -> None:
    first = await erp.seed(situation(*(invoice(f"i{n}", number=f"P-{n}") for n in range(3))))
    path = f"/invoices?vendor_id={first.vendor_id}&limit=2"
    page = await erp.get(path)
    for _ in range(3):
        await erp.seed(situation(invoice()))
    rest = await erp.get(f"{path}&cursor={page['next']}")
    assert [one["number"] for one in (*page["items"], *rest["items"])] == ["P-0", "P-1", "P-2"]
    assert rest["next"] is None


async def test_every_read_has_a_validator_and_is_spared_when_nothing_changed(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found, number = seeded.record("invoice")["id"], seeded.record("order")["number"]
    exception = seeded.exception("PRICE_VARIANCE")
    for path in (
        f"/invoices/{found}",
        f"/invoices/{found}/similar",
        f"/invoices?vendor_id={seeded.vendor_id}",
        f"/vendors/{seeded.vendor_id}",
        f"/purchase-orders/{number}",
        f"/purchase-orders/{number}/receipts",
        f"/match-exceptions/{exception}",
    ):
        first = await erp.office.get(path, headers=erp.headers("desk"))
        for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}', "*"):
            again = await erp.office.get(path, headers=erp.headers("desk") | {"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        other = await erp.office.get(path, headers=erp.headers("desk") | {"If-None-Match": '"other"'})
        assert (other.status_code, other.content) == (200, first.content)
