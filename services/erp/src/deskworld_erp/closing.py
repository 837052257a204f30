"""The end of a posting in one statement: audit rows, the chain's new head, events, and the answer kept under a key.

All writers queue for the chain's head and for the order of events until they commit: what stands between is one round
trip. The database itself hangs the rows on, and stores of each what it hashed (`audit_append`, migration 0005).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sqlalchemy import ARRAY, Integer, LargeBinary, Text, bindparam, text

from deskworld_erp.audit.chain import Entry, said
from deskworld_kit.chain import around
from deskworld_kit.lean import Sent, fixed
from deskworld_kit.outbox import PUBLISH, OutgoingEvent, rows_of

_AUDIT = "WITH audited AS MATERIALIZED (SELECT audit_append({befores}, :afters))"
# no array, where the invoice is not what it should be: then the function has no end to count to, and fails
_OF_MADE = "(SELECT CAST(:befores AS text[]) FROM invoices WHERE id = :made AND version = :made_version)"
_KEPT = """, kept AS (UPDATE commands SET outcome = :outcome, code = :code, version = :version, status = :status,
body = :body, vendor_id = coalesce((SELECT vendor_id FROM invoices WHERE id = commands.invoice_id),
(SELECT vendor_id FROM bank_changes WHERE id = commands.change_id), (SELECT id FROM vendors WHERE id = :vendor))
WHERE caller = :caller AND key = :key)"""
_EVENTS = f", published AS ({PUBLISH.format(name='outbox')})"
# asked first, so that the chain's head is taken before the order of events
_ASKED = " SELECT FROM audited"
_TYPES: Mapping[str, Any] = {
    "befores": ARRAY(Text),
    "made": Text,
    "made_version": Integer,
    "afters": ARRAY(Text),
    "events": Text,
    "outcome": Text,
    "code": Text,
    "version": Integer,
    "status": Integer,
    "body": LargeBinary,
    "vendor": Text,
    "caller": Text,
    "key": Text,
}


def _statement(*, made: bool, events: bool, kept: bool) -> Any:
    audit = _AUDIT.format(befores=_OF_MADE if made else ":befores")
    whole = audit + (_KEPT if kept else "") + (_EVENTS if events else "") + _ASKED
    used = [bindparam(name, type_=kind) for name, kind in _TYPES.items() if f":{name}" in whole]
    parts = {"_made": made, "_kept": kept, "_events": events}
    name = "append_audit" + "".join(part for part, there in parts.items() if there)
    return fixed(text(whole).bindparams(*used), name=name)


_STATEMENTS = {
    (made, events, kept): _statement(made=made, events=events, kept=kept)
    for made, events, kept in product((True, False), repeat=3)
}


@dataclass(frozen=True, slots=True)
class Made:
    """What a posting's last statements make of an invoice. Nothing is committed when that is not what came of it."""

    invoice_id: str
    version: int


def closing(
    entries: Sequence[Entry], events: Sequence[OutgoingEvent], kept: Mapping[str, Any] | None, made: Made | None
) -> Sent:
    """The statement, and its values. It locks the chain's head until the commit. `kept`: caller, key, vendor, and what
    was answered."""
    befores, afters = zip(*(around(said(entry)) for entry in entries), strict=True)
    values: dict[str, Any] = {"befores": befores, "afters": afters, **(kept or {})}
    if events:
        values["events"] = rows_of(events)
    if made is not None:
        values |= {"made": made.invoice_id, "made_version": made.version}
    return _STATEMENTS[made is not None, bool(events), kept is not None], values
