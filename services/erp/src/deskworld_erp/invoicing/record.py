"""An invoice as it is recorded, with its exceptions and the holds that stand on them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Self

from deskworld_erp.fields import money_text
from deskworld_erp.invoicing.rules.amounts import NOTHING
from deskworld_erp.invoicing.rules.reconcile import Changes, Raised, Standing
from deskworld_erp.invoicing.rules.values import (
    Finding,
    Invoice,
    InvoiceLine,
    Note,
    OtherInvoice,
    Reason,
    Status,
    Sums,
    TaxPart,
)

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceRecord:
    id: str
    vendor_id: str
    sequence: int
    number: str
    po_reference: str | None
    date: date
    currency: str
    lines: list[Document]
    tax: Decimal
    freight: Decimal
    stated_total: Decimal
    computed_total: Decimal
    matched_po: str | None
    status: str
    version: int
    approved_amount: Decimal | None
    credits: Decimal
    payable: Decimal
    counts: Document
    cleared: list[str]
    allowance: Decimal = NOTHING
    rounding: Decimal = NOTHING
    prepaid: Decimal = NOTHING
    sums: Document | None = None
    taxes: Sequence[Document] | None = None
    credited: Document = field(default_factory=dict)
    notes: Sequence[Document] = ()
    received_at: datetime
    exceptions: tuple[Document, ...] = ()

    @classmethod
    def of(cls, row: Any) -> Self:
        """From a row of `reads.INVOICE`."""
        return cls(**{name: getattr(row, name) for name in _COLUMNS}, exceptions=tuple(row.exceptions))

    def columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _COLUMNS}

    @property
    def open(self) -> tuple[Document, ...]:
        return tuple(one for one in self.exceptions if one["status"] == "OPEN")

    @property
    def under_duplicate(self) -> bool:
        return any(one["reason"] == Reason.DUPLICATE for one in self.open)

    @property
    def order_number(self) -> str | None:
        return cited_order(self)

    def value(self) -> Invoice:
        return Invoice(
            id=self.id,
            sequence=self.sequence,
            number=self.number,
            order_number=self.order_number,
            date=self.date,
            currency=self.currency,
            lines=tuple(_line(line, self.credited) for line in self.lines),
            tax=self.tax,
            freight=self.freight,
            stated_total=self.stated_total,
            credits=self.credits,
            cleared=frozenset(self.cleared),
            allowance=self.allowance,
            rounding=self.rounding,
            prepaid=self.prepaid,
            sums=_sums(self.sums),
            taxes=tuple(_tax(part) for part in self.taxes or ()),
        )

    def seen_by_others(self) -> OtherInvoice:
        return other_invoice(self, under_duplicate=self.under_duplicate)

    def standing(self) -> list[Standing]:
        return [
            Standing(
                id=one["id"],
                finding=_finding(one),
                masked=tuple((masked["id"], _finding(masked)) for masked in one["masked"]),
                held=bool(one["holds"]),
            )
            for one in self.open
        ]

    def changed_by(self, changes: Changes, new_id: Callable[[], str]) -> tuple[Document, ...]:
        """The exceptions after a run of the match; a masked finding keeps its id while its exception stands."""
        updated = {one.id: wanted for one, wanted in changes.updated}
        resolved = {one.id for one in changes.resolved}
        now = []
        for one in self.exceptions:
            if one["id"] in resolved:
                now.append({**one, "status": "RESOLVED"})
            elif one["id"] in updated:
                known = {masked["reason"]: masked["id"] for masked in one["masked"]}
                now.append({**one, **_described(updated[one["id"]], known, new_id)})
            else:
                now.append(dict(one))
        for raised in changes.raised:
            head = {"id": new_id(), "reason": str(raised.finding.reason), "currency": self.currency}
            now.append({**head, **_described(raised, {}, new_id), "status": "OPEN", "holds": []})
        return tuple(now)

    def closed(self, status: Status, **ours: Any) -> Self:
        """Decided: all its exceptions are resolved and their holds with them."""
        settled = tuple(
            {**one, "status": "RESOLVED", "holds": []} if one["status"] == "OPEN" else one for one in self.exceptions
        )
        return replace(self, status=str(status), version=self.version + 1, exceptions=settled, **ours)


_COLUMNS = tuple(one.name for one in fields(InvoiceRecord) if one.name != "exceptions")


def other_invoice(row: Any, *, under_duplicate: bool) -> OtherInvoice:
    """`row`: anything with the columns of an invoice that others look at."""
    return OtherInvoice(
        id=row.id,
        sequence=row.sequence,
        number=row.number,
        order_number=cited_order(row),
        date=row.date,
        currency=row.currency,
        total=row.computed_total,
        rejected=row.status == Status.REJECTED,
        under_duplicate=under_duplicate,
        counts={int(number): Decimal(quantity) for number, quantity in row.counts.items()},
    )


def cited_order(row: Any) -> str | None:
    """The order that it was assigned to; else the one that it cites, as far as it cites one."""
    if row.matched_po is not None:
        return str(row.matched_po)
    return (row.po_reference or "").strip() or None


def counts_document(counts: Mapping[int, Decimal]) -> dict[str, str]:
    return {str(number): f"{quantity.normalize():f}" for number, quantity in sorted(counts.items())}


def notes_document(notes: Iterable[Note]) -> list[dict[str, Any]]:
    return [{"identity": note.identity, "line": note.line, "difference": money_text(note.difference)} for note in notes]


def _line(line: Document, credited: Document) -> InvoiceLine:
    stated = line.get("stated_net")
    return InvoiceLine(
        no=line["no"],
        po_line=line["po_line"],
        item=line["item"],
        unit=line["unit"],
        quantity=Decimal(line["quantity"]),
        price=Decimal(line["price"]),
        stated_net=None if stated is None else Decimal(stated),
        base=Decimal(line.get("base_quantity", 1)),
        adjustment=Decimal(line.get("adjustment", NOTHING)),
        credited=Decimal(credited.get(str(line["no"]), 0)),
    )


def _sums(sums: Document | None) -> Sums:
    return Sums() if sums is None else Sums(**{name: Decimal(amount) for name, amount in sums.items()})


def _tax(part: Document) -> TaxPart:
    rate = part["rate"]
    return TaxPart(
        part["category"], None if rate is None else Decimal(rate), Decimal(part["taxable"]), Decimal(part["tax"])
    )


def _finding(one: Document) -> Finding:
    return Finding(Reason(one["reason"]), one["summary"], tuple(one["lines"]), Decimal(one["amount"]))


def _shown(finding: Finding) -> dict[str, Any]:
    return {"summary": finding.summary, "lines": list(finding.lines), "amount": money_text(finding.amount)}


def _described(one: Raised, known: Mapping[str, str], new_id: Callable[[], str]) -> dict[str, Any]:
    masked = [
        {"id": known.get(finding.reason) or new_id(), "reason": str(finding.reason), **_shown(finding)}
        for finding in one.masked
    ]
    return {**_shown(one.finding), "masked": masked}
