"""How an accounts-payable case ended, read from the desk's timelines; and the ERP as a witness.

Raises LookupError where evidence does not hold what the page of doors says it must: no check passes on a guess.
"""

from dataclasses import dataclass
from typing import Any, Literal

from deskworld.values.case import Acceptable, Case
from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.record import Move, Record
from deskworld.values.timeline import last_of, of_kind
from deskworld.worlds.ap.checks.words import COMMANDS, HOLDS, same_money

ASKED = {"buyer": "question", "vendor": "letter"}


@dataclass(frozen=True, slots=True)
class End:
    """`proposal`: the final one, which nothing withdrew; it may be a sibling's that settled this exception too.

    `case_id` and `state` are the followed case's, `timeline` is the one that the proposal stands in.
    `how` is `wait` when the case is left waiting for an answer, `none` when nothing stands at all.
    """

    how: Literal["proposal", "wait", "none"]
    case_id: str
    state: str
    timeline: CaseTimeline
    proposal: Row | None = None
    request: Row | None = None
    decision: Row | None = None
    applied: Row | None = None

    @property
    def action(self) -> str | None:
        return self.proposal["data"]["action"] if self.proposal else None

    @property
    def shown(self) -> str:
        """In words, for findings."""
        if self.proposal is None:
            return f"{'left waiting' if self.how == 'wait' else 'no proposal stands'}, the case is {self.state}"
        data = self.proposal["data"]
        amount = f" {data['amount']}" if data["amount"] is not None else ""
        return f"{data['action']}{amount} by the {data['proposer']}, the case is {self.state}"


def followed(record: Record, evidence: Evidence) -> CaseTimeline:
    timeline = evidence.of(record.seeded.case_id) if record.seeded else None
    if timeline is None:
        raise LookupError("the followed case has no timeline")
    return timeline


def goods_moves(record: Record) -> tuple[Move, ...]:
    """The script's goods that came, by the receipts that were posted."""
    return tuple(move for move in record.moves if move.kind == "goods" and move.done)


def rows_of(evidence: Evidence) -> tuple[Row, ...]:
    return tuple(row for timeline in evidence.timelines for row in timeline.rows)


def end_of(record: Record, evidence: Evidence) -> End:
    own = followed(record, evidence)
    state = own.view["state"]
    found = _standing(own) or _settled_by_sibling(own, evidence)
    if found is None:
        return End("wait" if state == "AWAITING_ANSWER" else "none", own.case_id, state, own)
    timeline, proposal = found
    request = _last_with(timeline, "decision.requested", "proposal_id", proposal["data"]["proposal_id"])
    decision_id = request["data"]["decision_id"] if request else None
    applied = _last_with(timeline, "command.applied", "decision_id", decision_id)
    holding = applied is not None and proposal["data"]["action"] in HOLDS
    if state == "AWAITING_ANSWER" and not holding:
        return End("wait", own.case_id, state, own)
    decision = _last_with(timeline, "decision.made", "decision_id", decision_id)
    return End("proposal", own.case_id, state, timeline, proposal, request, decision, applied)


def accepted(case: Case, end: End) -> tuple[Acceptable, ...]:
    """The acceptable ends that the final proposal is, by action, amount and the order that it is paid against."""
    if end.proposal is None:
        return ()
    amount, against = (end.proposal["data"][name] for name in ("amount", "against_po"))
    return tuple(
        one
        for one in case.expect.accept
        if one.action == end.action and _amount_is(one, amount) and one.against_po in {None, against}
    )


def waits_for(case: Case, end: End) -> tuple[Acceptable, ...]:
    """The acceptable waits that the case was left in: the question or letter to that person is still open."""
    if end.how != "wait":
        return ()
    waiting = end.timeline.view["waiting_on"]
    return tuple(
        one for one in case.expect.accept if one.wait and any(_is_on(item, one.wait, case) for item in waiting)
    )


def described(accept: tuple[Acceptable, ...]) -> str:
    return " or ".join(_described(one) for one in accept)


def invoice_of(record: Record, evidence: Evidence) -> dict[str, Any]:
    """The ERP's document of the invoice that the followed case is about."""
    invoice_id = followed(record, evidence).view["invoice_id"]
    found = [one for one in erp(evidence)["invoices"] if one["id"] == invoice_id]
    if len(found) != 1:
        raise LookupError(f"the ERP shows invoice {invoice_id} {len(found)} times")
    document: dict[str, Any] = found[0]
    return document


def erp(evidence: Evidence) -> dict[str, Any]:
    if evidence.erp is None:
        raise LookupError("the ERP was not heard")
    return evidence.erp


def command_audit(evidence: Evidence) -> tuple[Row, ...]:
    """The ERP's own rows of commands carried out, in its order."""
    rows = sorted(erp(evidence)["audit"], key=lambda row: row["seq"])
    return tuple(row for row in rows if row["entity"]["kind"] == "invoice" and row["action"] in COMMANDS)


def _standing(timeline: CaseTimeline) -> tuple[CaseTimeline, Row] | None:
    withdrawn = {row["data"]["proposal_id"] for row in of_kind(timeline.rows, "proposal.withdrawn")}
    last = last_of(timeline.rows, "proposal.made")
    if last is None or last["data"]["proposal_id"] in withdrawn:
        return None
    return timeline, last


def _settled_by_sibling(own: CaseTimeline, evidence: Evidence) -> tuple[CaseTimeline, Row] | None:
    for timeline in evidence.timelines:
        found = _standing(timeline)
        if timeline.case_id == own.case_id or found is None:
            continue
        applied = of_kind(timeline.rows, "command.applied")
        if applied and own.case_id in found[1]["data"]["settles"]:
            return found
    return None


def _last_with(timeline: CaseTimeline, kind: str, key: str, value: str | None) -> Row | None:
    found = [row for row in of_kind(timeline.rows, kind) if value is not None and row["data"][key] == value]
    return found[-1] if found else None


def _amount_is(accept: Acceptable, amount: str | None) -> bool:
    if accept.action == "short-pay":
        return accept.amount is not None and same_money(amount, accept.amount)
    return accept.amount is None or amount is None or same_money(amount, accept.amount)


def _is_on(item: dict[str, Any], who: str, case: Case) -> bool:
    part = case.script.get(who)
    if part is None or item["kind"] != ASKED.get(who):
        return False
    return part.identity in {item["whom"]["user"], item["whom"]["address"]}


def _described(accept: Acceptable) -> str:
    if accept.wait:
        return f"left waiting for the {accept.wait}"
    amount = f" {accept.amount}" if accept.amount else ""
    against = f" against {accept.against_po}" if accept.against_po else ""
    return f"{accept.action}{amount}{against} decided by {accept.user or accept.role}"
