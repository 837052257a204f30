"""A stored timeline for a reader: a row a line, and beneath it what a letter, an answer or an input says.

All of it is data from outside, as it came; whoever shows it makes it harmless (`plain`, or a page that escapes).
"""

import email
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from email import policy
from email.message import Message
from typing import Any

from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.report import Line
from deskworld.values.timeline import name_of

LONGEST_TEXT = 4000
SILENT = frozenset({"id", "digest", "hash", "ids", "read", "fingerprint", "revision", "key", "sub", "version"})
"""Ends of field names that tell a reader nothing."""
BLOBS = ("digest", "result_digest")
"""Fields whose blob a reader wants: letters, inputs, answers of tools. A policy's input is for machines."""


def timeline(case_id: str, evidence: Evidence) -> tuple[Line, ...]:
    """Nothing where the case has no timeline."""
    found = evidence.of(case_id)
    return tuple(_lines(found, evidence.blobs)) if found else ()


def _lines(found: CaseTimeline, blobs: Mapping[str, Any]) -> Iterator[Line]:
    for row in found.rows:
        yield Line(
            name=name_of(row),
            at=_since(found.rows[0], row),
            kind=row["kind"],
            who=f"{row['actor']['type']} {row['actor']['id']}",
            said=_said(row["data"]),
            text=_text(row, blobs),
        )


def letter_text(raw: bytes) -> str:
    """The words of a message: its plain text, else its HTML as it is written, else all of it."""
    try:
        parsed: Message = email.message_from_bytes(raw, policy=policy.compat32)
        parts = [part for part in parsed.walk() if not part.is_multipart()]
    except (ValueError, LookupError, AttributeError, TypeError):
        return raw.decode("latin-1")
    for kind in ("text/plain", "text/html"):
        words = [_decoded(part) for part in parts if part.get_content_type() == kind]
        if words:
            return "\n".join([*_head(parsed), *words])
    return raw.decode("latin-1")


def _head(parsed: Message) -> Iterator[str]:
    for name in ("From", "Reply-To", "Subject"):
        if parsed.get(name) is not None:
            yield f"{name}: {parsed[name]}"


def _decoded(part: Message) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return str(part.get_payload())
    try:
        return payload.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        return payload.decode("latin-1")


def _text(row: Row, blobs: Mapping[str, Any]) -> str | None:
    name = next((row["data"][field] for field in BLOBS if row["data"].get(field)), None)
    if name is None or name not in blobs:
        return None
    blob = blobs[name]
    if isinstance(blob, Mapping) and set(blob) == {"raw"} and isinstance(blob["raw"], str):
        said = letter_text(blob["raw"].encode("latin-1", "replace"))
    else:
        said = blob if isinstance(blob, str) else json.dumps(blob, ensure_ascii=False)
    said = said.strip().replace("\r\n", "\n")
    return said if len(said) <= LONGEST_TEXT else f"{said[:LONGEST_TEXT]}… ({len(said)} characters)"


def _since(first: Row, row: Row) -> str:
    seconds = (datetime.fromisoformat(row["at"]) - datetime.fromisoformat(first["at"])).total_seconds()
    return f"{seconds:+.3f} s"


def _said(data: Any) -> str:
    fields = data if isinstance(data, Mapping) else {}
    return ", ".join(f"{name} {_short(value)}" for name, value in fields.items() if _tells(name, value))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tells(name: str, value: Any) -> bool:
    if name == "at" or name.rpartition("_")[2] in SILENT or value is None or value in ([], {}):
        return False
    return not (isinstance(value, str) and len(value) == 36 and value.count("-") == 4)
