"""The facts that the policy was asked with, as the ERP's books had them at the version that was proposed on."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.realm import holders
from deskworld.values.record import Record
from deskworld.values.timeline import of_kind
from deskworld.worlds.ap.checks.reading import erp
from deskworld.worlds.ap.checks.words import same_money

Pair = tuple[str, Any, Any]
MONEY = re.compile(r"-?\d+\.\d{2}")
NONE, UNKNOWN = "none", "unknown"


def facts_pairs(said: Mapping[str, Any], row: Row, timeline: CaseTimeline, evidence: Evidence) -> Iterator[Pair]:
    """Of a question that a proposal came of: (name, as asked, as the books have it)."""
    facts, shown = said["facts"], erp(evidence)
    [invoice] = [one for one in shown["invoices"] if one["id"] == timeline.view["invoice_id"]]
    audit = _audit_of(invoice, shown)
    version = facts["invoice"]["version"]
    yield from _open(facts["invoice"], invoice, [one for one in audit if one["detail"]["version"] <= version])
    [own] = [one for one in invoice["exceptions"] if one["id"] == timeline.case_id]
    if not any(one["action"] == "recheck" for one in audit):
        yield "issue", same_money(facts["issue"], own["amount"]), True
        open_ = {one["id"] for one in facts["invoice"]["open"]}
        masked = {
            (each["id"], each["reason"])
            for one in invoice["exceptions"]
            if one["id"] in open_
            for each in one["masked"]
        }
        asked = [(one["id"], one["reason"]) for one in facts["invoice"]["masked"]]
        yield "masked findings", sorted(asked), sorted(masked)
    against = said["proposal"]["against_po"]
    yield "buyer", facts["buyer"], _buyer(against, invoice, shown)
    yield "bank", facts["bank"], _bank(shown, row)
    marks = {shown["vendor"]["id"]} | {one["change"]["id"] for one in _changing(shown)}
    marks |= {one["id"] for one in _changing(shown)}
    yield "cites_bank", facts["cites_bank"], bool(marks & set(said["proposal"]["citations"]))
    yield "against", facts["against"] if against == NONE else facts["against"]["po"], against
    if against != NONE:
        yield "payable against it", facts["against"]["payable"] != UNKNOWN, True
    memo = any(
        one["data"]["action"] == "request-credit-memo" for one in of_kind(_before(row, timeline), "command.applied")
    )
    yield "credit", facts["credit"], "requested" if memo else NONE


def _audit_of(invoice: Mapping[str, Any], shown: Mapping[str, Any]) -> list[Row]:
    """Its rows that made a version of it, in their order."""
    rows = [one for one in shown["audit"] if one["entity"]["id"] == invoice["id"] and "version" in one["detail"]]
    return sorted(rows, key=lambda row: row["seq"])


def domains(facts: Mapping[str, Any]) -> Iterator[Pair]:
    """What each fact can be at all; what is not known is the word for it and never something else."""
    invoice, against = facts["invoice"], facts["against"]
    yield "invoice", isinstance(invoice, dict) or invoice == UNKNOWN, True
    yield "against", isinstance(against, dict) or against in {NONE, UNKNOWN}, True
    yield "bank", facts["bank"] in {"known", UNKNOWN, "unverified"}, True
    yield "credit", facts["credit"] in {NONE, "requested", "received"}, True
    yield "cites_bank", facts["cites_bank"] in (True, False, UNKNOWN), True
    yield "ungrounded", isinstance(facts["ungrounded"], list) or facts["ungrounded"] == UNKNOWN, True
    yield "issue", facts["issue"] == UNKNOWN or bool(MONEY.fullmatch(str(facts["issue"]))), True
    yield "buyer", facts["buyer"] == UNKNOWN or facts["buyer"] in holders("buyer"), True
    unknown = invoice == UNKNOWN
    yield "issue of an unknown invoice", facts["issue"] == UNKNOWN or not unknown, True


def table_facts(facts: Mapping[str, Any], row: Row, timeline: CaseTimeline, evidence: Evidence) -> Iterator[Pair]:
    """Of a question to the decision table: what was established and asked stands in it, and what the books say."""
    shown = erp(evidence)
    [invoice] = [one for one in shown["invoices"] if one["id"] == timeline.view["invoice_id"]]
    audit = _audit_of(invoice, shown)
    facts_then = [one for one in of_kind(timeline.rows, "fact.established") if _by_then(one, row)]
    known = {one["data"]["fact"]: one["data"] for one in facts_then}
    for name, said in known.items():
        if name in facts and said["source"]["kind"] == "erp":
            yield name, facts[name], said["value"]
    substitution = facts["substitution"]
    reason = "known" if "substitution_reason" in known else UNKNOWN
    yield "substitution's reason", substitution["reason"], reason
    stated = known.get("stated_price", {}).get("value")
    as_billed = any(same_money(stated, line["price"]) for line in invoice["lines"])
    price = "absent" if stated is None else "as-billed" if as_billed else "other"
    yield "substitution's price", substitution["price"], price
    yield "bank change", facts["bank_change"], "pending" if _changing(shown) else NONE
    yield "letter", facts["letter"], _letter(row, timeline)
    if not any(one["action"] == "recheck" for one in audit):
        yield "payable", facts["payable"], audit[0]["detail"]["payable"]
        standing = {one["id"]: one["reason"] for one in audit[0]["detail"]["raised"]}
        yield "open exceptions", sorted((one["id"], one["reason"]) for one in facts["open"]), sorted(standing.items())
        masked = [each["id"] for one in invoice["exceptions"] for each in one["masked"]]
        yield "masked findings", sorted(facts["masked"]), sorted(masked)
        yield "held", [one["held"] for one in facts["open"]], [False for _ in facts["open"]]
    yield "variance", facts["largest_line_variance"] == UNKNOWN or _is_number(facts["largest_line_variance"]), True
    variance = known.get("largest_line_variance", {}).get("value")
    zero = facts["largest_line_variance"] == UNKNOWN or Decimal(facts["largest_line_variance"]) == 0
    yield "variance that was established", zero or facts["largest_line_variance"] == variance, True
    for name in ("original", "duplicate_cover"):
        seen = facts[name] if facts[name] != NONE or name in known else UNKNOWN
        yield name, seen, known.get(name, {}).get("value", UNKNOWN)


def facts_rest(timeline: CaseTimeline, record: Record) -> Iterator[tuple[Row, Pair]]:
    """A fact rests on a record of the situation, or on a letter that was read."""
    forms = {form for one in record.seeded.records.values() for form in one.forms} if record.seeded else set()
    mails = {one["data"]["mail_id"]: one["data"] for one in of_kind(timeline.rows, "reading.made")}
    for row in of_kind(timeline.rows, "fact.established"):
        source, said = row["data"]["source"], row["data"]
        yield row, ("what a fact rests on", source["kind"] in {"erp", "mail", "answer"}, True)
        if source["kind"] == "mail":
            reading = mails.get(source["id"])
            yield row, ("letter of a fact", reading is not None, True)
            yield row, (said["fact"], said["value"], (reading or {}).get(said["fact"]))
        elif source["kind"] == "erp":
            yield row, ("record of a fact", source["id"] in forms, True)


def _by_then(fact: Row, row: Row) -> bool:
    """Established before, or in the same run of the rules."""
    return bool(fact["seq"] < row["seq"] or fact["cause"] == row["cause"])


def _letter(row: Row, timeline: CaseTimeline) -> str:
    before = _before(row, timeline)
    sent = [one for one in of_kind(before, "mail.sent") if one["data"]["to_kind"] == "vendor"]
    if not sent:
        return NONE
    return "answered" if of_kind(before, "reading.made") else "sent"


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except ArithmeticError:
        return False


def _open(said: Mapping[str, Any], invoice: Mapping[str, Any], until: list[Row]) -> Iterator[Pair]:
    """What was raised and not resolved up to then; held where a hold of then stands or was released since."""
    resolved = {one for row in until for one in row["detail"].get("resolved", ())}
    raised = {one["id"]: one["reason"] for row in until for one in row["detail"].get("raised", ())}
    standing = {id_: reason for id_, reason in raised.items() if id_ not in resolved}
    yield "open exceptions", sorted((one["id"], one["reason"]) for one in said["open"]), sorted(standing.items())
    held = {row["detail"].get("exception_id") for row in until if row["detail"].get("hold_id")}
    for one in said["open"]:
        if not one["held"] or not held:
            yield "held", one["held"], one["id"] in held


def _buyer(against: str, invoice: Mapping[str, Any], shown: Mapping[str, Any]) -> str:
    number = invoice["matched_po"] if against == NONE else against
    return next((one["buyer"] for one in shown["orders"] if one["number"] == number), UNKNOWN)


def _bank(shown: Mapping[str, Any], _: Row) -> str:
    return "unverified" if any(one["change"]["status"] != "VERIFIED" for one in _changing(shown)) else "known"


def _changing(shown: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in shown["vendor"]["bank_accounts"] if one["change"] is not None]


def _before(row: Row, timeline: CaseTimeline) -> tuple[Row, ...]:
    return tuple(one for one in timeline.rows if one["seq"] < row["seq"])
