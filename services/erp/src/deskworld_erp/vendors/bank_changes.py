"""Bank changes: proposed, called back about, confirmed by a second person or rejected. Until then nothing pays."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Row, Text, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause, event
from deskworld_erp.fields import moment_text
from deskworld_erp.invoicing.bodies import read_body
from deskworld_erp.invoicing.book import load_book, lock_statement
from deskworld_erp.invoicing.idempotency import Request, Stored, once, problem_of, refused
from deskworld_erp.invoicing.matching import recheck
from deskworld_erp.invoicing.state import grants
from deskworld_erp.posting import Posting
from deskworld_erp.vendors.bank_change_schemas import BODIES, CallBack, NewBankChange, Reasoned
from deskworld_erp.vendors.rules.bank_changes import (
    Asked,
    ChangeState,
    ChangeStatus,
    KnownContact,
    Step,
    contact_called,
    judge,
)
from deskworld_erp.vendors.tables import bank_accounts, bank_changes, vendors
from deskworld_kit.answers import not_found, to_bytes
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id

_CHANGE = select(bank_changes, bank_accounts.c.account, bank_accounts.c.routing).join(
    bank_accounts, bank_accounts.c.id == bank_changes.c.account_id
)
_CONCERNED = select(bank_changes.c.vendor_id).where(bank_changes.c.id == bindparam("change_id")).scalar_subquery()
_LOCK = lock_statement(func.coalesce(_CONCERNED, bindparam("vendor_id", type_=Text)))
_TOLD = {
    ChangeStatus.PROPOSED: "proposed",
    ChangeStatus.CALLED_BACK: "called-back",
    ChangeStatus.VERIFIED: "verified",
    ChangeStatus.REJECTED: "rejected",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A step as it arrived; of a vendor when it proposes, else of a change."""

    who: Principal
    step: Step
    key: str
    body: bytes
    instance: str
    vendor_id: str | None = None
    change_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Taking:
    """A step under the vendor's lock."""

    erp: Erp
    posting: Posting
    sent: Sent
    vendor_id: str
    row: Row[Any] | None
    contacts: tuple[KnownContact, ...]
    asked: Asked


async def bank_change(connection: AsyncConnection, change_id: str) -> dict[str, Any] | None:
    row = (await connection.execute(_CHANGE.where(bank_changes.c.id == change_id))).first()
    return None if row is None else _view(row)


async def bank_changes_after(
    connection: AsyncConnection, after: str, *, limit: int, vendor_id: str | None, statuses: Collection[str]
) -> list[dict[str, Any]]:
    """In the order in which they were proposed. No status: whatever it is."""
    wanted = _CHANGE.where(bank_changes.c.id > after).order_by(bank_changes.c.id).limit(limit)
    if vendor_id is not None:
        wanted = wanted.where(bank_changes.c.vendor_id == vendor_id)
    if statuses:
        wanted = wanted.where(bank_changes.c.status.in_(statuses))
    return [_view(row) for row in await connection.execute(wanted)]


async def carry_out(erp: Erp, sent: Sent) -> Stored:
    """The answer, new or stored under the key."""
    path = [sent.step, sent.vendor_id or sent.change_id or ""]
    body, malformed, seen_as = read_body(sent.body, path, BODIES[sent.step].model_validate)
    request = Request(
        sent.who, sent.key, seen_as, sent.step, sent.instance, change_id=sent.change_id, vendor_id=sent.vendor_id
    )

    async def decide(posting: Posting) -> Stored:
        return await _decide(erp, posting, sent, body)

    return await once(erp, request, malformed, decide)


async def _decide(erp: Erp, posting: Posting, sent: Sent, body: Any) -> Stored:
    vendor_id = await posting.lock(_LOCK, {"change_id": sent.change_id, "vendor_id": sent.vendor_id})
    if vendor_id is None:
        missing = {"vendor_id": sent.vendor_id} if sent.change_id is None else {"change_id": sent.change_id}
        return refused(not_found("vendor" if sent.change_id is None else "bank change", **missing), sent.instance)
    taking = await _under_lock(erp, posting, sent, vendor_id, body)
    refusal = judge(taking.asked)
    if refusal is not None:
        return refused(problem_of(refusal), sent.instance)
    return Stored(200, to_bytes(await _STEPS[sent.step](taking, body)))


async def _under_lock(erp: Erp, posting: Posting, sent: Sent, vendor_id: str, body: Any) -> _Taking:
    row = None
    if sent.change_id is not None:
        row = (await posting.connection.execute(_CHANGE.where(bank_changes.c.id == sent.change_id))).one()
    found = (await posting.connection.execute(select(vendors.c.contacts).where(vendors.c.id == vendor_id))).scalar_one()
    contacts = tuple(KnownContact(one["name"], one["phone"], date.fromisoformat(one["trusted_since"])) for one in found)
    asked = Asked(
        step=sent.step,
        username=sent.who.username,
        is_person=sent.who.is_person,
        grants=await grants(posting.connection, sent.who.username) if erp.enforce else None,
        change=None if row is None else _state(row),
        contacts=contacts,
        phone=body.phone if isinstance(body, CallBack) else None,
        trusted_days=erp.call_back_trusted_days,
    )
    return _Taking(erp, posting, sent, vendor_id, row, contacts, asked)


async def _propose(of: _Taking, body: NewBankChange) -> dict[str, Any]:
    connection, at = of.posting.connection, of.posting.at
    position = select(func.count()).select_from(bank_accounts).where(bank_accounts.c.vendor_id == of.vendor_id)
    place = (await connection.execute(position)).scalar_one()
    account: dict[str, Any] = {
        "id": new_id(),
        "vendor_id": of.vendor_id,
        "position": place,
        "account": body.account,
        "at": at,
    }
    account |= {"routing": body.routing}
    await connection.execute(bank_accounts.insert().values(account | {"status": "PENDING_VERIFICATION"}))
    told: dict[str, Any] = {"requested_from": body.requested_from, "proposed_by": of.posting.actor.name}
    change: dict[str, Any] = {
        "id": new_id(),
        "vendor_id": of.vendor_id,
        "account_id": account["id"],
        "proposed_at": at,
    } | told
    await connection.execute(bank_changes.insert().values(change | {"status": str(ChangeStatus.PROPOSED)}))
    told = told | {"comment": body.comment}
    return await _close(of, change["id"], account["id"], ChangeStatus.PROPOSED, told)


async def _call_back(of: _Taking, body: CallBack) -> dict[str, Any]:
    """A "no" on the phone rejects the change."""
    contact = contact_called(of.asked)
    assert contact is not None  # noqa: S101 - the checks found it
    call = _signed(of, body.comment) | {"phone": contact.phone, "contact": contact.name, "answer": body.answer}
    status = ChangeStatus.CALLED_BACK if body.answer == "yes" else ChangeStatus.REJECTED
    return await _move(of, status, {"call_back": call} | ({} if body.answer == "yes" else {"rejection": call}))


async def _confirm(of: _Taking, body: Reasoned) -> dict[str, Any]:
    old = bank_accounts.update().where(bank_accounts.c.vendor_id == of.vendor_id, bank_accounts.c.status == "ACTIVE")
    await of.posting.connection.execute(old.values(status="SUPERSEDED"))
    return await _move(of, ChangeStatus.VERIFIED, {"confirmation": _signed(of, body.comment)})


async def _reject(of: _Taking, body: Reasoned) -> dict[str, Any]:
    return await _move(of, ChangeStatus.REJECTED, {"rejection": _signed(of, body.comment)})


async def _move(of: _Taking, status: ChangeStatus, records: dict[str, Any]) -> dict[str, Any]:
    assert of.row is not None  # noqa: S101 - only a proposal is of no change
    change_id, account_id = of.row.id, of.row.account_id
    change = bank_changes.update().where(bank_changes.c.id == change_id)
    await of.posting.connection.execute(change.values(status=str(status), **records))
    becomes = {ChangeStatus.VERIFIED: "ACTIVE", ChangeStatus.REJECTED: "REJECTED"}.get(status)
    if becomes is not None:
        account = bank_accounts.update().where(bank_accounts.c.id == account_id)
        await of.posting.connection.execute(account.values(status=becomes))
    told = next(iter(records.values()))
    return await _close(of, change_id, account_id, status, told)


async def _close(
    of: _Taking, change_id: str, account_id: str, status: ChangeStatus, told: dict[str, Any]
) -> dict[str, Any]:
    """Audited, published, and every invoice of the vendor that is not decided is matched again."""
    key = of.sent.key
    of.posting.audit(
        "bank-change",
        change_id,
        of.vendor_id,
        of.sent.step,
        told | {"account_id": account_id, "status": status, "key": key},
    )
    of.posting.events.append(
        event(
            f"vendor.bank-change.{_TOLD[status]}",
            subject=change_id,
            key=of.vendor_id,
            vendor_id=of.vendor_id,
            at=of.posting.at,
            data={"vendor_id": of.vendor_id, "change_id": change_id, "status": status},
        )
    )
    if status is not ChangeStatus.CALLED_BACK:
        book = await load_book(of.posting.connection, of.vendor_id, of.erp.tolerances)
        await recheck(of.posting, book, list(book.records), Cause("bank-change", change_id))
    ids = {"change_id": change_id, "account_id": account_id, "vendor_id": of.vendor_id}
    return ids | {"action": of.sent.step, "status": status, "key": key}


def _signed(of: _Taking, comment: str | None) -> dict[str, Any]:
    return {"by": of.posting.actor.name, "at": moment_text(of.posting.at), "comment": comment}


def _state(row: Row[Any]) -> ChangeState:
    return ChangeState(
        id=row.id,
        status=ChangeStatus(row.status),
        proposed_by=row.proposed_by,
        proposed_at=row.proposed_at,
        called_by=None if row.call_back is None else row.call_back["by"],
    )


def _view(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": row.id,
        "vendor_id": row.vendor_id,
        "account_id": row.account_id,
        "account": row.account,
        "routing": row.routing,
        "requested_from": row.requested_from,
        "proposed_by": row.proposed_by,
        "proposed_at": moment_text(row.proposed_at),
        "status": row.status,
        "call_back": row.call_back,
        "confirmation": row.confirmation,
        "rejection": row.rejection,
        "ids": [row.id, row.account_id],
    }


_STEPS: dict[Step, Callable[[_Taking, Any], Awaitable[dict[str, Any]]]] = {
    Step.PROPOSE: _propose,
    Step.CALL_BACK: _call_back,
    Step.CONFIRM: _confirm,
    Step.REJECT: _reject,
}
