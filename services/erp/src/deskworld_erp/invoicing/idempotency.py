"""Commands by key: the same request gets the stored answer byte for byte, another one under the same key is refused."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, bindparam, case, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.answers import to_bytes
from deskworld_erp.invoicing.rules.commands import Code
from deskworld_erp.invoicing.tables import commands, invoices
from deskworld_kit import clock
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

KEPT = timedelta(days=30)
_FRESH = ("request", "action", "invoice_id", "by", "at")
_ANSWERED = ("outcome", "code", "version", "status", "body")
_NEW = insert(commands).values({name: bindparam(name) for name in ("caller", "key", *_FRESH)})
_CLAIM = _NEW.on_conflict_do_update(
    index_elements=[commands.c.caller, commands.c.key],
    set_={name: _NEW.excluded[name] for name in _FRESH} | dict.fromkeys((*_ANSWERED, "vendor_id")),
    where=commands.c.at < bindparam("expired", type_=commands.c.at.type),
).returning(commands.c.key)
_MINE = (commands.c.caller == bindparam("_caller"), commands.c.key == bindparam("_key"))
_KEPT = select(commands).where(*_MINE)
_OWNER = select(invoices.c.vendor_id).where(invoices.c.id == commands.c.invoice_id).scalar_subquery()
_KEEP = commands.update().where(*_MINE).values({name: bindparam(name) for name in _ANSWERED} | {"vendor_id": _OWNER})


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it left, or will leave again."""

    status: int
    body: bytes
    code: str | None = None
    version: int | None = None

    @property
    def applied(self) -> bool:
        return self.status < 300


@dataclass(frozen=True, slots=True)
class Request:
    caller: Principal
    key: str
    digest: str
    action: str
    invoice_id: str
    instance: str


async def claim(connection: AsyncConnection, request: Request) -> Stored | None:
    """Takes the key for this transaction, or gives what was answered under it. Waits for one that is in flight."""
    now = clock.now()
    fresh = {
        "request": request.digest,
        "action": request.action,
        "invoice_id": request.invoice_id,
        "by": {"username": request.caller.username, "sub": request.caller.subject, "client": request.caller.client},
        "at": now,
    }
    mine = {"caller": request.caller.subject, "key": request.key}
    if (await connection.execute(_CLAIM, mine | fresh | {"expired": now - KEPT})).first() is not None:
        return None
    row = (await connection.execute(_KEPT, {"_caller": request.caller.subject, "_key": request.key})).one()
    if row.request != request.digest:
        return refused(
            Problem(
                422,
                Code.IDEMPOTENCY_KEY_REUSED,
                "Another request was sent under this key.",
                key=request.key,
                action=row.action,
                invoice_id=row.invoice_id,
            ),
            request.instance,
        )
    return Stored(row.status, row.body, row.code, row.version)


async def keep(connection: AsyncConnection, request: Request, stored: Stored) -> None:
    await connection.execute(
        _KEEP,
        {
            "_caller": request.caller.subject,
            "_key": request.key,
            "outcome": "applied" if stored.applied else "refused",
            "code": stored.code,
            "version": stored.version,
            "status": stored.status,
            "body": stored.body,
        },
    )


def refused(problem: Problem, instance: str) -> Stored:
    return Stored(problem.status, to_bytes(problem.document(instance)), problem.code)


async def outcome(connection: AsyncConnection, caller: Principal, key: str) -> dict[str, Any]:
    """What became of a key: the caller's own first, then whoever's was applied, then the latest."""
    preference = case((commands.c.caller == caller.subject, 0), (commands.c.outcome == "applied", 1), else_=2)
    found = await connection.execute(
        select(commands)
        .where(commands.c.key == key, commands.c.at >= clock.now() - KEPT)
        .order_by(preference, commands.c.at.desc())
        .limit(1)
    )
    row = found.first()
    if row is None:
        return {"key": key, "outcome": "unknown"}
    return {"key": key, "outcome": row.outcome} | _of(row)


def _of(row: Row[Any]) -> dict[str, Any]:
    if row.outcome == "applied":
        return {"version": row.version, "answer": json.loads(row.body)}
    return {"code": row.code}
