"""The records of a case as the tools return them. Missing, withheld or unreadable is None: unknown, never zero."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Line:
    """`quantity` and `price` as billed."""

    no: int
    order_line: int | None
    item: str | None
    quantity: Decimal | None
    price: Decimal | None


@dataclass(frozen=True, slots=True)
class Finding:
    """An exception on the invoice that is open. `masked` are the findings that stand behind it."""

    id: str
    reason: str
    held: bool
    masked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Invoice:
    id: str
    number: str | None
    order_number: str | None
    currency: str | None
    total: Decimal | None
    payable: Decimal | None
    credits: Decimal | None
    status: str | None
    sequence: int | None
    lines: tuple[Line, ...]
    open: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class OrderLine:
    no: int
    item: str | None
    quantity: Decimal | None
    price: Decimal | None


@dataclass(frozen=True, slots=True)
class Order:
    number: str
    currency: str | None
    payable: Decimal | None
    lines: tuple[OrderLine, ...]

    def line(self, no: int | None) -> OrderLine | None:
        return next((line for line in self.lines if line.no == no), None)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was accepted, by order line. A reversal is its own receipt with the exact negative."""

    id: str
    accepted: tuple[tuple[int, Decimal], ...]


@dataclass(frozen=True, slots=True)
class Vendor:
    id: str
    pending: tuple[str, ...]
    """Ids of bank changes or accounts that nobody has verified yet."""


@dataclass(frozen=True, slots=True)
class Similar:
    """`why` is the ERP's own word for the likeness."""

    id: str
    why: str | None
    status: str | None


def amount(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return None
    try:
        read = Decimal(value)
    except InvalidOperation:
        return None
    return read if read.is_finite() else None


def text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and value != WITHHELD else None


def whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def items(value: Any) -> list[dict[str, Any]]:
    """The records of a list, whether it comes bare or under `items`."""
    listed = value.get("items") if isinstance(value, dict) else value
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def invoice(value: dict[str, Any]) -> Invoice:
    lines = tuple(
        Line(
            no=no,
            order_line=whole(line.get("po_line")),
            item=text(line.get("item")),
            quantity=amount(line.get("quantity")),
            price=amount(line.get("price")),
        )
        for line in items(value.get("lines"))
        if (no := whole(line.get("no"))) is not None
    )
    return Invoice(
        id=str(value["id"]),
        number=text(value.get("number")),
        order_number=text(value.get("matched_po")) or text(value.get("po_reference")),
        currency=text(value.get("currency")),
        total=amount(value.get("computed_total")),
        payable=amount(value.get("payable")),
        credits=amount(value.get("credits")),
        status=text(value.get("status")),
        sequence=whole(value.get("sequence")),
        lines=lines,
        open=tuple(_finding(found) for found in items(value.get("exceptions")) if found.get("status") == "OPEN"),
    )


def _finding(value: dict[str, Any]) -> Finding:
    return Finding(
        id=str(value["id"]),
        reason=str(value["reason"]),
        held=bool(value.get("holds")),
        masked=tuple(str(found["id"]) for found in items(value.get("masked")) if "id" in found),
    )


def order(value: dict[str, Any]) -> Order:
    lines = tuple(
        OrderLine(
            no=no,
            item=text(line.get("item")),
            quantity=amount(line.get("quantity")),
            price=amount(line.get("price")),
        )
        for line in items(value.get("lines"))
        if (no := whole(line.get("no"))) is not None
    )
    return Order(
        number=str(value["number"]),
        currency=text(value.get("currency")),
        payable=amount(value.get("payable")),
        lines=lines,
    )


def receipt(value: dict[str, Any]) -> Receipt:
    accepted = tuple(
        (no, count)
        for line in items(value.get("lines"))
        if (no := whole(line.get("line"))) is not None and (count := amount(line.get("accepted"))) is not None
    )
    return Receipt(id=str(value["id"]), accepted=accepted)


def vendor(value: dict[str, Any]) -> Vendor | None:
    """None when an account's status cannot be read: then the bank facts are unknown."""
    if not isinstance(value.get("bank_accounts"), list):
        return None
    accounts = items(value["bank_accounts"])
    if not all(isinstance(account.get("status"), str) for account in accounts):
        return None
    pending = [account for account in accounts if account["status"] == "PENDING_VERIFICATION"]
    return Vendor(id=str(value["id"]), pending=tuple(_change(account) for account in pending))


def _change(account: dict[str, Any]) -> str:
    change = account.get("change")
    return str(change["id"]) if isinstance(change, dict) and "id" in change else str(account.get("id"))


def similar(value: dict[str, Any]) -> Similar | None:
    found = value.get("invoice", value)
    if not isinstance(found, dict) or "id" not in found:
        return None
    return Similar(id=str(found["id"]), why=text(value.get("why")), status=text(found.get("status")))
