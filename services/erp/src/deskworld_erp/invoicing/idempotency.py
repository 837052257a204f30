"""Commands by key: the same request gets the stored answer byte for byte, another one under the same key is refused."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Header
from sqlalchemy import Row, bindparam, case, func, select, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.erp import Erp, acting
from deskworld_erp.invoicing.book import lock_statement
from deskworld_erp.invoicing.rules.commands import Code, Refused
from deskworld_erp.invoicing.tables import commands, invoices
from deskworld_erp.posting import Posting
from deskworld_erp.vendors.tables import bank_changes, vendors
from deskworld_kit import clock
from deskworld_kit.answers import to_bytes
from deskworld_kit.identity import Principal
from deskworld_kit.lean import fixed
from deskworld_kit.problems import Problem

KEPT = timedelta(days=30)
MOST_KEY = 255
IdempotencyKey = Annotated[
    str,
    Header(min_length=1, max_length=MOST_KEY, pattern=r"^[\x20-\x7e]+$", description="Kept 30 days per caller"),
]
STATUS = {
    Code.INVALID_REQUEST: 400,
    Code.NOT_AUTHORISED: 403,
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
}
_ABOUT = ("invoice_id", "change_id")
_FRESH = ("request", "action", *_ABOUT, "by", "at")
_ANSWERED = ("outcome", "code", "version", "status", "body")
_NEW = insert(commands).values({name: bindparam(name) for name in ("caller", "key", *_FRESH)})
_CLAIMED = (
    _NEW.on_conflict_do_update(
        index_elements=[commands.c.caller, commands.c.key],
        set_={name: _NEW.excluded[name] for name in _FRESH} | dict.fromkeys((*_ANSWERED, "vendor_id")),
        where=commands.c.at < bindparam("expired", type_=commands.c.at.type),
    )
    .returning(commands.c.key)
    .cte("claimed")
)
_CONCERNED = select(invoices.c.vendor_id).where(invoices.c.id == bindparam("invoice_id")).scalar_subquery()
# the vendor's lock hangs on the key: whoever waits for a key must hold no lock that the key's owner needs
_LOCKED = lock_statement(_CONCERNED).where(select(_CLAIMED.c.key).exists()).cte("locked")
# no row: the key is somebody's; one: it is taken; two: it is taken, and the invoice's vendor is locked
_CLAIM = fixed(union_all(select(_CLAIMED.c.key), select(_LOCKED.c.id)), name="take_key")
_LOCKED_TOO = 2
_MINE = (commands.c.caller == bindparam("_caller"), commands.c.key == bindparam("_key"))
_KEPT = fixed(select(commands).where(*_MINE))
_OWNER = func.coalesce(
    select(invoices.c.vendor_id).where(invoices.c.id == commands.c.invoice_id).scalar_subquery(),
    select(bank_changes.c.vendor_id).where(bank_changes.c.id == commands.c.change_id).scalar_subquery(),
    select(vendors.c.id).where(vendors.c.id == bindparam("vendor")).scalar_subquery(),
)
_KEEP = fixed(
    commands.update()
    .where(commands.c.caller == bindparam("caller_"), commands.c.key == bindparam("key_"))
    .values({name: bindparam(name) for name in _ANSWERED} | {"vendor_id": _OWNER})
)


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
    """`digest` is of all that was asked; one of the three ids says of what."""

    caller: Principal
    key: str
    digest: str
    action: str
    instance: str
    invoice_id: str | None = None
    change_id: str | None = None
    vendor_id: str | None = None


async def once(
    erp: Erp, request: Request, malformed: Problem | None, decide: Callable[[Posting], Awaitable[Stored]]
) -> Stored:
    """The answer of `decide` or, for a request that was seen before, the one that is stored. One transaction, in which
    `decide` finds the vendor of the invoice that the request names locked (`posting.vendor_locked`).

    What `malformed` says comes before the look at the key, and is stored when the key is new. Raises Problem for what
    is not stored.
    """
    async with erp.posting(acting(request.caller), first=(_CLAIM, _claim(request))) as posting:
        taken = posting.connection.found
        if not taken:
            mine = {"_caller": request.caller.subject, "_key": request.key}
            seen = (await posting.connection.execute(_KEPT, mine)).one()
            if seen.request == request.digest:
                return Stored(seen.status, seen.body, seen.code, seen.version)
            return refused(malformed or _reused(request, seen), request.instance)
        posting.vendor_locked = taken == _LOCKED_TOO
        stored = await decide(posting) if malformed is None else refused(malformed, request.instance)
        kept = _answered(request, stored)
        if posting.entries:
            posting.kept = kept
        else:
            await posting.connection.execute(_KEEP, kept | {"caller_": kept["caller"], "key_": kept["key"]})
    return stored


def _claim(request: Request) -> dict[str, Any]:
    """Values of _CLAIM, which waits for a request under the same key that is in flight."""
    now = clock.now()
    return {
        "caller": request.caller.subject,
        "key": request.key,
        "request": request.digest,
        "action": request.action,
        "invoice_id": request.invoice_id,
        "change_id": request.change_id,
        "by": {"username": request.caller.username, "sub": request.caller.subject, "client": request.caller.client},
        "at": now,
        "expired": now - KEPT,
    }


def _answered(request: Request, stored: Stored) -> dict[str, Any]:
    return {
        "caller": request.caller.subject,
        "key": request.key,
        "vendor": request.vendor_id,
        "outcome": "applied" if stored.applied else "refused",
        "code": stored.code,
        "version": stored.version,
        "status": stored.status,
        "body": stored.body,
    }


def refused(problem: Problem, instance: str) -> Stored:
    return Stored(problem.status, to_bytes(problem.document(instance)), problem.code)


def problem_of(refusal: Refused) -> Problem:
    return Problem(STATUS.get(refusal.code, 422), refusal.code, refusal.detail, **dict(refusal.values))


def _reused(request: Request, seen: Row[Any]) -> Problem:
    return Problem(
        422,
        Code.IDEMPOTENCY_KEY_REUSED,
        "Another request was sent under this key.",
        key=request.key,
        action=seen.action,
        invoice_id=seen.invoice_id,
        change_id=seen.change_id,
    )


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
        version = {} if row.version is None else {"version": row.version}
        return version | {"answer": json.loads(row.body)}
    return {"code": row.code}
