"""Routed, the questions behind the answers: the policy was asked about this case, this call, this very proposal."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from deskworld.values.case import Case
from deskworld.values.evidence import CaseTimeline, Evidence, PolicyReplay, Row
from deskworld.values.record import Record
from deskworld.values.timeline import name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.facts import UNKNOWN, domains, facts_pairs, facts_rest, table_facts
from deskworld.worlds.ap.checks.reading import erp
from deskworld.worlds.ap.checks.words import same_money

NONE = "none"
OUTCOMES = {"propose": "propose", "ask": "ask", "stop": "stop"}
Pair = tuple[str, Any, Any]


def policy_asked_rightly(case: Case, record: Record, evidence: Evidence) -> Check:
    """What the stored input says beside what the rows say; a wrong question gets a right answer and proves nothing.

    Where the situation makes reads fail, what could not be read is unknown, and rightly so.
    """
    found: list[Finding] = []
    unread = {UNKNOWN} if case.situation.get("faults") else set()
    replays = {(one.case_id, one.seq): one for one in evidence.policy or ()}
    if len(replays) != len(evidence.policy or ()):
        found.append(Finding(expected="each stored input asked again once", seen="one stands there twice"))
    for timeline in evidence.timelines:
        for row in of_kind(timeline.rows, "policy.asked"):
            said = evidence.blobs[row["data"]["input_digest"]]
            pairs = _routing if row["data"]["policy"] == "ap.routing" else _resolution
            replay = replays[timeline.case_id, row["seq"]]
            for name, value, other in (*_case(said, timeline), *pairs(said, row, timeline, evidence, replay)):
                if value != other and not (isinstance(value, str) and value in unread):
                    seen = f"asked with {value}"
                    found.append(Finding(expected=f"{name} as it was: {other}", seen=seen, rows=(name_of(row),)))
    return Check(family="routed", name="policy-asked-rightly", findings=tuple(found), cause="our system")


def rules_ran_by_policy(_: Case, record: Record, evidence: Evidence) -> Check:
    """What the rules did is what the table said to the input that they name."""
    found: list[Finding] = []
    for timeline in evidence.timelines:
        found += [
            Finding(expected=f"{name}: {wanted}", seen=str(seen), rows=(name_of(row),))
            for row, (name, seen, wanted) in facts_rest(timeline, record)
            if seen != wanted
        ]
        answers = [row["data"] for row in of_kind(timeline.rows, "policy.asked")]
        tables = {one["input_digest"]: one for one in answers if one["policy"] == "ap.resolution"}
        for row in of_kind(timeline.rows, "rules.ran"):
            wrong = _ran(row, tables, timeline)
            if wrong is not None:
                found.append(Finding(expected="what the table said", seen=wrong, rows=(name_of(row),)))
    return Check(family="routed", name="rules-ran-by-policy", findings=tuple(found), cause="our system")


def _case(said: Mapping[str, Any], timeline: CaseTimeline) -> Iterator[Pair]:
    yield "case", said["case"]["id"], timeline.case_id
    yield "reason", said["case"]["reason"], timeline.view["reason"]


def _routing(
    said: Mapping[str, Any], row: Row, timeline: CaseTimeline, evidence: Evidence, _: PolicyReplay
) -> Iterator[Pair]:
    rows = {one["seq"]: one for one in timeline.rows}
    cause = rows.get(row["cause"])
    by_agent = cause is not None and cause["kind"] == "turn.started"
    proposed = [one["data"] for one in _made_of(row, timeline)]
    who = "agent" if by_agent else proposed[0]["proposer"] if proposed else said["case"]["proposer"]
    yield "proposer", said["case"]["proposer"], who
    if said["tool"] != "propose_resolution":
        yield "proposal", said["proposal"], NONE
    elif proposed:
        yield from _proposal(said["proposal"], proposed[0])
    facts, readings = said["facts"], _readings(row, timeline)
    cleared = {(one["data"]["mail_id"], one["data"]["flag"]) for one in _before(row, timeline, "flag.cleared")}
    for name, flag in (("instructions", "contains_instructions"), ("reader_failed", "failed")):
        raised = any(one[flag] and (one["mail_id"], name) not in cleared for one in readings)
        yield f"mail.{name}", facts["mail"][name], raised
    yield "asked_this_turn", facts["asked_this_turn"], by_agent and _asked(cause, row, timeline)
    if isinstance(facts["invoice"], dict):
        yield from _invoice(facts["invoice"], timeline, evidence)
    yield from domains(facts)
    if proposed:
        yield "ungrounded", list(facts["ungrounded"]), []
        yield "version proposed on", proposed[0]["invoice_version"], facts["invoice"]["version"]
        yield from facts_pairs(said, row, timeline, evidence)


def _proposal(said: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[Pair]:
    for name in ("action", "currency"):
        yield name, said[name], made[name]
    yield "against_po", said["against_po"], made["against_po"] or NONE
    yield "amount", said["amount"], NONE if made["amount"] is None else made["amount"]
    for name in ("settles", "citations"):
        yield name, sorted(said[name]), sorted(made[name])


def _resolution(
    said: Mapping[str, Any], row: Row, timeline: CaseTimeline, evidence: Evidence, replay: PolicyReplay
) -> Iterator[Pair]:
    declined = [one["data"] for one in _before(row, timeline, "decision.made") if one["data"]["verdict"] == "decline"]
    actions = {
        one["data"]["decision_id"]: one["data"]["action"] for one in _before(row, timeline, "decision.requested")
    }
    told = [{"action": actions[one["decision_id"]], "how": one["reason"] or "words"} for one in declined]
    yield "declined", said["declined"], told
    yield from table_facts(said["facts"], row, timeline, evidence)
    if row["data"]["effect"] == "propose" and replay.replayed is not None:
        made = [one["data"] for one in _of_rules(row, timeline)]
        if made:
            yield "action", replay.replayed["action"], made[0]["action"]
            amount = replay.replayed.get("amount")
            yield "amount", same_money(amount, made[0]["amount"]) or amount is None, True


def _invoice(said: Mapping[str, Any], timeline: CaseTimeline, evidence: Evidence) -> Iterator[Pair]:
    """The total that was sent, and the status of the version that was looked at."""
    [kept] = [one for one in erp(evidence)["invoices"] if one["id"] == timeline.view["invoice_id"]]
    total = min(Decimal(kept["computed_total"]), Decimal(kept["stated_total"]))
    yield (
        "total",
        Decimal(said["total"]) in {total, Decimal(kept["computed_total"]), Decimal(kept["stated_total"])},
        True,
    )
    audit = [one for one in erp(evidence)["audit"] if one["entity"]["id"] == kept["id"]]
    known = {one["detail"]["version"]: one["detail"] for one in audit if "version" in one["detail"]}
    then = known.get(said["version"])
    yield "version", then is not None, True
    if then is not None:
        for name in ("status", "payable"):
            yield name, said[name], then[name]


def _made_of(row: Row, timeline: CaseTimeline) -> tuple[Row, ...]:
    """The proposal that this question was about: of the call that it allowed, or of the rules' run or the person."""
    through = {one["seq"] for one in timeline.rows if one["cause"] == row["seq"]} | {row["seq"]}
    return tuple(one for one in of_kind(timeline.rows, "proposal.made") if one["cause"] in through)


def _of_rules(row: Row, timeline: CaseTimeline) -> tuple[Row, ...]:
    """Of the table's answer: the question of who decides was asked because of it, and the run stands under that."""
    asked = [one for one in of_kind(timeline.rows, "policy.asked") if one["cause"] == row["seq"]]
    return tuple(made for one in asked for made in _made_of(one, timeline))


def _before(row: Row, timeline: CaseTimeline, kind: str) -> tuple[Row, ...]:
    return tuple(one for one in of_kind(timeline.rows, kind) if one["seq"] < row["seq"])


def _readings(row: Row, timeline: CaseTimeline) -> list[dict[str, Any]]:
    return [one["data"] for one in _before(row, timeline, "reading.made")]


def _asked(turn: Row | None, row: Row, timeline: CaseTimeline) -> bool:
    tools = {"ask_buyer", "email_vendor"}
    return turn is not None and any(
        one["data"]["tool"] in tools
        and one["data"]["outcome"] == "OK"
        and one["data"]["turn_id"] == turn["data"]["turn_id"]
        for one in _before(row, timeline, "tool.called")
    )


def _ran(row: Row, tables: Mapping[str, Mapping[str, Any]], timeline: CaseTimeline) -> str | None:
    """What is wrong with this run of the rules, in words."""
    data = row["data"]
    if (data["outcome"] == "stop") != (data["reason"] is not None):
        return f"{data['outcome']} with the reason {data['reason']}"
    if data["input_digest"] is None:
        said = (data["row"], data["revision"]) == (None, None) and data["outcome"] == "stop"
        return None if said else f"{data['outcome']} by {data['row']}, and no table was asked"
    table = tables.get(data["input_digest"])
    return "an input that the policy was never asked" if table is None else _by_table(row, table, timeline)


def _by_table(row: Row, table: Mapping[str, Any], timeline: CaseTimeline) -> str | None:
    data = row["data"]
    if data["revision"] != table["revision"] or data["row"] != table["row"]:
        return f"{data['row']} of {data['revision']}, and the table said {table['row']} of {table['revision']}"
    if data["outcome"] != "stop" and data["outcome"] != table["effect"]:
        return f"{data['outcome']}, and the table said {table['effect']}"
    follows = [one["kind"] for one in timeline.rows if one["cause"] == row["seq"]]
    if (data["outcome"] == "propose") != ("proposal.made" in follows):
        return f"{data['outcome']}, and then {', '.join(follows) or 'nothing'}"
    return None
