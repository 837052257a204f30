"""The end of a posting in one statement: audit rows, the chain's new head, events, and the answer kept under a key.

All writers queue for the chain's head and for the order of events until they commit. So nothing stands between the head
and the commit: the database itself hangs the rows on, and stores of each what it hashed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, Integer, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from deskworld_erp.audit.chain import Entry, said
from deskworld_kit.chain import BETWEEN, around
from deskworld_kit.lean import fixed
from deskworld_kit.outbox import PUBLISH, OutgoingEvent, rows_of

MOST_ROWS = 100
"""In one statement; it looks for the next row among all of them."""
_AUDIT = f"""WITH RECURSIVE head AS MATERIALIZED (SELECT seq, hash FROM audit_head FOR UPDATE),
said AS MATERIALIZED (
  SELECT * FROM unnest((SELECT :befores), (SELECT :afters)) WITH ORDINALITY AS said (before, after, place)),
linked (place, seq, hash, whole) AS (
  SELECT CAST(0 AS bigint), seq, hash, CAST(NULL AS text) FROM head
  UNION ALL
  SELECT n.place, l.seq + 1, encode(sha256(convert_to(n.whole, 'UTF8')), 'hex'), n.whole
  FROM linked AS l, LATERAL (SELECT place, before || l.hash || '{BETWEEN}' || (l.seq + 1) || after AS whole FROM said
  WHERE place = l.place + 1 OFFSET 0) AS n),
written AS (INSERT INTO audit (seq, at, entity_kind, entity_id, vendor_id, action, client, "user", decision_id, detail,
prev_hash, hash) SELECT r.seq, at, entity->>'kind', entity->>'id', vendor_id, action, client, "user", decision_id,
detail, prev_hash, l.hash FROM linked AS l, json_to_record(CAST(whole AS json)) AS r (seq bigint, at timestamptz,
entity json, vendor_id text, action text, client text, "user" jsonb, decision_id text, detail jsonb, prev_hash text)
WHERE l.place > 0),
moved AS (UPDATE audit_head SET seq = (SELECT max(seq) FROM linked),
hash = (SELECT hash FROM linked ORDER BY place DESC LIMIT 1))"""  # noqa: S608 - our own words
# the rows stand in selects of their own so that no plan depends on how many they are: it is made once
_KEPT = """, kept AS (UPDATE commands SET outcome = :outcome, code = :code, version = :version, status = :status,
body = :body, vendor_id = coalesce((SELECT vendor_id FROM invoices WHERE id = commands.invoice_id),
(SELECT vendor_id FROM bank_changes WHERE id = commands.change_id), (SELECT id FROM vendors WHERE id = :vendor))
WHERE caller = :caller AND key = :key)"""
_EVENTS = f", published AS ({PUBLISH.format(name='outbox')})"
# asked first, so the head is taken first; one row when all rows hang on it
_WHOLE = " SELECT FROM linked HAVING count(*) = (SELECT count(*) FROM said) + 1"
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
    whole = _AUDIT + (_KEPT if kept else "") + (_EVENTS if events else "") + _WHOLE
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
    batches = [entries[start : start + MOST_ROWS] for start in range(0, len(entries), MOST_ROWS)]
    for batch in batches[:-1]:
        await _write(connection, batch, (), None)
    await _write(connection, batches[-1], events, kept)


async def _write(
    connection: AsyncConnection,
    entries: Sequence[Entry],
    events: Sequence[OutgoingEvent],
    kept: Mapping[str, Any] | None,
) -> None:
    befores, afters = zip(*(around(said(entry)) for entry in entries), strict=True)
    values: dict[str, Any] = {"befores": befores, "afters": afters, **(kept or {})}
    if events:
        values["events"] = rows_of(events)
    done = await connection.execute(_STATEMENTS[bool(events), kept is not None], values)
    if done.rowcount != 1:
        raise RuntimeError("the audit's head is gone: nothing can be hung on it")
