"""UBL documents of our own, told as differences from a plain one: 100 pieces at 10.00 of one order line, no VAT."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

NAMESPACES = (
    'xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" '
    'xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'
)
D = Decimal


def amount(name: str, value: object, currency: str = "USD") -> str:
    return f'<cbc:{name} currencyID="{currency}">{value}</cbc:{name}>'


def line(no: int = 1, *, kind: str = "Invoice", currency: str = "USD", **changes: Any) -> str:
    """`base`: the quantity that the price is for. `more`: elements before the item, such as allowances."""
    plain: Mapping[str, Any] = {"quantity": "100", "unit": "EA", "price": "10.00", "po_line": 1, "item": "BOLT-M8"}
    of = {**plain, "net": None, "base": None, "more": "", "name": "Bolt", "reference": None} | changes
    net = of["net"] if of["net"] is not None else f"{D(of['quantity']) * D(of['price']) / D(of['base'] or 1):.2f}"
    quantity = "InvoicedQuantity" if kind == "Invoice" else "CreditedQuantity"
    reference = of["reference"] or of["po_line"]
    order = f"<cbc:LineID>{reference}</cbc:LineID>"
    order = f"<cac:OrderLineReference>{order}</cac:OrderLineReference>" if reference else ""
    item = f"<cac:BuyersItemIdentification><cbc:ID>{of['item']}</cbc:ID></cac:BuyersItemIdentification>"
    base = f'<cbc:BaseQuantity unitCode="{of["unit"]}">{of["base"]}</cbc:BaseQuantity>' if of["base"] else ""
    return (
        f"<cac:{kind}Line><cbc:ID>{no}</cbc:ID>"
        f'<cbc:{quantity} unitCode="{of["unit"]}">{of["quantity"]}</cbc:{quantity}>'
        f"{amount('LineExtensionAmount', net, currency)}{order}{of['more']}"
        f"<cac:Item><cbc:Name>{of['name']}</cbc:Name>{item if of['item'] else ''}</cac:Item>"
        f"<cac:Price>{amount('PriceAmount', of['price'], currency)}{base}</cac:Price></cac:{kind}Line>"
    )


def adjusting(amount_of: str, *, charge: bool, currency: str = "USD") -> str:
    indicator = "true" if charge else "false"
    return (
        f"<cac:AllowanceCharge><cbc:ChargeIndicator>{indicator}</cbc:ChargeIndicator>"
        f"<cbc:AllowanceChargeReason>agreed</cbc:AllowanceChargeReason>{amount('Amount', amount_of, currency)}"
        "</cac:AllowanceCharge>"
    )


def tax(total: str, *parts: tuple[str, str | None, str, str], currency: str = "USD") -> str:
    """Parts: category, rate, taxable amount, tax."""
    shown = "".join(
        f"<cac:TaxSubtotal>{amount('TaxableAmount', taxable, currency)}{amount('TaxAmount', of, currency)}"
        f"<cac:TaxCategory><cbc:ID>{category}</cbc:ID>{f'<cbc:Percent>{rate}</cbc:Percent>' if rate else ''}"
        "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>"
        for category, rate, taxable, of in parts
    )
    return f"<cac:TaxTotal>{amount('TaxAmount', total, currency)}{shown}</cac:TaxTotal>"


def document(
    *lines: str,
    kind: str = "Invoice",
    totals: Mapping[str, object] | None = None,
    seller: str = "DE123456789",
    currency: str = "USD",
    order: str | None = "PO-1",
    **changes: Any,
) -> bytes:
    """`totals`: of LegalMonetaryTotal, by element; `payable` alone fills the plain ones."""
    plain = {"number": "RE-2026/0042", "date": "2026-03-10", "code": "380" if kind == "Invoice" else "381"}
    more = {"tax": "", "adjusting": "", "credits": None, "payable": "1000.00", "head": "", "before": ""}
    of = {**plain, **more, **changes}
    money = {
        "LineExtensionAmount": of["payable"],
        "TaxExclusiveAmount": of["payable"],
        "TaxInclusiveAmount": of["payable"],
        "PayableAmount": of["payable"],
    } | dict(totals or {})
    body = lines or (line(kind=kind, currency=currency),)
    credited = (
        f"<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>{of['credits']}</cbc:ID>"
        "</cac:InvoiceDocumentReference></cac:BillingReference>"
        if of["credits"]
        else ""
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{of["before"]}\n'
        f'<{kind} xmlns="urn:oasis:names:specification:ubl:schema:xsd:{kind}-2" {NAMESPACES}>'
        "<cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0</cbc:CustomizationID>"
        f"<cbc:ID>{of['number']}</cbc:ID><cbc:IssueDate>{of['date']}</cbc:IssueDate>"
        f"<cbc:{kind}TypeCode>{of['code']}</cbc:{kind}TypeCode>{of['head']}"
        f"<cbc:DocumentCurrencyCode>{currency}</cbc:DocumentCurrencyCode>"
        f"{f'<cac:OrderReference><cbc:ID>{order}</cbc:ID></cac:OrderReference>' if order else ''}{credited}"
        f"{_party(seller)}{of['adjusting']}{of['tax']}"
        f"<cac:LegalMonetaryTotal>{''.join(_totals(money, currency))}</cac:LegalMonetaryTotal>{''.join(body)}</{kind}>"
    ).encode()


def _totals(money: Mapping[str, object], currency: str) -> Iterable[str]:
    return (amount(name, value, currency) for name, value in money.items() if value is not None)


def _party(vat: str) -> str:
    return (
        "<cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Muster AG (pre-approved)</cbc:Name>"
        f"</cac:PartyName><cac:PartyTaxScheme><cbc:CompanyID>{vat}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID>"
        "</cac:TaxScheme></cac:PartyTaxScheme></cac:Party></cac:AccountingSupplierParty>"
    )
