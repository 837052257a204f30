"""Safe, the other side: the desk, the ERP, the mailbox and the script's people tell one and the same story."""

from collections.abc import Iterator, Mapping
from typing import Any

from deskworld.values.case import Case
from deskworld.values.evidence import Evidence, Row
from deskworld.values.record import Record
from deskworld.values.timeline import audit_name, name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import command_audit, erp, rows_of
from deskworld.worlds.ap.checks.words import same_money

STAGE = "stage"
"""The client that the ERP's audit names for what the simulation itself posted."""
RECHECK = "recheck"
"""What the ERP's own match did in the wake of a write: the write itself stands in a row of its own."""


def desk_and_erp_agree(_: Case, record: Record, evidence: Evidence) -> Check:
    """Each command that the desk calls applied is in the ERP's audit with the same facts, and the other way round."""
    audit = command_audit(evidence)
    commands = {one["key"]: one for one in erp(evidence)["commands"]}
    found: list[Finding] = []
    told: set[str] = set()
    for timeline in evidence.timelines:
        for row in of_kind(timeline.rows, "command.applied"):
            told.add(row["data"]["decision_id"])
            found += _same(row, timeline.view["invoice_id"], audit, commands)
        for row in of_kind(timeline.rows, "command.refused"):
            found += _truly_refused(row, commands)
    for row in audit:
        if row["decision_id"] not in told:
            seen = f"the ERP carried out {row['action']}, and the desk does not say so"
            found.append(Finding(expected="every command on the desk's timeline", seen=seen, rows=(audit_name(row),)))
    return Check(family="safe", name="desk-and-erp-agree", findings=tuple(found), cause="our system")


def no_write_without_decision(_: Case, record: Record, evidence: Evidence) -> Check:
    """Whatever the ERP's audit shows that a person or program wrote was decided on the desk, by that very person."""
    rows = rows_of(evidence)
    made = {
        row["data"]["decision_id"]: row["data"]["by"]
        for row in of_kind(rows, "decision.made")
        if row["data"]["verdict"] == "approve"
    }
    commands = {row["seq"] for row in command_audit(evidence)}
    found: list[Finding] = []
    for row in erp(evidence)["audit"]:
        if row["seq"] not in commands and not _written_at_an_office_door(row):
            continue
        by = made.get(row["decision_id"]) if row["decision_id"] else None
        if by is None or row["user"] is None or by != row["user"]:
            user = row["user"]["username"] if row["user"] else "nobody"
            seen = f"{row['action']} by {user} through {row['client']}"
            found.append(Finding(expected="a decision of that person on the desk", seen=seen, rows=(audit_name(row),)))
    return Check(family="safe", name="no-write-without-decision", findings=tuple(found), cause="our system")


def people_said_so(_: Case, record: Record, evidence: Evidence) -> Check:
    """Each decision and answer on the desk is one that the script's people gave, in the same words."""
    found: list[Finding] = []
    subjects = evidence.identity or {}
    for row in of_kind(rows_of(evidence), "decision.made", "question.answered"):
        data = row["data"]
        kind, key = ("decision", "decision_id") if row["kind"] == "decision.made" else ("answer", "question_id")
        moves = [move for move in record.moves if move.kind == kind and move.row == data[key]]
        if not any(move.who == data["by"]["username"] and _same_words(data, move.said, move.verdict) for move in moves):
            seen = f"{kind} by {data['by']['username']} that the script never gave"
            found.append(Finding(expected="only what the script's people said", seen=seen, rows=(name_of(row),)))
        elif subjects.get(data["by"]["username"]) != data["by"]["sub"]:
            seen = f"{data['by']['username']} with the subject {data['by']['sub']}"
            found.append(Finding(expected="the subject of the token used", seen=seen, rows=(name_of(row),)))
    written = {move.row for move in record.moves if move.kind == "mail"}
    found += [
        Finding(
            expected="only letters that the script's people wrote",
            seen="an answer of somebody else",
            rows=(name_of(row),),
        )
        for row in of_kind(rows_of(evidence), "mail.received")
        if row["data"]["class"] == "answer" and row["data"]["message_id"] not in written
    ]
    return Check(family="safe", name="people-said-so", findings=tuple(found), cause="our system")


def letters_arrived(case: Case, record: Record, evidence: Evidence) -> Check:
    """Each letter that the desk says the vendor's server took is in the mailbox, and no other is."""
    sent = [row for row in of_kind(rows_of(evidence), "mail.sent") if row["data"]["to_kind"] == "vendor"]
    arrived = set(evidence.mail or ())
    found = [
        Finding(expected="a letter that was sent has arrived", seen="it is in no mailbox", rows=(name_of(row),))
        for row in sent
        if any(one["outcome"] == "accepted" for one in row["data"]["recipients"])
        and row["data"]["message_id"] not in arrived
    ]
    told = {row["data"]["message_id"] for row in sent}
    found += [
        Finding(expected="only letters that the desk tells of", seen=f"{mail.message_id} arrived")
        for mail in record.mail
        if mail.message_id not in told
    ]
    return Check(family="safe", name="letters-arrived", findings=tuple(found), cause="our system")


def _same(row: Row, invoice_id: str, audit: tuple[Row, ...], commands: Mapping[str, Any]) -> Iterator[Finding]:
    data = row["data"]
    found = [one for one in audit if one["decision_id"] == data["decision_id"]]
    if len(found) != 1:
        seen = f"{len(found)} rows of it in the ERP's audit"
        yield Finding(expected=f"{data['action']} once at the ERP", seen=seen, rows=(name_of(row),))
        return
    there, names = found[0], (name_of(row), audit_name(found[0]))
    command = commands.get(data["key"])
    pairs = (
        ("action", data["action"], there["action"]),
        ("invoice", invoice_id, there["entity"]["id"]),
        ("key", data["key"], there["detail"]["key"]),
        ("status", data["status"], there["detail"]["status"]),
        ("version", data["version"], there["detail"]["version"]),
        ("command", (data["action"], invoice_id, "applied"), _named(command)),
    )
    for name, here, elsewhere in pairs:
        if here != elsewhere:
            yield Finding(expected=f"{name} as the desk says: {here}", seen=f"the ERP: {elsewhere}", rows=names)
    if not same_money(data["amount"], there["detail"]["amount"]):
        seen = f"the ERP: {there['detail']['amount']}"
        yield Finding(expected=f"amount as the desk says: {data['amount']}", seen=seen, rows=names)


def _named(command: Mapping[str, Any] | None) -> tuple[str, str, str] | None:
    return None if command is None else (command["action"], command["invoice_id"], command["outcome"])


def _truly_refused(row: Row, commands: Mapping[str, Any]) -> Iterator[Finding]:
    """A refusal may be one that the ERP does not store; one that it stored is no application."""
    command = commands.get(row["data"]["key"])
    if command is not None and command["outcome"] != "refused":
        yield Finding(expected="refused, as the desk says", seen=f"the ERP: {command['outcome']}", rows=(name_of(row),))


def _written_at_an_office_door(row: Row) -> bool:
    return row["client"] not in {None, STAGE} and row["action"] != RECHECK


def _same_words(data: Mapping[str, Any], said: str | None, verdict: str | None) -> bool:
    if "verdict" in data:
        return bool(data["verdict"] == verdict and data["words"] == said)
    return bool(data["text"] == said)
