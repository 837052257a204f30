"""How findings name lines."""

from collections.abc import Iterable

from deskworld_erp.invoicing.rules.values import InvoiceLine


def numbers(lines: Iterable[InvoiceLine]) -> tuple[int, ...]:
    return tuple(line.no for line in lines)


def named(lines: Iterable[InvoiceLine], *, lower: bool = False) -> str:
    """`Line 1, 2, 3, 4, 5, …`."""
    found = numbers(lines)
    shown = ", ".join(str(number) for number in found[:5]) + (", …" if len(found) > 5 else "")
    return f"{'l' if lower else 'L'}ine {shown}"
