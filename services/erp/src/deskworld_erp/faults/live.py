"""The faults that are on, kept in memory beside the table: while there are none a call pays nothing for them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sqlalchemy import Select, Text, bindparam, cast, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.faults.rules import Fault, Kind, Struck, struck
from deskworld_erp.faults.tables import faults
from deskworld_erp.invoicing.tables import commands, exceptions, invoices
from deskworld_erp.purchasing.tables import orders
from deskworld_erp.receiving.tables import receipts
from deskworld_erp.vendors.tables import bank_changes, vendors

_RECORD: Any = bindparam("record", type_=Text)
_OWNED = (
    (invoices, invoices.c.id),
    (orders, orders.c.number),
    (exceptions, exceptions.c.id),
    (receipts, receipts.c.id),
    (orders, orders.c.id),
    (bank_changes, bank_changes.c.id),
    (commands, commands.c.key),
)
_OWNER = union_all(
    select(vendors.c.id.label("vendor_id")).where(vendors.c.id == _RECORD),
    *(select(cast(table.c.vendor_id, Text)).where(column == _RECORD) for table, column in _OWNED),
).limit(1)
_NAMES = tuple(one.name for one in fields(Fault))
_FAULTS = select(*(faults.c[name] for name in _NAMES)).order_by(faults.c.at, faults.c.id)


@dataclass(slots=True)
class Seen:
    """What an address answered: now, and before its last change."""

    now: bytes
    before: bytes | None = None


@dataclass(slots=True)
class LiveFaults:
    """`calls` counts per (method, route, record); a restart of the service begins again."""

    known: dict[str, Fault] = field(default_factory=dict)
    read: bool = False
    calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    owners: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Seen] = field(default_factory=dict)

    async def load(self, connection: AsyncConnection) -> None:
        for row in await connection.execute(_FAULTS):
            held = {name: getattr(row, name) for name in _NAMES}
            self.take([Fault(**held | {"kind": Kind(row.kind)})])
        self.read = True

    def take(self, more: Iterable[Fault]) -> None:
        self.known |= {fault.id: fault for fault in more}

    def drop(self, ids: Iterable[str]) -> None:
        for one in ids:
            self.known.pop(one, None)
        if not self.known:
            for memory in (self.calls, self.owners, self.answers):
                memory.clear()

    def forget(self, vendor_id: str | None) -> None:
        """A vendor's faults, or all: their rows are gone."""
        self.drop([one.id for one in self.known.values() if vendor_id is None or one.vendor_id == vendor_id])

    def of(self, vendor_id: str | None, method: str, route: str) -> list[Fault]:
        return [
            fault
            for fault in self.known.values()
            if (fault.everybody or fault.vendor_id == vendor_id) and fault.concerns(method, route)
        ]

    def call(self, found: Sequence[Fault], method: str, route: str, record: str) -> Struck:
        """Counts one call, and says what meets it."""
        self.calls[method, route, record] += 1
        return struck(found, method, route, self.calls[method, route, record])

    @property
    def stale_reads(self) -> bool:
        return any(fault.kind is Kind.STALE_READ for fault in self.known.values())

    def may_owe(self, method: str, route: str) -> bool:
        """Whether it matters whose record a call is for."""
        return any(not fault.everybody and fault.concerns(method, route) for fault in self.known.values())

    def answered(self, address: str, answer: bytes) -> bytes:
        """Remembers an answer, and gives the one before its last change; the same one when it never changed."""
        seen = self.answers.get(address)
        if seen is None:
            seen = self.answers[address] = Seen(answer)
        elif seen.now != answer:
            seen.before, seen.now = seen.now, answer
        return seen.now if seen.before is None else seen.before

    async def owner(self, connection: AsyncConnection, record: str) -> str | None:
        """The vendor of a record that is named by id, number or key."""
        if record not in self.owners:
            found = (await connection.execute(_OWNER, {"record": record})).scalar()
            if found is None:
                return None
            self.owners[record] = str(found)
        return self.owners[record]


def of_vendor(vendor_id: str | None) -> Select[Any]:
    """A vendor's faults, or with None all of them."""
    return _FAULTS if vendor_id is None else _FAULTS.where(faults.c.vendor_id == vendor_id)


def row(fault: Fault, at: Any) -> dict[str, Any]:
    return {name: getattr(fault, name) for name in _NAMES} | {"at": at}


def shown(fault: Fault) -> dict[str, Any]:
    return {name: getattr(fault, name) for name in _NAMES}
