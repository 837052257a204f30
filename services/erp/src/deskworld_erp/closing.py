"""The end of a posting in one statement: audit rows, the chain's new head, events, and the answer kept under a key.

All writers queue for the chain's head and for the order of events until they commit: what stands between is one round
trip. The database itself hangs the rows on, and stores of each what it hashed (`audit_append`, migration 0005).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, Integer, LargeBinary, Text, bindparam, text
from sqlalchemy.sql.base import Executable

from deskworld_erp.audit.chain import Entry, said
from deskworld_kit.chain import around
from deskworld_kit.lean import fixed
from deskworld_kit.outbox import PUBLISH, OutgoingEvent, rows_of

_AUDIT = "WITH audited AS MATERIALIZED (SELECT audit_append(:befores, :afters))"
_KEPT = """, kept AS (UPDATE commands SET outcome = :outcome, code = :code, version = :version, status = :status,
body = :body, vendor_id = coalesce((SELECT vendor_id FROM invoices WHERE id = commands.invoice_id),
(SELECT vendor_id FROM bank_changes WHERE id = commands.change_id), (SELECT id FROM vendors WHERE id = :vendor))
WHERE caller = :caller AND key = :key)"""
_EVENTS = f", published AS ({PUBLISH.format(name='outbox')})"
# asked first, so that the chain's head is taken before the order of events
_ASKED = " SELECT FROM audited"
_TYPES: Mapping[str, Any] = {
    "befores": ARRAY(Text),
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


def _statement(*, events: bool, kept: bool) -> Any:
    whole = _AUDIT + (_KEPT if kept else "") + (_EVENTS if events else "") + _ASKED
    used = [bindparam(name, type_=kind) for name, kind in _TYPES.items() if f":{name}" in whole]
    return fixed(text(whole).bindparams(*used))


_STATEMENTS = {
    (events, kept): _statement(events=events, kept=kept) for events in (True, False) for kept in (True, False)
}


def closing(
    entries: Sequence[Entry], events: Sequence[OutgoingEvent], kept: Mapping[str, Any] | None
) -> tuple[Executable, Mapping[str, Any]]:
    """The statement, and its values. It locks the chain's head until the commit. `kept`: caller, key, vendor, and what
    was answered."""
    befores, afters = zip(*(around(said(entry)) for entry in entries), strict=True)
    values: dict[str, Any] = {"befores": befores, "afters": afters, **(kept or {})}
    if events:
        values["events"] = rows_of(events)
    return _STATEMENTS[bool(events), kept is not None], values
