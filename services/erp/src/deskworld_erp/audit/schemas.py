"""Audit rows on the wire."""

from datetime import datetime
from typing import Any

from deskworld_erp.fields import Value


class Entity(Value):
    kind: str
    id: str


class AuditUser(Value):
    username: str
    sub: str | None


class AuditRow(Value):
    seq: int
    at: datetime
    entity: Entity
    vendor_id: str
    action: str
    client: str
    user: AuditUser | None
    decision_id: str | None
    detail: dict[str, Any]
    prev_hash: str
    hash: str


class AuditRows(Value):
    items: list[AuditRow]
    next: str | None


class ChainView(Value):
    """`broken`: seq of the first row that does not follow the one before."""

    ok: bool
    broken: int | None
    rows: int
