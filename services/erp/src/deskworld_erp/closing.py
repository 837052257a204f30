"""The end of a posting in one statement: audit rows, the chain's new head, events, and the answer kept under a key.

All writers queue for the chain's head and for the order of events until they commit: what stands between is one round
trip.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.audit.chain import Entry, chained
from deskworld_kit.lean import fixed
from deskworld_kit.outbox import PUBLISH, OutgoingEvent, rows_of

_AUDIT = """moved AS (UPDATE audit_head SET seq = :to_seq, hash = :to_hash),
written AS (INSERT INTO audit (seq, at, entity_kind, entity_id, vendor_id, action, client, "user", decision_id, detail,
prev_hash, hash) SELECT * FROM json_to_recordset(CAST(:rows AS json)) AS fresh (seq bigint, at timestamptz,
entity_kind text, entity_id text, vendor_id text, action text, client text, "user" jsonb, decision_id text,
detail jsonb, prev_hash text, hash text))"""
_KEPT = """kept AS (UPDATE commands SET outcome = :outcome, code = :code, version = :version, status = :status,
body = :body, vendor_id = coalesce((SELECT vendor_id FROM invoices WHERE id = commands.invoice_id),
(SELECT vendor_id FROM bank_changes WHERE id = commands.change_id), (SELECT id FROM vendors WHERE id = :vendor))
WHERE caller = :caller AND key = :key)"""
_EVENTS = PUBLISH.format(name="outbox")
_TYPES: Mapping[str, Any] = {
    "to_seq": BigInteger,
    "to_hash": Text,
    "rows": Text,
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
    parts = ", ".join((_AUDIT, _KEPT) if kept else (_AUDIT,))
    whole = f"WITH {parts} {_EVENTS if events else 'SELECT 1'}"
    used = [bindparam(name, type_=kind) for name, kind in _TYPES.items() if f":{name}" in whole]
    return fixed(text(whole).bindparams(*used))


_STATEMENTS = {
    (events, kept): _statement(events=events, kept=kept) for events in (True, False) for kept in (True, False)
}


async def close(
    connection: AsyncConnection,
    entries: Sequence[Entry],
    events: Sequence[OutgoingEvent],
    kept: Mapping[str, Any] | None,
) -> None:
    """Locks the chain's head until the commit. `kept`: caller, key, vendor, and what was answered."""
    rows, seq, head = await chained(connection, entries)
    written = {"rows": json.dumps(rows, ensure_ascii=False, allow_nan=False), "to_seq": seq, "to_hash": head}
    published = {"events": rows_of(events)}
    statement = _STATEMENTS[bool(events), kept is not None]
    await connection.execute(statement, written | (published if events else {}) | dict(kept or {}))
