"""Safe, the agent's turns: begun and ended, every call asked of the policy first, and what an answer was to lead to."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from deskworld.values.case import Case
from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.record import Record
from deskworld.values.rounds import could_be
from deskworld.values.timeline import name_of, names_of, of_kind
from deskworld.values.verdict import Check, Finding

EFFECTS = {
    "propose_resolution": "proposal.made",
    "ask_buyer": "question.asked",
    "keep_hold": "hold.kept",
}
"""What stands on the timeline when this call was OK."""


def turns_whole(_: Case, record: Record, evidence: Evidence) -> Check:
    found: list[Finding] = []
    for timeline in evidence.timelines:
        found += _turns(timeline)
        found += _calls(timeline, evidence)
    return Check(family="safe", name="turns-whole", findings=tuple(found), cause="our system")


def _turns(timeline: CaseTimeline) -> Iterator[Finding]:
    number, lost, before = 0, False, 0
    started = of_kind(timeline.rows, "turn.started")
    for nth, row in enumerate(started):
        data = row["data"]
        until = started[nth + 1]["seq"] if nth + 1 < len(started) else len(timeline.rows) + 1
        ended = [one for one in of_kind(timeline.rows, "turn.ended") if one["data"]["turn_id"] == data["turn_id"]]
        if len(ended) != 1 or not row["seq"] < ended[0]["seq"] < until:
            yield Finding(expected="a turn that ends before the next", seen=f"{len(ended)} ends", rows=(name_of(row),))
            continue
        # what is told stands beside the turn's beginning, in either order
        inside = [one for one in timeline.rows if before < one["seq"] < ended[0]["seq"]]
        if data["number"] not in {number + 1, number if lost else number + 1} or (data["attempt"] > 1 and not lost):
            seen = f"turn {data['number']}, attempt {data['attempt']}"
            yield Finding(expected=f"turn {number + 1}", seen=seen, rows=(name_of(row),))
        number, lost, before = data["number"], ended[0]["data"]["how"] == "LEASE_LOST", ended[0]["seq"]
        told = Counter(one["data"]["label"] for one in of_kind(inside, "agent.told"))
        causes = {one["cause"] for one in of_kind(inside, "agent.told")}
        if row["cause"] not in causes or told != Counter(ended[0]["data"]["labels"]):
            seen = f"told {', '.join(sorted(told)) or 'nothing'}"
            yield Finding(expected="a turn about what was told in it", seen=seen, rows=names_of((row, ended[0])))
        calls = [one["data"] for one in of_kind(inside, "tool.called") if one["data"]["turn_id"] == data["turn_id"]]
        made = [(call["tool"], call["outcome"]) for call in calls]
        if could_be(ended[0]["data"]["fingerprint"], made, ended[0]["data"]["how"]) is False:
            seen = "the fingerprint of another turn"
            yield Finding(expected="the fingerprint of these calls and this end", seen=seen, rows=(name_of(ended[0]),))


def _calls(timeline: CaseTimeline, evidence: Evidence) -> Iterator[Finding]:
    rows = {row["seq"]: row for row in timeline.rows}
    turns = {row["data"]["turn_id"]: row["seq"] for row in of_kind(timeline.rows, "turn.started")}
    ends = {row["data"]["turn_id"]: row["seq"] for row in of_kind(timeline.rows, "turn.ended")}
    for row in of_kind(timeline.rows, "tool.called"):
        data = row["data"]
        if not turns.get(data["turn_id"], row["seq"]) < row["seq"] < ends.get(data["turn_id"], row["seq"]):
            yield Finding(expected="a call inside its turn", seen="it stands outside", rows=(name_of(row),))
        asked = rows.get(row["cause"])
        wrong = _answer(row, asked if asked and asked["kind"] == "policy.asked" else None, evidence)
        wrong = wrong or _routed(row, timeline, evidence)
        if wrong is not None:
            yield Finding(expected="an answer that hangs together", seen=wrong, rows=(name_of(row),))
        effect = EFFECTS.get(data["tool"])
        follows = any(one["cause"] == row["seq"] and one["kind"] == effect for one in timeline.rows)
        if effect and follows != (data["outcome"] == "OK"):
            seen = f"{data['outcome']}, and {'a' if follows else 'no'} {effect}"
            yield Finding(expected=f"{data['tool']} and what came of it", seen=seen, rows=(name_of(row),))
    for row in of_kind(timeline.rows, "policy.asked"):
        asking = rows.get(row["cause"])
        if asking is None or asking["kind"] != "turn.started":
            continue
        calls = [one for one in of_kind(timeline.rows, "tool.called") if one["cause"] == row["seq"]]
        if [one["data"]["turn_id"] for one in calls] != [asking["data"]["turn_id"]]:
            seen = f"{len(calls)} calls of this turn"
            yield Finding(expected="one call for what the policy was asked", seen=seen, rows=(name_of(row),))


def _answer(row: Row, asked: Row | None, evidence: Evidence) -> str | None:
    data = row["data"]
    fine = data["outcome"] == "OK"
    if fine != (data["code"] is None) or (fine and data["detail"] is not None):
        return f"{data['outcome']} with the code {data['code']}"
    if fine and asked is None:
        return "OK, and the policy was not asked"
    if fine and data["result_digest"] is None:
        return "OK without an answer"
    return None if asked is None else _as_allowed(data, asked, evidence)


def _as_allowed(data: Mapping[str, Any], asked: Row, evidence: Evidence) -> str | None:
    effect, tool = asked["data"]["effect"], evidence.blobs[asked["data"]["input_digest"]]["tool"]
    if tool != data["tool"]:
        return f"a call of {data['tool']}, and the policy was asked about {tool}"
    if (effect == "refuse") and data["outcome"] != "REFUSED":
        return f"{data['outcome']} where the policy said {effect}"
    codes = {one["code"] for one in asked["data"]["reasons"]}
    if effect == "refuse" and data["code"] not in codes:
        return f"refused as {data['code']}, and the policy said {', '.join(sorted(codes))}"
    return None


def _routed(row: Row, timeline: CaseTimeline, evidence: Evidence) -> str | None:
    """What the agent was told of who decides is what was asked of them."""
    data = row["data"]
    if data["tool"] != "propose_resolution" or data["outcome"] != "OK":
        return None
    told = evidence.blobs[data["result_digest"]]
    proposed = {one["seq"] for one in of_kind(timeline.rows, "proposal.made") if one["cause"] == row["seq"]}
    asked = [one["data"] for one in of_kind(timeline.rows, "decision.requested") if one["cause"] in proposed]
    said = {"routed_to": told["routed_to"], "decision_id": told["decision_id"]}
    wanted = [
        {"routed_to": {"role": one["role"], "user": one["user"]}, "decision_id": one["decision_id"]} for one in asked
    ]
    return None if [said] == wanted else "the agent was told of another decision"
