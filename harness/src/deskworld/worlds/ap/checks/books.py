"""Safe, the ERP's books among themselves: what was seeded still stands there, and documents, audit and events agree."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from deskworld.values.case import Case, SeededRecord
from deskworld.values.evidence import Evidence, Row
from deskworld.values.record import Record
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import command_audit, erp, goods_moves
from deskworld.worlds.ap.checks.words import PAYS, same_money

Json = Mapping[str, Any]
Pair = tuple[str, Any, Any]
"""(what it is, as it must be, as it is)."""

ORDER = ("number", "buyer", "currency")
ORDER_LINE = ("item", "description", "unit")
CENT = Decimal("0.01")
POSTS = frozenset({"post", "receive", "propose", "set"})
"""What puts a record into the ERP."""
STAGED = {
    "vendor": frozenset({"set"}),
    "order": frozenset({"post"}),
    "receipt": frozenset({"post"}),
    "bank-change": frozenset({"propose"}),
    "invoice": frozenset({"receive", "recheck"}),
}
MOVES = frozenset({"status", "version", "payable", "matched_po", "contacts", "lines"})
"""Of an audited post, what its document may say otherwise by now, or says in another form."""
CAUSES = frozenset({"receipt", "bank-change", "credit-note", "hold-date", "revision", "command", "invoice"})
AFTER = ("status", "version", "payable", "matched_po")
"""What the last row of an invoice's audit says of it, and the invoice itself."""


def records_as_seeded(case: Case, record: Record, evidence: Evidence) -> Check:
    """Orders, goods, vendor and accounts are those of the situation, and of the goods that the script let come."""
    pairs = (
        *_vendor(case, record, erp(evidence)),
        *_orders(case, record, erp(evidence)),
        *_goods(case, record, erp(evidence)),
        *_forms(record, erp(evidence)),
        *_sent(case, record, erp(evidence)),
    )
    return compared("records-as-seeded", pairs)


def books_agree(_: Case, record: Record, evidence: Evidence) -> Check:
    """An invoice is as its last audit row left it, its exceptions as raised and resolved, its holds as placed."""
    shown = erp(evidence)
    audit = sorted(shown["audit"], key=lambda row: row["seq"])
    rechecked = match_ran_again(record, shown)
    pairs: list[Pair] = []
    for invoice in shown["invoices"]:
        own = [row for row in audit if row["entity"]["id"] == invoice["id"] and "version" in row["detail"]]
        pairs += _invoice(invoice, own)
        pairs += _exceptions(invoice, own, record, rechecked=rechecked)
        pairs += _holds(invoice, own)
    pairs += _audit(audit, shown)
    clients = {row["detail"]["key"]: row["client"] for row in command_audit(evidence)}
    pairs += [
        ("door of a command", clients.get(one["key"], one["by"]["client"]), one["by"]["client"])
        for one in shown["commands"]
    ]
    keys = {row["detail"]["key"] for row in command_audit(evidence)}
    pairs += [("commands applied", keys, {one["key"] for one in shown["commands"] if one["outcome"] == "applied"})]
    pairs += [("vendor of an audit row", shown["vendor"]["id"], row["vendor_id"]) for row in audit]
    return compared("books-agree", pairs)


def compared(name: str, pairs: "list[Pair] | tuple[Pair, ...]") -> Check:
    found = tuple(
        Finding(expected=f"{what}: {wanted}", seen=str(seen)) for what, wanted, seen in pairs if wanted != seen
    )
    return Check(family="safe", name=name, findings=found, cause="our system")


def _vendor(case: Case, record: Record, shown: Json) -> Iterator[Pair]:
    seeded, vendor = case.situation["vendor"], shown["vendor"]
    for name in ("id", "name", "terms", "contacts"):
        yield f"vendor's {name}", _sorted(seeded[name]), _sorted(vendor[name])
    accounts = [(one["account"], one["routing"], one["status"]) for one in seeded["bank_accounts"]]
    changes = case.situation["bank_changes"]
    asked = [(one["account"], one["routing"], "PENDING_VERIFICATION") for one in changes]
    kept = [(one["account"], one["routing"], one["status"]) for one in vendor["bank_accounts"]]
    yield "vendor's accounts", sorted((*accounts, *asked)), sorted(kept)
    wanted = [(one["requested_from"], one["proposed_by"], "PROPOSED") for one in changes]
    pending = [one["change"] for one in vendor["bank_accounts"] if one["change"] is not None]
    said = [(one["requested_from"], one["proposed_by"], one["status"]) for one in pending]
    yield "changes of accounts", sorted(wanted), sorted(said)
    known = _records(record)
    made = {one["id"] for one in pending} | {one["id"] for one in vendor["bank_accounts"] if one["change"] is not None}
    yield "ids of changes", {form for one in changes for form in known[one["ref"]].forms}, made


def _orders(case: Case, record: Record, shown: Json) -> Iterator[Pair]:
    known = _records(record)
    kept = {one["id"]: one for one in shown["orders"]}
    yield (
        "orders",
        sorted(known[one["ref"]].id for one in case.situation["orders"]),
        sorted(o["id"] for o in shown["orders"]),
    )
    for seeded in case.situation["orders"]:
        order = kept.get(known[seeded["ref"]].id)
        if order is None:
            continue
        for name in ORDER:
            yield f"order's {name}", seeded[name], order[name]
        yield "order's vendor", case.subject_id, order["vendor_id"]
        yield "order's revision", 1, order["revision"]
        yield "order's lines", _numbered(seeded["lines"]), [_line(one, one["no"]) for one in order["lines"]]
        for line in order["lines"]:
            came = [one for one in shown["receipts"] if one["po_number"] == order["number"]]
            accepted = [Decimal(row["accepted"]) for one in came for row in one["lines"] if row["line"] == line["no"]]
            yield "accepted on the line", sum(accepted, Decimal(0)), Decimal(line["accepted"])


def _goods(case: Case, record: Record, shown: Json) -> Iterator[Pair]:
    known, moves = _records(record), {move.row: move for move in goods_moves(record)}
    seeded = {known[one["ref"]].id: one for one in case.situation["receipts"]}
    yield "goods receipts", sorted({*seeded, *moves}), sorted(one["id"] for one in shown["receipts"])
    orders = {one["ref"]: one["number"] for one in case.situation["orders"]}
    for receipt in shown["receipts"]:
        sent = seeded.get(receipt["id"])
        if sent is None:
            continue
        yield "goods of", orders[sent["order"]], receipt["po_number"]
        yield "day of the goods", sent["date"], receipt["date"]
        wanted = [(one["line"], Decimal(one["quantity"]), Decimal(one.get("rejected") or 0)) for one in sent["lines"]]
        lines = [(one["line"], Decimal(one["quantity"]), Decimal(one["rejected"])) for one in receipt["lines"]]
        yield "goods", wanted, lines
        units = {(order["number"], line["no"]): line["unit"] for order in shown["orders"] for line in order["lines"]}
        for one in receipt["lines"]:
            yield "unit", units.get((receipt["po_number"], one["line"])), one["unit"]
            yield "accepted", Decimal(one["quantity"]) - Decimal(one["rejected"]), Decimal(one["accepted"])


def _forms(record: Record, shown: Json) -> Iterator[Pair]:
    """What names a record: as the stage said when it made it."""
    known = {one.id: one for one in _records(record).values()}
    for name in ("orders", "receipts", "invoices"):
        for one in shown[name]:
            if one["id"] in known:
                yield f"what names one of the {name}", sorted(set(known[one["id"]].forms)), sorted(one["ids"])
    vendor = shown["vendor"]
    accounts = [one["id"] for one in vendor["bank_accounts"]]
    changes = [one["change"]["id"] for one in vendor["bank_accounts"] if one["change"] is not None]
    yield "what names the vendor", sorted([vendor["id"], *accounts, *changes]), sorted(vendor["ids"])


def _sent(case: Case, record: Record, shown: Json) -> Iterator[Pair]:
    """What no vendor of ours ever states, and what lines say beside their figures."""
    known = _records(record)
    kept = {one["id"]: one for one in shown["invoices"]}
    yield (
        "invoices",
        sorted(known[one["ref"]].id for one in case.situation["invoices"]),
        sorted(one["id"] for one in shown["invoices"]),
    )
    for nth, sent in enumerate(case.situation["invoices"], start=1):
        invoice = kept[known[sent["ref"]].id]
        for name in ("allowance", "rounding", "prepaid", "credits"):
            yield f"invoice's {name}", Decimal(0), Decimal(invoice[name])
        stated = sent["stated_total"] if sent["stated_total"] is not None else invoice["computed_total"]
        yield "invoice's stated total", Decimal(stated), Decimal(invoice["stated_total"])
        yield "invoice's place among the vendor's", nth, invoice["sequence"]
        lines = [(nth, one["description"]) for nth, one in enumerate(sent["lines"], start=1)]
        yield "invoice's lines", lines, [(one["no"], one["description"]) for one in invoice["lines"]]
        for line in invoice["lines"]:
            net = (Decimal(line["quantity"]) * Decimal(line["price"])).quantize(CENT, ROUND_HALF_UP)
            yield "net of the line", net, Decimal(line["net"])


def _invoice(invoice: Json, own: list[Row]) -> Iterator[Pair]:
    yield "rows of its audit", list(range(1, len(own) + 1)), [row["detail"]["version"] for row in own]
    if own:
        last = own[-1]["detail"]
        for name in AFTER:
            if name in last:
                yield f"invoice's {name}", last[name], invoice[name]
    paid = [row["detail"]["amount"] for row in own if row["action"] in PAYS]
    settled_at_seed = invoice["status"] == "APPROVED" and not paid
    approved = invoice["computed_total"] if settled_at_seed else paid[-1] if paid else None
    yield "approved amount", True, same_money(approved, invoice["approved_amount"])
    if own:
        raised = {one["id"]: one["reason"] for row in own for one in row["detail"].get("raised", ())}
        yield "exceptions", raised, {one["id"]: one["reason"] for one in invoice["exceptions"]}
        settled = {one for row in own for one in row["detail"].get("resolved", ())}
        known = {one["id"] for one in invoice["exceptions"] if one["status"] == "RESOLVED"}
        yield "exceptions resolved", settled & set(raised), known


def _exceptions(invoice: Json, own: list[Row], record: Record, *, rechecked: bool) -> Iterator[Pair]:
    raised = {one["id"]: one for one in record.seeded.exceptions} if record.seeded else {}
    for one in invoice["exceptions"]:
        yield "invoice of the exception", invoice["id"], one["invoice_id"]
        seeded = raised.get(one["id"])
        if seeded is not None:
            for name in ("reason", "currency") if rechecked else ("reason", "currency", "amount"):
                yield f"exception's {name}", seeded[name], one[name]


def _holds(invoice: Json, own: list[Row]) -> Iterator[Pair]:
    """Each hold was placed by a command, on its exception, by that person; none twice."""
    placed = {row["detail"]["hold_id"]: row for row in own if row["detail"].get("hold_id")}
    for exception in invoice["exceptions"]:
        ids = [hold["id"] for hold in exception["holds"]]
        yield "each hold once", len(set(ids)), len(ids)
        for hold in exception["holds"]:
            row = placed.get(hold["id"])
            yield "a command that placed the hold", True, row is not None
            if row is not None:
                yield "who placed the hold", row["user"]["username"] if row["user"] else None, hold["by"]
                yield "when the hold was placed", moment_of(row["at"]), moment_of(hold["since"])
                on = row["detail"].get("exception_id")
                yield "exception of the hold", on or exception["id"], exception["id"]


def _audit(audit: list[Row], shown: Json) -> Iterator[Pair]:
    """What was posted stands in the audit, of its kind, with what its document says."""
    documents = {one["id"]: (kind, one) for kind, one in _documents(shown)}
    moments = [moment_of(row["at"]) for row in audit]
    yield "rows of the audit in the order of their moments", sorted(moments), moments
    for row in audit:
        kind, document = documents.get(row["entity"]["id"], (None, {}))
        yield "kind of an audited record", kind, row["entity"]["kind"]
        if row["client"] == "stage":
            yield f"what the stage did to the {kind}", True, row["action"] in STAGED.get(str(kind), ())
        for name, said in row["detail"].items():
            if row["action"] in POSTS and name in document and name not in MOVES:
                yield f"{kind}'s {name}", document[name], said
            elif name in {"settled", "resolved", "raised", "settles"}:
                yield f"each of {name} once", len({str(one) for one in said}), len(said)
        yield from _detail(row, document, shown)
        if "settled" in row["detail"] and "resolved" in row["detail"]:
            yield "settled, and so resolved", [], sorted(set(row["detail"]["settled"]) - set(row["detail"]["resolved"]))
    posted = [row["entity"]["id"] for row in audit if row["action"] in POSTS]
    yield "each record posted once", sorted(documents), sorted(posted)


def _detail(row: Row, document: Json, shown: Json) -> Iterator[Pair]:
    """What an audit row says in its own form: how many contacts, which goods, what made the match run again."""
    detail = row["detail"]
    if "contacts" in detail and "contacts" in document:
        yield "contacts", len(document["contacts"]), detail["contacts"]
    if row["action"] in POSTS and isinstance(detail.get("lines"), list) and "po_number" in document:
        yield "goods of an audited receipt", _amounts(document["lines"]), _amounts(detail["lines"])
    if isinstance(detail.get("cause"), dict):
        cause, goods = detail["cause"], {one["id"] for one in shown["receipts"]}
        yield "what made the match run again", True, cause["kind"] in CAUSES
        yield "goods that made the match run again", True, cause["kind"] != "receipt" or cause["id"] in goods


def _amounts(lines: list[Json]) -> list[tuple[Any, ...]]:
    names = ("quantity", "accepted", "rejected")
    return [(one["line"], one.get("unit"), *(Decimal(one[name]) for name in names if name in one)) for one in lines]


def _documents(shown: Json) -> Iterator[tuple[str, Json]]:
    for name, kind in (("orders", "order"), ("receipts", "receipt"), ("invoices", "invoice")):
        yield from ((kind, one) for one in shown[name])
    yield "vendor", shown["vendor"]
    for account in shown["vendor"]["bank_accounts"]:
        if account["change"] is not None:
            yield "bank-change", {**account["change"], "account_id": account["id"]}


def changes_of(shown: Json) -> list[Json]:
    return [one["change"] for one in shown["vendor"]["bank_accounts"] if one["change"] is not None]


def match_ran_again(record: Record, shown: Json) -> bool:
    """The ERP's match ran again: what it says of an exception can be another thing than at first."""
    return bool(goods_moves(record)) or any(row["action"] == "recheck" for row in shown["audit"])


def _records(record: Record) -> Mapping[str, SeededRecord]:
    return record.seeded.records if record.seeded else {}


def moment_of(text: str) -> datetime:
    """Moments of one clock are written with as many digits as they need."""
    return datetime.fromisoformat(text)


def _sorted(value: Any) -> Any:
    return sorted(value, key=str) if isinstance(value, list) else value


def _numbered(lines: list[Json]) -> list[Any]:
    return [_line(one, nth) for nth, one in enumerate(lines, start=1)]


def _line(line: Json, number: int) -> tuple[Any, ...]:
    return number, *(line[name] for name in ORDER_LINE), Decimal(line["quantity"]), Decimal(line["price"])
