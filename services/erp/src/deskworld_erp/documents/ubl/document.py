"""A UBL document read by the mapping table into the values that our JSON has, with the element of each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from deskworld_erp.documents.schemas import InvoiceAsSent
from deskworld_erp.documents.ubl import mapping
from deskworld_erp.documents.ubl.mapping import KINDS, Kind, Row
from deskworld_erp.documents.ubl.reading import Node
from deskworld_erp.documents.ubl.refused import DocumentRefused
from deskworld_erp.documents.ubl.safety import parsed

_CORRECT = "Ask the vendor to correct the document."
_CREDIT = "What takes money back is a credit note (381): ask the vendor for one."
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What a document calls its seller: `scheme` as a vendor's identifiers have it."""

    scheme: str
    value: str
    element: str


@dataclass(frozen=True, slots=True)
class Document:
    """`credits`: the number of the invoice that a credit note takes back from, with its element; None of an invoice."""

    kind: Kind
    content: InvoiceAsSent
    seller: tuple[Named, ...]
    credits: Named | None


@dataclass(slots=True)
class _Reader:
    """Collects values, and for each the element that it came from."""

    kind: Kind
    currency: str
    elements: dict[Place, str] = field(default_factory=dict)

    def read(self, node: Node, rows: Iterable[Row], at: Place = ()) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for row in rows:
            path = row.path.format(quantity=self.kind.quantity)
            element = node.needed(path) if row.needed else node.one(path)
            self.elements[*at, row.field] = f"{node.path}/{path}" if element is None else element.path
            if element is not None and element.text:
                found[row.field] = row.read(element, self.currency)
        return found


def read(content: bytes) -> Document:
    """Raises DocumentRefused, which names the element."""
    root = parsed(content)
    kind = next((one for one in KINDS if root.tag == f"{{{one.namespace}}}{one.name}"), None)
    if kind is None:
        next_step = "Send a UBL 2.1 Invoice or CreditNote."
        raise DocumentRefused("document", str(root.tag)[:200], "the root element is neither", next_step)
    top = Node(root, kind.name)
    _type_code(top, kind)
    reader = _Reader(kind, top.needed("cbc:DocumentCurrencyCode").text)
    values = _values(top, reader)
    try:
        asked = InvoiceAsSent.model_validate(values)
    except ValidationError as error:
        raise _refused(error, reader, top) from error
    return Document(kind, asked, _seller(top), _credited(top, kind))


def _values(top: Node, reader: _Reader) -> dict[str, Any]:
    charges, allowances = _adjusting(top, reader.currency)
    lines = [_line(node, reader, place) for place, node in enumerate(top.all(reader.kind.line))]
    if not lines:
        raise DocumentRefused(f"{top.path}/{reader.kind.line}", None, "is missing", _CORRECT)
    tax_total = _tax_total(top, reader.currency)
    reader.elements["currency",] = f"{top.path}/cbc:DocumentCurrencyCode"
    reader.elements["freight",] = reader.elements["allowance",] = f"{top.path}/{mapping.ALLOWANCE_CHARGE}"
    values = reader.read(top, mapping.HEAD)
    values |= {"currency": reader.currency, "freight": f"{charges:f}", "allowance": f"{allowances:f}", "lines": lines}
    values["sums"] = reader.read(top, mapping.SUMS, ("sums",))
    if tax_total is not None:
        tax = tax_total.needed("cbc:TaxAmount")
        reader.elements["tax",] = tax.path
        values["tax"] = tax.amount(reader.currency)
        parts = [
            reader.read(node, mapping.TAXES, ("taxes", place))
            for place, node in enumerate(tax_total.all("cac:TaxSubtotal"))
        ]
        values["taxes"] = parts or None
    return values


def _line(node: Node, reader: _Reader, place: int) -> dict[str, Any]:
    at = ("lines", place)
    values = reader.read(node, mapping.LINE, at)
    quantity = node.needed(reader.kind.quantity)
    unit = quantity.attribute("unitCode")
    reader.elements[*at, "unit"] = f"{quantity.path}/@unitCode"
    if not unit:
        raise DocumentRefused(f"{quantity.path}/@unitCode", None, "is missing", _CORRECT)
    base = node.one("cac:Price/cbc:BaseQuantity")
    if base is not None and (base.attribute("unitCode") or unit) != unit:
        why = f"is not the unit of the quantity, {unit} (PEPPOL-R130)"
        raise DocumentRefused(f"{base.path}/@unitCode", base.attribute("unitCode"), why, _CORRECT)
    charges, allowances = _adjusting(node, reader.currency)
    reader.elements[*at, "adjustment"] = f"{node.path}/{mapping.ALLOWANCE_CHARGE}"
    if any(node.all(f"cac:Sub{reader.kind.name}Line")):
        raise DocumentRefused(f"{node.path}/cac:Sub{reader.kind.name}Line", None, "sub-lines are not read", _CORRECT)
    named = next((found for row in mapping.ITEM if (found := node.one(row.path)) is not None and found.text), None)
    told = [found.text for row in mapping.NAME if (found := node.one(row.path)) is not None and found.text]
    reader.elements[*at, "item"] = f"{node.path}/cac:Item" if named is None else named.path
    reader.elements[*at, "description"] = f"{node.path}/cac:Item"
    if named is None:
        raise DocumentRefused(f"{node.path}/cac:Item/cbc:Name", None, "is missing", _CORRECT)
    po_line = node.one(mapping.PO_LINE.path)
    return values | {
        "unit": unit,
        "adjustment": f"{charges - allowances:f}",
        "item": named.text[:200],
        "description": ": ".join(told)[:4000],
        # a reference that is no number of a line names none of ours; it stays in the kept bytes
        "po_line": _line_number(po_line.text) if po_line is not None else None,
    }


def _line_number(told: str) -> int | None:
    plausible = told.isascii() and told.isdigit() and len(told) <= 6
    return int(told) if plausible and 1 <= int(told) <= 100_000 else None


def _adjusting(node: Node, currency: str) -> tuple[Decimal, Decimal]:
    """Charges and allowances that stand directly below."""
    charges = allowances = Decimal("0.00")
    for one in node.all(mapping.ALLOWANCE_CHARGE):
        amount = Decimal(one.needed("cbc:Amount").amount(currency))
        if one.needed("cbc:ChargeIndicator").true():
            charges += amount
        else:
            allowances += amount
    return charges, allowances


def _tax_total(top: Node, currency: str) -> Node | None:
    """The one in the document's currency; another may state the tax in the currency of accounting (BT-111)."""
    found = [
        one
        for one in top.all("cac:TaxTotal")
        if (stated := one.one("cbc:TaxAmount")) is not None and stated.attribute("currencyID") == currency
    ]
    if len(found) > 1:
        raise DocumentRefused(found[1].path, None, f"a second tax total in {currency}", _CORRECT)
    return found[0] if found else None


def _type_code(top: Node, kind: Kind) -> None:
    code = top.needed(kind.code)
    if code.text not in kind.codes:
        next_step = kind.instead.get(code.text, f"Send one of type {', '.join(sorted(kind.codes))}.")
        raise DocumentRefused(code.path, code.text, "a type of document that is not taken here", next_step)


def _seller(top: Node) -> tuple[Named, ...]:
    """BT-29, 30, 31, 34: whatever names the seller exactly. Its name is text, and names nobody."""
    found: list[Named] = []

    def add(path: str, scheme: Callable[[Node], str | None]) -> None:
        for node in top.all(f"{mapping.SELLER}/{path}"):
            name = scheme(node)
            if node.text and name is not None:
                found.append(Named(name[:20].upper(), node.text, node.path))

    add("cac:PartyIdentification/cbc:ID", lambda node: node.attribute("schemeID") or "ID")
    add("cac:PartyLegalEntity/cbc:CompanyID", lambda _: "LEGAL")
    add("cbc:EndpointID", lambda node: f"EAS:{node.attribute('schemeID') or ''}")
    for party in top.all(f"{mapping.SELLER}/cac:PartyTaxScheme"):
        scheme, company = party.one("cac:TaxScheme/cbc:ID"), party.one("cbc:CompanyID")
        if company is not None and company.text and (scheme is None or scheme.text.upper() == "VAT"):
            found.append(Named("VAT", company.text, company.path))
    return tuple(found)


def _credited(top: Node, kind: Kind) -> Named | None:
    if kind.name != "CreditNote":
        return None
    node = top.needed(mapping.CREDITED_INVOICE.path)
    return Named("number", node.text, node.path)


def _refused(error: ValidationError, reader: _Reader, top: Node) -> DocumentRefused:
    """The first thing that our values cannot hold, by the element that it came from."""
    first = error.errors()[0]
    element = _element(tuple(first["loc"]), reader.elements) or top.path
    below_nothing = first["type"] in {"greater_than", "greater_than_equal"}
    money = element.rpartition(":")[2] in {"PayableAmount", "TaxAmount"}
    return DocumentRefused(
        element, str(first["input"])[:200], first["msg"], _CREDIT if below_nothing and money else _CORRECT
    )


def _element(place: Place, elements: Mapping[Place, str]) -> str | None:
    while place:
        if place in elements:
            return elements[place]
        place = place[:-1]
    return None
