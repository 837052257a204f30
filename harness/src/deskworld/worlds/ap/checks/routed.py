"""Routed: the policy sent the final proposal to whom it belongs, and that person's name stands in the ERP's audit."""

from collections import Counter
from collections.abc import Iterator

from deskworld.values.case import Acceptable, Case
from deskworld.values.evidence import CaseTimeline, Evidence, PolicyReplay, Row
from deskworld.values.realm import PEOPLE
from deskworld.values.record import Record
from deskworld.values.timeline import audit_name, name_of, names_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import End, accepted, command_audit, described, end_of, followed, rows_of

ROUTING = "ap.routing"
UNAVAILABLE = "POLICY_UNAVAILABLE"


def policy_routed(case: Case, record: Record, evidence: Evidence) -> Check:
    """The final proposal was sent to somebody whose call it is."""
    end = end_of(record, evidence)
    found = tuple(_no_decision(record, evidence) if end.how == "wait" else _routed(case, end))
    return Check(family="routed", name="policy-routed", findings=found)


def requests_follow_policy(_: Case, record: Record, evidence: Evidence) -> Check:
    """Every decision that was asked for is about a proposal as it was made, and asked of whom the policy named."""
    found: list[Finding] = []
    for timeline in evidence.timelines:
        requests = of_kind(timeline.rows, "decision.requested")
        for request in requests:
            found += _follows(request, timeline)
        known = {request["data"]["decision_id"] for request in requests}
        found += [
            Finding(expected="a decision that was asked for", seen="nobody asked for it", rows=(name_of(row),))
            for row in of_kind(timeline.rows, "decision.made", "command.applied", "command.refused")
            if row["data"]["decision_id"] not in known
        ]
    return Check(family="routed", name="requests-follow-policy", findings=tuple(found), cause="our system")


def policy_replays(_: Case, record: Record, evidence: Evidence) -> Check:
    """Every stored input gives the stored answer again, from the policy of the stack under test, and every answer has
    an id of its own in that policy's log. Where there was no answer the desk may only refuse or stop."""
    asked = {(one.case_id, one.seq): one for one in evidence.policy or ()}
    answered = [row for row in of_kind(rows_of(evidence), "policy.asked") if not _unanswered(row)]
    found: list[Finding] = []
    for row in answered:
        found += _replays(row, asked[(row["case_id"], row["seq"])])
    ids = Counter(row["data"]["policy_decision_id"] for row in answered)
    for row in answered:
        decision_id = row["data"]["policy_decision_id"]
        if not decision_id or ids[decision_id] > 1:
            expected, seen = "an answer with a decision id of its own", f"{decision_id or 'none'}"
            found.append(Finding(expected=expected, seen=seen, rows=(name_of(row),)))
    return Check(family="routed", name="policy-replays", findings=tuple(found), cause="our system")


def decided_by_role(case: Case, record: Record, evidence: Evidence) -> Check:
    """By the ERP's audit: the person behind the token has the role, and is the one who decided on the desk."""
    end = end_of(record, evidence)
    found: tuple[Finding, ...] = ()
    if end.how != "wait":
        found = tuple(_decided(case, end, evidence))
    return Check(family="routed", name="decided-by-role", findings=found)


def _no_decision(record: Record, evidence: Evidence) -> Iterator[Finding]:
    rows = followed(record, evidence).rows
    closed = {
        row["data"]["decision_id"] for row in of_kind(rows, "proposal.withdrawn", "command.applied", "command.refused")
    }
    declined = {
        row["data"]["decision_id"] for row in of_kind(rows, "decision.made") if row["data"]["verdict"] == "decline"
    }
    requested = of_kind(rows, "decision.requested")
    still = tuple(row for row in requested if row["data"]["decision_id"] not in closed | declined)
    if still:
        yield Finding(expected="no decision open while an answer is awaited", seen="one is", rows=names_of(still))
    applied = of_kind(rows, "command.applied")
    if applied:
        yield Finding(
            expected="nothing applied while an answer is awaited", seen="a command is", rows=names_of(applied)
        )


def _routed(case: Case, end: End) -> Iterator[Finding]:
    if end.request is None:
        yield Finding(expected="a decision asked of a person", seen=f"none was: {end.shown}")
        return
    whom = (end.request["data"]["role"], end.request["data"]["user"])
    if not any(_may_decide(one, *whom) for one in accepted(case, end)):
        seen = f"asked of {_whom(*whom)}"
        yield Finding(expected=described(case.expect.accept), seen=seen, rows=(name_of(end.request),))


def _follows(request: Row, timeline: CaseTimeline) -> Iterator[Finding]:
    wanted = request["data"]
    before = [row for row in timeline.rows if row["seq"] < request["seq"]]
    proposed = [row for row in of_kind(before, "proposal.made") if row["data"]["proposal_id"] == wanted["proposal_id"]]
    asked = [row for row in of_kind(before, "policy.asked") if row["data"]["policy"] == ROUTING]
    if len(proposed) != 1 or not asked or asked[-1]["data"]["effect"] != "route":
        seen = f"{len(proposed)} proposals, and the policy {'did not route' if asked else 'was not asked'}"
        yield Finding(expected="one proposal that the policy routed", seen=seen, rows=(name_of(request),))
        return
    rows = (name_of(proposed[0]), name_of(asked[-1]), name_of(request))
    named = (asked[-1]["data"]["role"], asked[-1]["data"]["user"])
    if named != (wanted["role"], wanted["user"]):
        seen = f"asked of {_whom(wanted['role'], wanted['user'])}"
        yield Finding(expected=f"asked of whom the policy named: {_whom(*named)}", seen=seen, rows=rows)
    for name in ("action", "amount", "currency"):
        if wanted[name] != proposed[0]["data"][name]:
            expected = f"{name} as proposed: {proposed[0]['data'][name]}"
            yield Finding(expected=expected, seen=f"asked about {wanted[name]}", rows=rows)


def _unanswered(row: Row) -> bool:
    data = row["data"]
    nothing = all(data[name] is None for name in ("revision", "policy_decision_id", "role", "user", "row"))
    refused = data["effect"] in {"refuse", "stop"} and [one["code"] for one in data["reasons"]] == [UNAVAILABLE]
    return nothing and refused


def _replays(row: Row, replay: PolicyReplay) -> Iterator[Finding]:
    data, again = row["data"], replay.replayed or {}
    names = ("effect", "revision", "role", "user", "row")
    differ = [name for name in names if data[name] != again.get(name)]
    if [one["code"] for one in data["reasons"]] != [one["code"] for one in again.get("reasons", ())]:
        differ.append("reasons")
    if differ or replay.stored_effect != data["effect"] or replay.policy != data["policy"]:
        expected = ", ".join(f"{name} {data[name]}" for name in names)
        seen = ", ".join(f"{name} {again.get(name)}" for name in names)
        yield Finding(expected=f"the same answer to the same input: {expected}", seen=seen, rows=(name_of(row),))


def _decided(case: Case, end: End, evidence: Evidence) -> Iterator[Finding]:
    if end.decision is None or end.applied is None:
        yield Finding(expected="a person's decision, carried out", seen=end.shown)
        return
    by, decision_id = end.decision["data"]["by"], end.decision["data"]["decision_id"]
    audit = next((row for row in command_audit(evidence) if row["decision_id"] == decision_id), None)
    user = audit["user"] if audit else None
    if audit is None or user is None:
        yield Finding(expected="a person behind the ERP's command", seen="nobody", rows=(name_of(end.decision),))
        return
    rows = (name_of(end.decision), audit_name(audit))
    if not any(_is_person_of(one, user["username"]) for one in accepted(case, end)):
        yield Finding(expected=described(case.expect.accept), seen=f"carried out for {user['username']}", rows=rows)
    if user["username"] != by["username"]:
        seen = f"carried out for {user['username']}"
        yield Finding(expected=f"carried out for {by['username']}, who decided", seen=seen, rows=rows)
    if user["sub"] != (evidence.identity or {}).get(user["username"]):
        yield Finding(expected="the subject of the token used", seen=f"subject {user['sub']}", rows=rows)


def _may_decide(accept: Acceptable, role: str | None, user: str | None) -> bool:
    return accept.role == role and (accept.user is None or accept.user == user)


def _is_person_of(accept: Acceptable, username: str) -> bool:
    if accept.user is not None:
        return accept.user == username
    return accept.role is not None and username in PEOPLE.get(accept.role, ())


def _whom(role: str | None, user: str | None) -> str:
    return f"{role} {user}" if user else str(role)
