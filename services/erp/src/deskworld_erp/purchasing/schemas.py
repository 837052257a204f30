"""Orders on the wire."""

from deskworld_erp.fields import Currency, Id, Money, Price, Quantity, Short, Unit, Value


class OrderLineView(Value):
    no: int
    item: Short
    description: str
    unit: Unit
    quantity: Quantity
    price: Price
    accepted: Quantity
    billed: Quantity


class OrderView(Value):
    id: Id
    number: Short
    vendor_id: Id
    buyer: Short
    currency: Currency
    lines: list[OrderLineView]
    revision: int
    payable: Money
    ids: list[str]
