"""UBL documents: what is read of them, and what is refused, by element."""

from decimal import Decimal
from typing import Any

import pytest
from tests.support.repository import ROOT
from tests.support.ubl import NAMESPACES, adjusting, amount, document, line, tax

from deskworld_erp.documents.ubl import mapping
from deskworld_erp.documents.ubl.document import Document, read
from deskworld_erp.documents.ubl.refused import DocumentRefused

D = Decimal


def refused(content: bytes) -> DocumentRefused:
    with pytest.raises(DocumentRefused) as caught:
        read(content)
    return caught.value


def content_of(*lines: str, **changes: Any) -> Any:
    found: Document = read(document(*lines, **changes))
    return found.content


def test_a_plain_invoice_is_read_by_the_mapping() -> None:
    found = read(document())
    asked = found.content
    assert (asked.number, asked.po_reference, str(asked.date), asked.currency) == (
        "RE-2026/0042", "PO-1", "2026-03-10", "USD",
    )  # fmt: skip
    first = asked.lines[0]
    assert (first.po_line, first.item, first.unit, first.quantity, first.price, first.net) == (
        1, "BOLT-M8", "EA", D(100), D(10), D(1000),
    )  # fmt: skip
    assert (asked.stated_total, asked.tax, asked.freight) == (D(1000), D(0), D(0))
    assert asked.sums is not None
    assert (asked.sums.lines, asked.sums.net, asked.sums.gross) == (D(1000), D(1000), D(1000))
    assert [(one.scheme, one.value) for one in found.seller] == [("VAT", "DE123456789")]
    assert found.credits is None


@pytest.mark.parametrize("written", ["2016-06-27", "2016-06-27+01:00", "2016-06-27Z", "2016-06-27-05:00"])
def test_a_date_may_carry_a_zone(written: str) -> None:
    assert str(content_of(date=written).date) == "2016-06-27"


def test_a_prefix_of_the_vendors_choice_names_the_same_elements() -> None:
    content = (
        document()
        .decode()
        .replace("<Invoice xmlns=", "<ubl:Invoice xmlns:ubl=")
        .replace("</Invoice>", "</ubl:Invoice>")
    )
    assert read(content.encode()) == read(document())


def test_charges_allowances_prepayment_and_rounding_are_read() -> None:
    adjusted = adjusting("20.00", charge=False) + adjusting("85.00", charge=True)
    more = adjusting("5.00", charge=True) + adjusting("2.50", charge=False)
    totals = {"PrepaidAmount": "100.00", "PayableRoundingAmount": "-0.01", "PayableAmount": "967.49"}
    asked = content_of(line(more=more, net="1002.50"), adjusting=adjusted, totals=totals)
    assert (asked.freight, asked.allowance, asked.prepaid, asked.rounding) == (D(85), D(20), D(100), D("-0.01"))
    assert (asked.lines[0].adjustment, asked.lines[0].net) == (D("2.50"), D("1002.50"))


def test_a_price_for_a_hundred_keeps_what_it_is_for() -> None:
    first = content_of(line(quantity="1250", price="36.50", base="100"), payable="456.25").lines[0]
    assert (first.price, first.base_quantity, first.net) == (D("36.50"), D(100), D("456.25"))


def test_tax_is_read_by_category_and_in_the_documents_currency_alone() -> None:
    in_pounds = f"<cac:TaxTotal>{amount('TaxAmount', '150.00', 'GBP')}</cac:TaxTotal>"
    asked = content_of(tax=tax("190.00", ("S", "19", "1000.00", "190.00")) + in_pounds)
    assert asked.tax == D(190)
    assert [(one.category, one.rate, one.taxable, one.tax) for one in asked.taxes] == [("S", D(19), D(1000), D(190))]


@pytest.mark.parametrize("reference", ["A-1", "0", "1.5", "٣", "1000000000"])
def test_a_reference_that_is_no_order_line_names_none(reference: str) -> None:
    assert content_of(line(reference=reference)).lines[0].po_line is None


def test_the_sellers_item_and_the_name_stand_in_for_our_item_code() -> None:
    sellers = line(item="", name="Bolt")
    assert content_of(sellers).lines[0].item == "Bolt"


@pytest.mark.parametrize(
    ("content", "element", "value"),
    [
        (document(number=""), "Invoice/cbc:ID", None),
        (document(date="10.03.2026"), "Invoice/cbc:IssueDate", "10.03.2026"),
        (document(code="384"), "Invoice/cbc:InvoiceTypeCode", "384"),
        (document(code="389"), "Invoice/cbc:InvoiceTypeCode", "389"),
        (document(line(quantity="1e3", net="1.00")), "Invoice/cac:InvoiceLine/cbc:InvoicedQuantity", "1e3"),
        (document(line(quantity="1.2345", net="12.35")), "Invoice/cac:InvoiceLine/cbc:InvoicedQuantity", "1.2345"),
        (document(line(unit="PIECE")), "Invoice/cac:InvoiceLine/cbc:InvoicedQuantity/@unitCode", "PIECE"),
        (document(line(price="-1.00", net="-100.00")), "Invoice/cac:InvoiceLine/cac:Price/cbc:PriceAmount", "-1"),
        (document(line(net="1000.005")), "Invoice/cac:InvoiceLine/cbc:LineExtensionAmount", "1000.005"),
        (document(line(), line(2, net="ten")), "Invoice/cac:InvoiceLine[2]/cbc:LineExtensionAmount", "ten"),
        (document(line(base="0", net="1000.00")), "Invoice/cac:InvoiceLine/cac:Price/cbc:BaseQuantity", "0"),
        (document(payable="-225.14"), "Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount", "-225.14"),
        (document(line(currency="EUR")), "Invoice/cac:InvoiceLine/cbc:LineExtensionAmount/@currencyID", "EUR"),
        (document(tax=tax("1.00") + tax("2.00")), "Invoice/cac:TaxTotal[2]", None),
        (document(totals={"PayableAmount": None}), "Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount", None),
        (document(number="RE<cbc:b>0</cbc:b>1"), "Invoice/cbc:ID", None),
        (document(number="x" * 201), "Invoice/cbc:ID", "x" * 200),
        (document(kind="CreditNote"), "CreditNote/cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID", None),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_is_refused_by_its_element(content: bytes, element: str, value: str | None) -> None:
    found = refused(content)
    assert (found.element, found.value) == (element, value)
    assert found.next_step
    problem = found.problem()
    assert (problem.status, problem.values["element"]) == (400, element)


def test_what_takes_money_back_is_told_to_come_as_a_credit_note() -> None:
    assert "credit note" in refused(document(payable="-225.14")).next_step
    assert "381" in refused(document(code="384")).next_step


def test_an_element_that_stands_twice_is_refused() -> None:
    found = refused(document(head="<cbc:ID>RE-2</cbc:ID>"))
    assert (found.element, found.value) == ("Invoice/cbc:ID[2]", "RE-2")


BILLION = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))


@pytest.mark.parametrize(
    "before",
    [
        "<!DOCTYPE Invoice>",
        f'<!DOCTYPE Invoice [<!ENTITY a0 "lol">{BILLION}]>',
        '<!DOCTYPE Invoice [<!ENTITY a19 SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE Invoice SYSTEM "http://127.0.0.1:9/evil.dtd">',
        '<!DOCTYPE Invoice [<!ENTITY % remote SYSTEM "http://127.0.0.1:9/evil.dtd"> %remote;]>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_no_document_type_and_no_entity_is_taken(before: str, encoding: str) -> None:
    content = document(line(name="&a19;"), before=before).decode().replace("UTF-8", encoding.upper())
    assert "document type" in refused(content.encode(encoding)).why


def test_a_document_in_another_encoding_is_read_as_it_says() -> None:
    content = document(line(name="Schraube Größe M8")).decode().replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert read(content).content.lines[0].description == "Schraube Größe M8"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"not xml",
        b"<Invoice>",
        document()[:-20],
        document(line(name="&unknown;")),
        document().replace(b"Bolt", b"\x80"),
        b"<a>" * 300 + b"</a>" * 300,
    ],
)
def test_what_is_not_well_formed_or_too_deep_is_refused(content: bytes) -> None:
    assert refused(content).element == "document"


def test_what_is_too_large_is_refused_unread() -> None:
    assert "larger" in refused(b"<" * (4 * 1024 * 1024 + 1)).why


def test_another_root_is_refused_by_its_name() -> None:
    found = refused(f'<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2" {NAMESPACES}/>'.encode())
    assert (found.element, found.value) == ("document", "{urn:oasis:names:specification:ubl:schema:xsd:Order-2}Order")


def test_comments_and_instructions_are_not_read() -> None:
    content = document().replace(b"RE-2026/0042", b"RE-<!-- 99 -->2026<?approve now?>/0042")
    assert read(content).content.number == "RE-2026/0042"


def test_the_guide_tells_the_mapping_row_by_row() -> None:
    told = (ROOT / "docs/guides/documents-in.md").read_text()
    tables = {
        "": (*mapping.HEAD, mapping.TAX, mapping.CREDITED_INVOICE),
        "sums.": mapping.SUMS,
        "taxes.": mapping.TAXES,
    }
    tables["lines."] = (*mapping.LINE, mapping.PO_LINE, *mapping.ITEM, *mapping.NAME)
    expected = {
        f"| {row.term} | `{row.path.format(quantity='cbc:InvoicedQuantity')}` | {part}{row.field} |"
        f" {'yes' if row.needed else ''} |"
        for part, rows in tables.items()
        for row in rows
    }
    assert {line for line in told.splitlines() if line.startswith(("| BT-", "| BG-"))} == expected
