"""Safe, what the ERP published: each event says of its record what the books say, and reached the desk."""

from collections import defaultdict
from collections.abc import Iterator, ValuesView

from deskworld.values.case import Case
from deskworld.values.evidence import Evidence, Row
from deskworld.values.record import Record
from deskworld.values.timeline import of_kind
from deskworld.values.verdict import Check
from deskworld.worlds.ap.checks.books import Json, Pair, changes_of, compared, match_ran_again, moment_of
from deskworld.worlds.ap.checks.reading import erp

EVENTS = "deskworld.erp."
OF_A_CASE = "match-exception."
"""As the desk's notes call them."""
ENVELOPE = {"specversion": "1.0", "source": "urn:deskworld:erp", "datacontenttype": "application/json"}


def events_tell_the_books(_: Case, record: Record, evidence: Evidence) -> Check:
    """Each event says of its record what the books say, and none that the desk must have heard is missing there."""
    shown = erp(evidence)
    audit = {(row["entity"]["id"], row["detail"].get("version")): row for row in shown["audit"]}
    raised = {one["id"]: one for one in record.seeded.exceptions} if record.seeded else {}
    ids = [event["id"] for event in shown["outbox"]]
    rechecked = match_ran_again(record, shown)
    pairs: list[Pair] = [("each event once", len(set(ids)), len(ids))]
    for event in shown["outbox"]:
        vendor = event["data"].get("vendor_id", shown["vendor"]["id"])
        pairs += [("vendor of an event", shown["vendor"]["id"], vendor)]
        pairs += _envelope(event, audit.values())
        if event["type"] == f"{EVENTS}invoice.changed":
            pairs += _changed(event["data"], audit.get((event["data"]["invoice_id"], event["data"]["version"])))
        elif event["type"] == f"{EVENTS}receipt.posted":
            pairs += _posted(event["data"], shown)
        elif event["type"] == f"{EVENTS}vendor.bank-change.proposed":
            known = {change["id"]: change["status"] for change in changes_of(shown)}
            pairs += [("status of the change", known.get(event["data"]["change_id"]), event["data"]["status"])]
            pairs += [("subject of the event", event["data"]["change_id"], event["subject"])]
        elif event["data"].get("exception_id") in raised:
            pairs += _raised(event, raised[event["data"]["exception_id"]])
            pairs += _exception_of(event, shown, rechecked=rechecked)
        else:
            pairs += [("a record that the event is about", True, False)]
    heard = {
        row["data"]["event_id"] for one in evidence.timelines for row in one.rows if row["kind"].startswith("event.")
    }
    watched = {one.case_id for one in evidence.timelines}
    pairs += [
        ("an event that was delivered is on a timeline", True, event["id"] in heard)
        for event in shown["outbox"]
        if event["data"].get("exception_id") in watched and event["delivery"]["delivered_at"] is not None
    ]
    for timeline in evidence.timelines:
        pairs += _noted(timeline.rows, record)
    return compared("events-tell-the-books", pairs)


def _noted(rows: tuple[Row, ...], record: Record) -> Iterator[Pair]:
    """An event is received once and noted again whenever it came again: as often as the script sent it again, or more
    often. It comes at least once: what an ERP sent and was killed before it wrote that down, it sends again uncounted.
    """
    notes: defaultdict[str, list[Row]] = defaultdict(list)
    for row in of_kind(rows, "event.received", "event.ignored"):
        notes[row["data"]["event_id"]].append(row)
    for event_id, own in notes.items():
        again = [move for move in record.moves if move.kind == "redelivery" and move.row == event_id and move.done]
        ignored = [row["data"].get("why") for row in own if row["kind"] == "event.ignored"]
        yield "notes of an event that came again", True, len(ignored) >= len(again)
        # The first note takes it, or says why it changes nothing: its invoice had moved on, its case was closed. Of an
        # invoice's own changes nothing is noted that outdates nothing.
        first, *later = (row["data"].get("why") for row in own)
        if own[0]["data"]["type"].startswith(OF_A_CASE):
            yield "the first note of an event knows it already", False, first == "repeated"
        yield "why it was ignored once it was known", set(), set(later) - {"repeated"}


def _envelope(event: Json, audit: ValuesView[Row]) -> Iterator[Pair]:
    """What every event of this ERP says alike, and that something was done at its moment."""
    yield "moment of an event", True, any(moment_of(row["at"]) == moment_of(event["time"]) for row in audit)
    for name, constant in ENVELOPE.items():
        yield f"event's {name}", constant, event[name]


def _posted(said: Json, shown: Json) -> Iterator[Pair]:
    [receipt] = [one for one in shown["receipts"] if one["id"] == said["receipt_id"]] or [{}]
    yield "goods of an event", True, bool(receipt)
    for name in ("po_number", "lines"):
        if name in said and receipt:
            yield f"{name} of the goods", receipt[name], said[name]


def _exception_of(event: Json, shown: Json, *, rechecked: bool) -> Iterator[Pair]:
    """What an event says of an exception beside its invoice."""
    said = event["data"]
    [(invoice, exception)] = [
        (one, each) for one in shown["invoices"] for each in one["exceptions"] if each["id"] == said["exception_id"]
    ]
    yield "invoice of the event", invoice["id"], said["invoice_id"]
    if "po_number" in said:
        yield "order of the event", True, said["po_number"] in {invoice["po_reference"], invoice["matched_po"], None}
    if "invoice_version" in said:
        yield "version of the event", True, 1 <= said["invoice_version"] <= invoice["version"]
        if event["type"] == f"{EVENTS}match-exception.raised":
            yield "version of what was raised", 1, said["invoice_version"]
    placed = {row["detail"].get("hold_id"): row for row in shown["audit"]}
    for hold in said.get("holds", ()):
        row = placed.get(hold["id"])
        yield "a hold of an event", True, row is not None and row["user"] is not None
        if row is not None and row["user"] is not None:
            yield "who placed the hold of an event", row["user"]["username"], hold["by"]
    held = [hold["id"] for hold in said.get("holds", ())]
    yield "each hold of an event once", len(set(held)), len(held)
    if not rechecked:
        for name in ("masked", "amount", "currency", "summary"):
            if name in said:
                yield f"{name} of the event", exception[name], said[name]


def _changed(said: Json, row: Row | None) -> Iterator[Pair]:
    yield "an audit row behind the event", True, row is not None
    if row is not None:
        yield "action of the change", row["action"], said["action"]
        yield "status after the change", row["detail"]["status"], said["status"]
        yield "decision of the change", row["decision_id"], said["decision_id"]
        yield "person of the change", row["user"], said["user"]


def _raised(event: Json, seeded: Json) -> Iterator[Pair]:
    first = event["type"] == f"{EVENTS}match-exception.raised"
    for name in ("reason", "currency", "invoice_id", "amount") if first else ("reason",):
        if name in event["data"]:
            yield f"{name} of the event", seeded[name], event["data"][name]
    yield "subject of the event", seeded["id"], event["subject"]
