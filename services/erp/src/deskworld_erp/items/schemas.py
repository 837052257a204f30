"""An item's units on the wire."""

from typing import Annotated

from pydantic import Field

from deskworld_erp.fields import Positive, Short, Unit, Value


class PackOfUnits(Value):
    """One `unit` of the item holds `quantity` of `of`."""

    unit: Unit
    quantity: Positive
    of: Unit


class ItemUnits(Value):
    item: Short
    units: Annotated[list[PackOfUnits], Field(max_length=50)]


class NewItemUnits(Value):
    """All that is known of the item's units: what stood before is replaced."""

    units: Annotated[list[PackOfUnits], Field(max_length=50)]


class ItemUnitsView(ItemUnits):
    vendor_id: str


class ItemsView(Value):
    items: list[ItemUnitsView]
