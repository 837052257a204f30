"""The facts that the policy was asked with, as the ERP's books had them at the version that was proposed on."""

from collections.abc import Iterator, Mapping
from typing import Any

from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.timeline import of_kind
from deskworld.worlds.ap.checks.reading import erp
from deskworld.worlds.ap.checks.words import same_money

Pair = tuple[str, Any, Any]
NONE, UNKNOWN = "none", "unknown"


def facts_pairs(said: Mapping[str, Any], row: Row, timeline: CaseTimeline, evidence: Evidence) -> Iterator[Pair]:
    """Of a question that a proposal came of: (name, as asked, as the books have it)."""
    facts, shown = said["facts"], erp(evidence)
    [invoice] = [one for one in shown["invoices"] if one["id"] == timeline.view["invoice_id"]]
    audit = [one for one in shown["audit"] if one["entity"]["id"] == invoice["id"] and "version" in one["detail"]]
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
