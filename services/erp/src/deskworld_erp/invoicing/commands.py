"""Commands on an invoice: one transaction each writes the document, the audit row, the events and the answer."""

from dataclasses import dataclass
from typing import Any

from deskworld_erp.erp import Erp
from deskworld_erp.events.messages import Cause
from deskworld_erp.fields import moment_text, money_text
from deskworld_erp.invoicing.bodies import read_body
from deskworld_erp.invoicing.book import any_later, load_book
from deskworld_erp.invoicing.effects import EFFECTS, Doing, Effect
from deskworld_erp.invoicing.idempotency import Request, Stored, once, problem_of, refused
from deskworld_erp.invoicing.matching import (
    Change,
    publish_changed,
    publish_exceptions,
    publish_rechecked,
    recheck,
    write,
    write_last,
)
from deskworld_erp.invoicing.rules.authority import Action
from deskworld_erp.invoicing.rules.commands import Code, Command, judge
from deskworld_erp.invoicing.schemas import ActionBody, CommandBody
from deskworld_erp.invoicing.state import locked_invoice
from deskworld_erp.posting import Posting
from deskworld_kit.answers import not_found, to_bytes
from deskworld_kit.identity import Principal

INPUTS = frozenset({Action.ASSIGN_PO, Action.CLEAR_DUPLICATE})
"""Commands that change what the match looks at: whoever holds an exception is told that it ran again."""


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

    def parse(said: Any) -> CommandBody:
        body = CommandBody.model_validate(said)
        ActionBody(action=asked.action, body=body)
        return body

    body, malformed, seen_as = read_body(asked.body, [asked.action, asked.invoice_id], parse)
    request = Request(asked.who, asked.key, seen_as, asked.action, asked.instance, invoice_id=asked.invoice_id)

    async def decide(posting: Posting) -> Stored:
        assert body is not None  # noqa: S101 - one that is not there was refused
        return await _decide(erp, posting, asked, body)

    stored = await once(erp, request, malformed, decide)
    if body is not None and body.until is not None:
        for told in erp.on_hold_with_date:
            told()
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
        until=body.until,
    )
    locked = await locked_invoice(posting, asked.invoice_id, asked.who, command, enforce=erp.enforce)
    if locked is None:
        return refused(not_found("invoice", invoice_id=asked.invoice_id), asked.instance)
    refusal = judge(locked.situation)
    if refusal is not None:
        problem = problem_of(refusal)
        if refusal.code is Code.STALE_VERSION:
            raise problem
        return refused(problem, asked.instance)
    effect = await EFFECTS[asked.action](Doing(erp, posting, locked, body.comment))
    change = Change(locked.record, effect.now)
    looks_other = locked.record.seen_by_others() != effect.now.seen_by_others()
    if change.alone and not looks_other:
        write_last(posting, change, by=effect.by, besides=effect.besides)
    else:
        await write(posting, change, by=effect.by, besides=effect.besides)
    cause = Cause("clearing" if asked.action is Action.CLEAR_DUPLICATE else "command", asked.key, body.decision_id)
    _tell(posting, asked, body, change, effect, cause)
    if looks_other:
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
        "until": None if body.until is None else moment_text(body.until),
        "matched_po": effect.now.matched_po,
        "comment": body.comment,
    }
    posting.audit("invoice", effect.now.id, effect.now.vendor_id, asked.action, detail, decision_id=body.decision_id)
    publish_exceptions(posting, change, cause)
    if asked.action in INPUTS:
        publish_rechecked(posting, effect.now, cause)
    publish_changed(posting, effect.now, asked.action, body.decision_id)


async def _others(erp: Erp, posting: Posting, change: Change, cause: Cause) -> None:
    """Later invoices look at this one: their match runs again when what they see of it changed."""
    before, now = change.before, change.now
    assert before is not None  # noqa: S101 - a command changes an invoice that is there
    if not await any_later(posting.connection, now.vendor_id, now.sequence):
        return
    book = await load_book(posting.connection, now.vendor_id, erp.tolerances)
    await recheck(posting, book, {*book.after(before.seen_by_others()), *book.after(now.seen_by_others())}, cause)


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
