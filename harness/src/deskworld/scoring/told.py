"""The rows that findings name, each in a line, so that a report can show them without the evidence."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from deskworld.values.evidence import Evidence, Row
from deskworld.values.timeline import audit_name, name_of
from deskworld.values.verdict import Check

LONGEST = 160
SILENT = ("id", "digest", "hash", "ids", "read", "fingerprint", "revision", "key")
"""Ends of field names that tell a reader nothing."""


def told(evidence: Evidence, checks: Sequence[Check]) -> dict[str, str]:
    wanted = {name for check in checks for finding in check.findings for name in finding.rows}
    if not wanted:
        return {}
    lines = dict(_timeline_lines(evidence)) | dict(_audit_lines(evidence))
    return {name: lines[name] for name in sorted(wanted) if name in lines}


def _timeline_lines(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for timeline in evidence.timelines:
        for row in timeline.rows:
            who = f"{row['actor']['type']} {row['actor']['id']}"
            yield name_of(row), _line(_since(timeline.rows[0], row), row["kind"], who, row["data"])


def _audit_lines(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for row in (evidence.erp or {}).get("audit", ()):
        who = row["user"]["username"] if row["user"] else "nobody"
        yield audit_name(row), _line("ERP", row["action"], f"{who} through {row['client']}", row["detail"])


def _since(first: Row, row: Row) -> str:
    seconds = (datetime.fromisoformat(row["at"]) - datetime.fromisoformat(first["at"])).total_seconds()
    return f"{seconds:+.3f} s"


def _line(when: str, what: str, who: str, data: Any) -> str:
    fields = data if isinstance(data, Mapping) else {}
    said = ", ".join(f"{name} {value}" for name, value in fields.items() if _tells(name, value))
    line = f"{when}  {what}  {who}  {said}".rstrip()
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _tells(name: str, value: Any) -> bool:
    if name == "at" or name.rpartition("_")[2] in SILENT:
        return False
    return (
        value is not None
        and value != []
        and not (isinstance(value, str) and len(value) == 36 and value.count("-") == 4)
    )
