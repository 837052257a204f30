"""Commands on an invoice: one transaction each writes the document, the audit row, the events and the answer."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import select

from deskworld_erp.answers import not_found, to_bytes
from deskworld_erp.erp import Erp, acting
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import money_text
from deskworld_erp.invoicing import idempotency
from deskworld_erp.invoicing.book import load_book
from deskworld_erp.invoicing.effects import EFFECTS, Doing, Effect
from deskworld_erp.invoicing.idempotency import Request, Stored
from deskworld_erp.invoicing.matching import Change, publish_changed, publish_exceptions, recheck, write
from deskworld_erp.invoicing.record import InvoiceRecord
from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.rules.commands import Code, Command, Refused, judge
from deskworld_erp.invoicing.rules.values import CHECKED_AGAIN
from deskworld_erp.invoicing.schemas import ActionBody, CommandBody
from deskworld_erp.invoicing.state import lock_invoice
from deskworld_erp.invoicing.tables import invoices
from deskworld_erp.posting import Posting
from deskworld_kit.chain import digest
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

STATUS = {
    Code.INVALID_REQUEST: 400,
    Code.NOT_AUTHORISED: 403,
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
}
MOST_KEY = 255


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as it arrived."""

    who: Principal
    invoice_id: str
    action: Action
    key: str
    body: bytes
    instance: str


async def carry_out(erp: Erp, asked: Asked) -> Stored:
    """The answer, new or stored. Raises Problem for what is not stored under the key."""
    body, problem, seen_as = _read(asked)
    request = Request(asked.who, asked.key, seen_as, asked.action, asked.invoice_id, asked.instance)
    async with erp.posting(acting(asked.who)) as posting:
        stored = await idempotency.claim(posting.connection, request)
        if stored is not None:
            return stored
        if body is None:
            assert problem is not None  # noqa: S101 - a body that is not there was refused
            stored = idempotency.refused(problem, asked.instance)
        else:
            stored = await _decide(erp, posting, asked, body)
        await idempotency.keep(posting.connection, request, stored)
    return stored


async def _decide(erp: Erp, posting: Posting, asked: Asked, body: CommandBody) -> Stored:
    command = Command(
        action=asked.action,
        expected_version=body.expected_version,
        settles=frozenset(body.settles),
        exception_id=body.exception_id,
        hold_id=body.hold_id,
        amount=body.amount,
        against_po=body.against_po,
    )
    locked = await lock_invoice(posting, asked.invoice_id, asked.who, command, enforce=erp.enforce)
    if locked is None:
        return idempotency.refused(not_found("invoice", invoice_id=asked.invoice_id), asked.instance)
    refused = judge(locked.situation)
    if refused is not None:
        problem = _problem(refused)
        if refused.code is Code.STALE_VERSION:
            raise problem
        return idempotency.refused(problem, asked.instance)
    effect = await EFFECTS[asked.action](Doing(erp, posting, locked, body.comment))
    change = Change(locked.record, effect.now)
    if not await write(posting, change):
        raise Problem(409, Code.STALE_VERSION, "The invoice was changed meanwhile.", invoice_id=asked.invoice_id)
    cause = Cause("clearing" if asked.action is Action.CLEAR_DUPLICATE else "command", asked.key, body.decision_id)
    _tell(posting, asked, body, change, effect, cause)
    await _others(erp, posting, change, cause)
    answer = _answer(asked, body, change, effect)
    return Stored(200, to_bytes(answer), version=effect.now.version)


def _tell(posting: Posting, asked: Asked, body: CommandBody, change: Change, effect: Effect, cause: Cause) -> None:
    detail = change.detail() | {
        "key": cause.id,
        "amount": None if effect.amount is None else money_text(effect.amount),
        "settled": [one["id"] for one in change.resolved],
        "settles": list(body.settles),
        "exception_id": body.exception_id,
        "hold_id": effect.hold_id,
        "matched_po": effect.now.matched_po,
        "comment": body.comment,
    }
    posting.audit("invoice", effect.now.id, effect.now.vendor_id, asked.action, detail, decision_id=body.decision_id)
    publish_exceptions(posting, change, cause)
    publish_changed(posting, effect.now, asked.action, body.decision_id)


async def _others(erp: Erp, posting: Posting, change: Change, cause: Cause) -> None:
    """Later invoices look at this one: their match runs again when what they see of it changed."""
    before, now = change.before, change.now
    assert before is not None  # noqa: S101 - a command changes an invoice that is there
    was, seen = before.seen_by_others(), now.seen_by_others()
    if was == seen or not await _any_later(posting, now):
        return
    book = await load_book(posting.connection, now.vendor_id, erp.tolerances)
    await recheck(posting, book, {*book.after(was), *book.after(seen)}, cause)


async def _any_later(posting: Posting, invoice: InvoiceRecord) -> bool:
    later = select(invoices.c.id).where(
        invoices.c.vendor_id == invoice.vendor_id,
        invoices.c.sequence > invoice.sequence,
        invoices.c.status.in_([*CHECKED_AGAIN]),
    )
    return bool((await posting.connection.execute(select(later.exists()))).scalar_one())


def _answer(asked: Asked, body: CommandBody, change: Change, effect: Effect) -> dict[str, Any]:
    return {
        "invoice_id": asked.invoice_id,
        "action": asked.action,
        "status": effect.now.status,
        "version": effect.now.version,
        "amount": None if effect.amount is None else money_text(effect.amount),
        "settled": [one["id"] for one in change.resolved],
        "hold_id": effect.hold_id,
        "decision_id": body.decision_id,
        "key": asked.key,
    }


def _read(asked: Asked) -> tuple[CommandBody | None, Problem | None, str]:
    """The body, or what is wrong with it; and the digest by which the same request is known again."""
    path = [asked.action, asked.invoice_id]
    try:
        content = json.loads(asked.body or b"null")
        seen_as = digest([*path, content])
    except (ValueError, RecursionError) as error:
        problem = _invalid("body", f"not JSON: {error}", None)
        return None, problem, digest([*path, asked.body.decode("latin-1")])
    try:
        body = CommandBody.model_validate(content)
        ActionBody(action=asked.action, body=body)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        return None, _invalid(field, first["msg"], repr(first["input"])[:80] if first["loc"] else None), seen_as
    return body, None, seen_as


def _invalid(field: str, what: str, value: str | None) -> Problem:
    return Problem(400, Code.INVALID_REQUEST, f"{field}: {what}", field=field, value=value)


def _problem(refused: Refused) -> Problem:
    return Problem(STATUS.get(refused.code, 422), refused.code, refused.detail, **dict(refused.values))
