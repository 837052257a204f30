"""What is read of a UBL document, and where it stands: one row a field. The rest stays in the kept bytes alone.

Terms are EN 16931's. `{line}` and `{quantity}` differ between invoice and credit note.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deskworld_erp.documents.ubl.reading import Node

Read = Callable[[Node, str], str]
"""From an element and the document's currency."""


def text(node: Node, _: str) -> str:
    return node.text


def day(node: Node, _: str) -> str:
    """An xsd:date; a zone, which EN 16931 does not want and real documents carry, is left out."""
    return node.day()


def number(node: Node, _: str) -> str:
    return node.number()


def amount(node: Node, currency: str) -> str:
    return node.amount(currency)


@dataclass(frozen=True, slots=True)
class Row:
    field: str
    term: str
    path: str
    read: Read = text
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the two documents. `codes`: of UNCL1001, what we take it for."""

    name: str
    namespace: str
    line: str
    quantity: str
    code: str
    codes: frozenset[str]
    instead: Mapping[str, str]
    """For other codes that vendors send: what to do."""


_NO_CORRECTION = "Post a credit note (381) on the first invoice, and a new invoice (380)."
_OURS = "We write self-billed documents ourselves: nothing is to be posted."
KINDS = (
    Kind(
        name="Invoice",
        namespace="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
        line="cac:InvoiceLine",
        quantity="cbc:InvoicedQuantity",
        code="cbc:InvoiceTypeCode",
        codes=frozenset({"380", "326"}),  # commercial invoice, partial invoice
        instead={"384": _NO_CORRECTION, "389": _OURS, "386": "Book prepayments where payments are made, not here."},
    ),
    Kind(
        name="CreditNote",
        namespace="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2",
        line="cac:CreditNoteLine",
        quantity="cbc:CreditedQuantity",
        code="cbc:CreditNoteTypeCode",
        codes=frozenset({"381"}),
        instead={"261": _OURS},
    ),
)

HEAD = (
    Row("number", "BT-1", "cbc:ID", needed=True),
    Row("date", "BT-2", "cbc:IssueDate", day, needed=True),
    Row("po_reference", "BT-13", "cac:OrderReference/cbc:ID"),
    Row("prepaid", "BT-113", "cac:LegalMonetaryTotal/cbc:PrepaidAmount", amount),
    Row("rounding", "BT-114", "cac:LegalMonetaryTotal/cbc:PayableRoundingAmount", amount),
    Row("stated_total", "BT-115", "cac:LegalMonetaryTotal/cbc:PayableAmount", amount, needed=True),
)
SUMS = (
    Row("lines", "BT-106", "cac:LegalMonetaryTotal/cbc:LineExtensionAmount", amount),
    Row("allowances", "BT-107", "cac:LegalMonetaryTotal/cbc:AllowanceTotalAmount", amount),
    Row("charges", "BT-108", "cac:LegalMonetaryTotal/cbc:ChargeTotalAmount", amount),
    Row("net", "BT-109", "cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount", amount),
    Row("gross", "BT-112", "cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount", amount),
)
TAX = Row("tax", "BT-110", "cac:TaxTotal/cbc:TaxAmount", amount)
TAXES = (
    Row("category", "BT-118", "cac:TaxCategory/cbc:ID", needed=True),
    Row("rate", "BT-119", "cac:TaxCategory/cbc:Percent", number),
    Row("taxable", "BT-116", "cbc:TaxableAmount", amount, needed=True),
    Row("tax", "BT-117", "cbc:TaxAmount", amount, needed=True),
)
LINE = (
    Row("quantity", "BT-129", "{quantity}", number, needed=True),
    Row("net", "BT-131", "cbc:LineExtensionAmount", amount, needed=True),
    Row("price", "BT-146", "cac:Price/cbc:PriceAmount", amount, needed=True),
    Row("base_quantity", "BT-149", "cac:Price/cbc:BaseQuantity", number),
)
PO_LINE = Row("po_line", "BT-132", "cac:OrderLineReference/cbc:LineID")
ITEM = (  # the first that stands
    Row("item", "BT-156", "cac:Item/cac:BuyersItemIdentification/cbc:ID"),
    Row("item", "BT-155", "cac:Item/cac:SellersItemIdentification/cbc:ID"),
    Row("item", "BT-157", "cac:Item/cac:StandardItemIdentification/cbc:ID"),
    Row("item", "BT-153", "cac:Item/cbc:Name"),
)
NAME = (
    Row("description", "BT-153", "cac:Item/cbc:Name", needed=True),
    Row("description", "BT-154", "cac:Item/cbc:Description"),
)
ALLOWANCE_CHARGE = "cac:AllowanceCharge"
"""Of a document, charges (BT-99) are its `freight` and allowances (BT-92) its `allowance`; of a line, charges (BT-141)
less allowances (BT-136) are its `adjustment`."""
CREDITED_INVOICE = Row("invoice", "BT-25", "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID", needed=True)
SELLER = "cac:AccountingSupplierParty/cac:Party"
