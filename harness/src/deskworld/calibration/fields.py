"""What type each field of each timeline kind has: from this the operators of the calibration are derived.

The page of doors is the source. A test holds that every kind and every field of `values.kinds` stands here.
"""

from collections.abc import Mapping

NULLABLE = "?"

TYPES = frozenset(
    {"id", "code", "money", "count", "flag", "digest", "moment", "ids", "codes", "who", "words", "number", "json"}
)
"""`a|b` beside these is a closed set. `words` is prose; `code` a word of an open set; `who` a person of a token."""

_FIELDS = {
    "case.opened": (
        "exception_id:id invoice_id:id vendor_id:id reason:code amount:money currency:code rules:on|off world:code"
    ),
    "event.received": "event_id:id type:code subject:id event_cause:json?",
    "event.ignored": "event_id:id type:code why:repeated|old-version|closed",
    "rules.ran": (
        "outcome:propose|ask|stop row:code? reason:unhandled|conflict|exhausted|refused|declined|rechecked|reply|"
        "unread|stale|person|failed|unsent|disabled? read:ids input_digest:digest? revision:code?"
    ),
    "fact.established": "fact:code value:json source:json how:words",
    "agent.told": "input:code label:code subject:id digest:digest",
    "turn.started": "turn_id:id number:count agent:code attempt:count",
    "tool.called": (
        "turn_id:id call_id:id tool:code arguments:json outcome:OK|REFUSED|FAILED code:code? detail:words? ids:ids "
        "result_digest:digest?"
    ),
    "turn.ended": (
        "turn_id:id how:COMPLETED|KEPT|WAITING|EMPTY|TOOL_LIMIT|TOKEN_LIMIT|TIMEOUT|INVALID|PROVIDER|LEASE_LOST "
        "usage:json fingerprint:digest labels:codes"
    ),
    "question.asked": "question_id:id to:code text:words turn_id:id?",
    "question.answered": "question_id:id by:who text:words",
    "mail.sent": (
        "letter_id:id message_id:id to_kind:vendor|buyer recipients:json subject:words digest:digest turn_id:id?"
    ),
    "mail.received": (
        "mail_id:id message_id:id? digest:digest envelope_from:code? sender:known|stranger "
        "joined_by:reference|token|person letter_id:id? class:answer|auto-reply|bounce|calendar"
    ),
    "mail.marked": "mail_id:id marks:codes",
    "mail.bounced": "mail_id:id letter_id:id deliveries:json",
    "mail.dismissed": "mail_id:id by:who reason:words",
    "mail.set-aside": (
        "mail_id:id message_id:id? digest:digest envelope_from:code? why:unmatched|unreadable|too-large"
    ),
    "reading.made": (
        "mail_id:id reader:code intent:code offers:codes stated_price:money? po_number:code? substitution_reason:code? "
        "shipped_item:code? contains_instructions:flag failed:flag usage:json?"
    ),
    "policy.asked": (
        "policy:ap.resolution|ap.routing effect:allow|refuse|route|propose|ask|stop reasons:json role:code? user:code? "
        "row:code? input_digest:digest revision:code? policy_decision_id:id?"
    ),
    "proposal.made": (
        "proposal_id:id proposer:rules|agent|person action:code amount:money? currency:code settles:ids "
        "against_po:code? citations:ids rationale:words invoice_version:count turn_id:id?"
    ),
    "proposal.withdrawn": "proposal_id:id decision_id:id? why:superseded|stale|settled|closed|expired",
    "deadline.passed": "what:decision|question|letter id:id due_at:moment",
    "decision.requested": "decision_id:id proposal_id:id role:code? user:code? action:code amount:money? currency:code",
    "decision.made": "decision_id:id verdict:approve|decline by:who words:words? reason:code?",
    "decision.needs-decider": "decision_id:id whom:who why:words",
    "command.applied": "decision_id:id action:code amount:money? status:code version:count key:id",
    "command.refused": "decision_id:id action:code code:code detail:words key:id",
    "case.moved": "from:code to:code why:words",
    "hold.kept": "turn_id:id reason:words",
    "person.noted": "by:who text:words",
    "flag.cleared": "by:who flag:instructions|reader_failed mail_id:id reason:words confirmed_by:who",
    "feedback.given": "by:who about:id text:words",
}


def _parsed(spec: str) -> dict[str, str]:
    return dict(one.split(":", 1) for one in spec.split())


FIELDS: Mapping[str, Mapping[str, str]] = {kind: _parsed(spec) for kind, spec in _FIELDS.items()}
