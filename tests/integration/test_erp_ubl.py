"""Real documents in: UBL invoices and credit notes at the office door, kept byte for byte, or refused by element."""

from typing import Any

import pytest
from tests.support.erp import RunningErp, Seeded, invoice, situation
from tests.support.erp_office import credited, open_reasons, post, posted, told
from tests.support.ubl import document, line, tax

from deskworld_kit.ids import new_id


async def vendor(erp: RunningErp, *invoices: dict[str, Any], **changes: Any) -> tuple[Seeded, str]:
    """A seeded vendor, and the VAT number that it alone has."""
    vat = f"DE{new_id()[-9:]}"
    described = situation(*invoices, **changes)
    described["vendor"]["identifiers"] = [{"scheme": "VAT", "value": vat}]
    return await erp.seed(described), vat


def po(seeded: Seeded) -> str:
    return str(seeded.record("order")["number"])


async def test_an_invoice_comes_in_as_xml_and_is_read_back_byte_for_byte(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    content = document(seller=vat, order=po(seeded))
    answer = await posted(erp, "/invoices", content)
    found = await erp.get(f"/invoices/{answer['id']}")
    assert (answer["kind"], answer["vendor_id"], found["status"]) == ("invoice", seeded.vendor_id, "MATCHED")
    assert (found["number"], found["po_reference"], found["payable"]) == ("RE-2026/0042", po(seeded), "1000.00")
    assert found["sums"] == {"lines": "1000.00", "net": "1000.00", "gross": "1000.00"}
    kept = await erp.office.get(f"/invoices/{answer['id']}/document", headers=erp.headers("desk"))
    assert (kept.content, kept.headers["content-type"]) == (content, "application/xml")
    assert kept.headers["content-disposition"].startswith("attachment")
    assert kept.headers["x-content-type-options"] == "nosniff"


async def test_our_json_is_read_back_as_it_came_too(erp: RunningErp) -> None:
    seeded, _ = await vendor(erp)
    one = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "1", "price": "10.00"}
    body = {"vendor_id": seeded.vendor_id, "number": "RE-1", "date": "2026-03-10", "currency": "USD", "lines": [one]}
    answer = await post(erp, "/invoices", body)
    kept = await erp.office.get(f"/invoices/{answer.json()['id']}/document", headers=erp.headers("desk"))
    assert kept.content == answer.request.content
    assert kept.headers["content-type"] == "application/json"


async def test_a_seeded_invoice_has_no_document(erp: RunningErp) -> None:
    seeded, _ = await vendor(erp, invoice())
    path = f"/invoices/{seeded.record('invoice')['id']}/document"
    assert (await erp.office.get(path, headers=erp.headers("desk"))).status_code == 404


async def test_a_credit_note_comes_in_by_the_same_door_and_takes_goods_back(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp, received="60.000")
    bill = await posted(erp, "/invoices", document(seller=vat, order=po(seeded)))
    back = line(kind="CreditNote", quantity="40")
    note = document(back, kind="CreditNote", seller=vat, credits="re 2026 42", number="CN-1", payable="400.00")
    answer = await posted(erp, "/invoices", note)
    assert (answer["kind"], answer["invoice_id"], answer["status"]) == ("credit-note", bill["id"], "MATCHED")
    found = await erp.get(f"/invoices/{bill['id']}")
    assert (found["credits"], found["credited"], found["payable"]) == ("400.00", {"1": "40.000"}, "600.00")
    kept = await erp.office.get(f"/credit-notes/{answer['id']}/document", headers=erp.headers("desk"))
    assert kept.content == note
    shown = await erp.get(f"/credit-notes/{answer['id']}")
    assert (shown["number"], shown["lines"]) == ("CN-1", [{"line": 1, "quantity": "40.000"}])


async def test_a_credit_note_on_the_price_takes_no_goods_back(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    dear = document(line(price="10.40"), seller=vat, order=po(seeded), payable="1040.00")
    bill = await posted(erp, "/invoices", dear)
    correcting = line(kind="CreditNote", price="0.40")
    note = document(correcting, kind="CreditNote", seller=vat, credits="RE-2026/0042", number="CN-1", payable="40.00")
    await posted(erp, "/invoices", note)
    found = await erp.get(f"/invoices/{bill['id']}")
    assert (found["credits"], found["credited"], told(found)) == ("40.00", {}, [("PRICE_VARIANCE", "40.00")])


@pytest.mark.parametrize(
    ("note", "element"),
    [
        ({"credits": "UNKNOWN-1"}, "CreditNote/cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID"),
        ({"totals": {"TaxInclusiveAmount": "399.00"}}, "CreditNote"),
        ({"payable": "0.00", "totals": {}}, "CreditNote/cac:LegalMonetaryTotal/cbc:PayableAmount"),
    ],
)
async def test_a_credit_note_that_cannot_be_booked_names_the_element(
    erp: RunningErp, note: dict[str, Any], element: str
) -> None:
    seeded, vat = await vendor(erp)
    await posted(erp, "/invoices", document(seller=vat, order=po(seeded)))
    quantity = "0" if note.get("payable") == "0.00" else "40"
    told_of = {"credits": "RE-2026/0042", "payable": "400.00", "number": "CN-1"} | note
    content = document(line(kind="CreditNote", quantity=quantity), kind="CreditNote", seller=vat, **told_of)
    answer = await post(erp, "/invoices", content)
    assert (answer.status_code, answer.json()["values"]["element"]) == (400, element)
    assert answer.json()["values"]["next"]


async def test_a_seller_is_known_by_its_identifiers_and_never_by_its_name(erp: RunningErp) -> None:
    seeded, _ = await vendor(erp)
    stranger = document(seller="DE000000000", order=po(seeded))
    answer = await post(erp, "/invoices", stranger)
    assert answer.status_code == 400
    assert answer.json()["values"]["value"] == "VAT DE000000000"
    assert answer.json()["values"]["element"].endswith("cac:PartyTaxScheme/cbc:CompanyID")
    contradicted = await post(erp, f"/invoices?vendor_id={seeded.vendor_id}", stranger)
    assert contradicted.status_code == 400
    assert "not an identifier of vendor" in contradicted.json()["detail"]


async def test_the_poster_may_say_whose_a_document_is(erp: RunningErp) -> None:
    seeded = await erp.seed(situation())
    content = document(seller="DE777777777", order=po(seeded))
    answer = await posted(erp, f"/invoices?vendor_id={seeded.vendor_id}", content)
    assert answer["vendor_id"] == seeded.vendor_id


async def test_two_vendors_with_one_identifier_are_not_guessed_between(erp: RunningErp) -> None:
    first, vat = await vendor(erp)
    described = situation()
    described["vendor"]["identifiers"] = [{"scheme": "VAT", "value": vat}]
    second = await erp.seed(described)
    answer = await post(erp, "/invoices", document(seller=vat, order=po(first)))
    assert (answer.status_code, "2 vendors" in answer.json()["detail"]) == (400, True)
    told_whose = await posted(erp, f"/invoices?vendor_id={second.vendor_id}", document(seller=vat, order=po(second)))
    assert told_whose["vendor_id"] == second.vendor_id


async def test_another_account_on_an_invoice_changes_nothing_in_the_master(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    account = "<cac:PayeeFinancialAccount><cbc:ID>XX99EVIL</cbc:ID></cac:PayeeFinancialAccount>"
    means = f"<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>{account}</cac:PaymentMeans>"
    before = await erp.get(f"/vendors/{seeded.vendor_id}")
    await posted(erp, "/invoices", document(seller=vat, order=po(seeded), adjusting=means))
    assert await erp.get(f"/vendors/{seeded.vendor_id}") == before


@pytest.mark.parametrize(
    ("content", "element"),
    [
        (b"<Invoice>", "document"),
        (document(before='<!DOCTYPE Invoice [<!ENTITY a SYSTEM "file:///etc/hostname">]>'), "document"),
        (document(code="386"), "Invoice/cbc:InvoiceTypeCode"),
    ],
)
async def test_a_document_that_is_not_taken_leaves_nothing_behind(
    erp: RunningErp, content: bytes, element: str
) -> None:
    seeded, _ = await vendor(erp)
    answer = await post(erp, f"/invoices?vendor_id={seeded.vendor_id}", content)
    assert (answer.status_code, answer.json()["values"]["element"]) == (400, element)
    assert (await erp.get(f"/vendors/{seeded.vendor_id}/invoices"))["items"] == []


async def test_a_document_beyond_the_size_is_refused(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    answer = await post(erp, "/invoices", document(line(name="x" * 5_000_000), seller=vat, order=po(seeded)))
    assert answer.status_code == 413


async def test_a_body_of_another_type_is_refused(erp: RunningErp) -> None:
    headers = {**erp.headers("emma.lind"), "Idempotency-Key": new_id(), "Content-Type": "text/plain"}
    answer = await erp.office.post("/invoices", content=b"hello", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


def totals(net: str, gross: str, payable: str) -> dict[str, str]:
    return {
        "LineExtensionAmount": net,
        "TaxExclusiveAmount": net,
        "TaxInclusiveAmount": gross,
        "PayableAmount": payable,
    }


async def test_vat_that_is_rounded_line_by_line_is_noted_and_no_exception(erp: RunningErp) -> None:
    """3 x 99.99 at 25 %: 25.00 a line, 75.00 in all; by category it would be 74.99. Both are lawful."""
    ordered = {"item": "BOLT-M8", "description": "Bolt", "unit": "EA", "quantity": "3", "price": "99.99"}
    seeded, vat = await vendor(erp, order={"lines": [ordered]}, received="3")
    content = document(
        line(quantity="3", price="99.99"),
        seller=vat,
        order=po(seeded),
        tax=tax("75.00", ("S", "25", "299.97", "75.00")),
        totals=totals("299.97", "374.97", "374.97"),
    )
    found = await erp.get(f"/invoices/{(await posted(erp, '/invoices', content))['id']}")
    assert (found["status"], found["payable"]) == ("MATCHED", "374.97")
    assert found["notes"] == [{"identity": "BR-CO-17", "line": None, "difference": "0.01"}]


async def test_a_total_that_does_not_follow_is_an_exception_that_names_the_rule(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    content = document(seller=vat, order=po(seeded), totals=totals("1430.00", "1430.00", "1430.00"))
    found = await erp.get(f"/invoices/{(await posted(erp, '/invoices', content))['id']}")
    assert told(found) == [("DOCUMENT_ARITHMETIC", "430.00")]
    assert "BR-CO-10" in found["exceptions"][0]["summary"]
    assert found["payable"] == "1000.00"


async def test_a_credit_by_json_and_one_by_xml_are_the_same_note(erp: RunningErp) -> None:
    seeded, vat = await vendor(erp)
    bill = await posted(erp, "/invoices", document(seller=vat, order=po(seeded)))
    await credited(erp, bill, "40.00", number="CN-9")
    note = document(line(kind="CreditNote", quantity="4"), kind="CreditNote", seller=vat, credits="RE-2026/0042",
                    number="cn9", payable="40.00")  # fmt: skip
    again = await post(erp, "/invoices", note)
    assert (again.status_code, again.json()["code"]) == (409, "ALREADY_EXISTS")
    assert open_reasons(await erp.get(f"/invoices/{bill['id']}")) == []
