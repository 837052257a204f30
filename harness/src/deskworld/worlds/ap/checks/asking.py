"""Safe, what was asked of people: letters and questions say what the call said, and reached whom they name."""

import email
import email.policy
from collections.abc import Iterator, Mapping
from typing import Any

from deskworld.values.case import Case
from deskworld.values.evidence import Evidence, Row
from deskworld.values.marker import letter_holds
from deskworld.values.record import Record
from deskworld.values.timeline import name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import erp

Pair = tuple[str, Any, Any]


def asked_as_called(case: Case, record: Record, evidence: Evidence) -> Check:
    """A letter or a question is what its call said, to somebody of the case, and the answer names it."""
    people = {part.identity for part in case.script.values()}
    found: list[Finding] = []
    for timeline in evidence.timelines:
        rows = {row["seq"]: row for row in timeline.rows}
        for row in of_kind(timeline.rows, "mail.sent", "question.asked"):
            call = rows.get(row["cause"])
            by_call = call if call is not None and call["kind"] == "tool.called" else None
            if row["kind"] == "mail.sent":
                pairs = _letter(row, by_call, people, evidence)
            else:
                pairs = _question(row, by_call, evidence)
            found += _findings(row, (*pairs, *_answered(row, by_call, evidence)))
    return Check(family="safe", name="asked-as-called", findings=tuple(found), cause="our system")


def letters_as_written(case: Case, record: Record, evidence: Evidence) -> Check:
    """A letter that came is the one that somebody of the script wrote, word for word, and answers what it answers."""
    written = {move.row: move for move in record.moves if move.kind == "mail"}
    found: list[Finding] = []
    for timeline in evidence.timelines:
        sent = {row["data"]["letter_id"]: row for row in of_kind(timeline.rows, "mail.sent")}
        for row in of_kind(timeline.rows, "mail.received"):
            move = written.get(row["data"]["message_id"])
            if move is None:
                continue
            data, raw = row["data"], _raw(row, evidence)
            message = email.message_from_bytes(raw.encode("latin-1"))
            pairs: list[Pair] = [
                ("its words", True, move.said is not None and letter_holds(raw, move.said)),
                ("who wrote it", move.who, data["envelope_from"]),
                ("its Message-ID", move.row, str(message["Message-ID"]).strip()),
                ("what kind of letter", "answer", data["class"]),
            ]
            if move.answers is not None:
                pairs += _reply(row, move.answers.message_id, sent)
            found += _findings(row, pairs)
    return Check(family="safe", name="letters-as-written", findings=tuple(found), cause="our system")


def _reply(row: Row, answered: str, sent: Mapping[str, Row]) -> Iterator[Pair]:
    """Our people answer by reference: it joins by that, and stands under the letter that it answers."""
    yield "how it joined", "reference", row["data"]["joined_by"]
    letter = sent.get(row["data"]["letter_id"] or "")
    yield "the letter that it answers", answered, letter["data"]["message_id"] if letter else None
    yield "its cause", letter["seq"] if letter else None, row["cause"]


def _letter(row: Row, call: Row | None, people: set[str], evidence: Evidence) -> Iterator[Pair]:
    data = row["data"]
    message = email.message_from_bytes(_raw(row, evidence).encode("latin-1"), policy=email.policy.default)
    yield "its Message-ID", str(message["Message-ID"]).strip(), data["message_id"]
    yield "its letter", f"<{data['letter_id']}@deskworld.example>", data["message_id"]
    yield "its subject", str(message["Subject"]), data["subject"]
    to = {one.strip() for one in str(message["To"]).split(",")}
    addresses = [one["address"] for one in data["recipients"]]
    yield "whom it went to", sorted(to), sorted(addresses)
    if data["to_kind"] == "vendor":
        yield "strangers among whom it went to", set(), set(addresses) - people
    if call is not None and call["data"]["tool"] == "email_vendor":
        body = message.get_content() if not message.is_multipart() else ""
        yield "its words", _plain(call["data"]["arguments"]["body"]), _plain(str(body))
        yield "its subject", True, data["subject"].startswith(call["data"]["arguments"]["subject"].strip())
        yield "its turn", call["data"]["turn_id"], data["turn_id"]


def _question(row: Row, call: Row | None, evidence: Evidence) -> Iterator[Pair]:
    if call is not None:
        number = call["data"]["arguments"].get("po_number")
        buyers = {one["number"]: one["buyer"] for one in erp(evidence)["orders"]}
        if number is not None:
            yield "the buyer of that order", buyers.get(number), row["data"]["to"]
        yield "its words", call["data"]["arguments"]["question"], row["data"]["text"]
        yield "its turn", call["data"]["turn_id"], row["data"]["turn_id"]


def _answered(row: Row, call: Row | None, evidence: Evidence) -> Iterator[Pair]:
    """What the agent was told that it had asked."""
    if call is None or call["data"]["result_digest"] is None:
        return
    answer = evidence.blobs[call["data"]["result_digest"]]
    for name in ("letter_id", "question_id", "to"):
        if name in answer and name in row["data"]:
            yield name, row["data"][name], answer[name]


def _raw(row: Row, evidence: Evidence) -> str:
    return str(evidence.blobs[row["data"]["digest"]]["raw"])


def _plain(text: str) -> str:
    return " ".join(text.split())


def _findings(row: Row, pairs: "tuple[Pair, ...] | list[Pair]") -> Iterator[Finding]:
    for what, wanted, seen in pairs:
        if wanted != seen:
            yield Finding(expected=f"{what}: {wanted}", seen=str(seen), rows=(name_of(row),))
