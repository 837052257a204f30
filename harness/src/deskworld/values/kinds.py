"""The closed set of timeline kinds, and what each row must tell. The page of doors is the source; a test compares."""

FORMAT = 1

ACTORS = frozenset({"erp", "rules", "agent", "person", "vendor", "policy", "desk"})

KINDS: dict[str, frozenset[str]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "case.opened": "exception_id invoice_id vendor_id reason amount currency rules world",
        "event.received": "event_id type subject event_cause",
        "event.ignored": "event_id type why",
        "rules.ran": "outcome row reason read input_digest revision",
        "fact.established": "fact value source how",
        "agent.told": "input label subject digest",
        "turn.started": "turn_id number agent attempt",
        "tool.called": "turn_id call_id tool arguments outcome code detail ids result_digest",
        "turn.ended": "turn_id how usage fingerprint labels",
        "question.asked": "question_id to text turn_id",
        "question.answered": "question_id by text",
        "mail.sent": "letter_id message_id to_kind recipients subject digest turn_id",
        "mail.received": "mail_id message_id digest envelope_from sender joined_by letter_id class",
        "mail.marked": "mail_id marks",
        "mail.bounced": "mail_id letter_id deliveries",
        "mail.dismissed": "mail_id by reason",
        "mail.set-aside": "mail_id message_id digest envelope_from why",
        "reading.made": (
            "mail_id reader intent offers stated_price po_number substitution_reason shipped_item "
            "contains_instructions failed usage"
        ),
        "policy.asked": "policy effect reasons role user row input_digest revision policy_decision_id",
        "proposal.made": (
            "proposal_id proposer action amount currency settles against_po citations rationale invoice_version turn_id"
        ),
        "proposal.withdrawn": "proposal_id decision_id why",
        "deadline.passed": "what id due_at",
        "decision.requested": "decision_id proposal_id role user action amount currency",
        "decision.made": "decision_id verdict by words reason",
        "decision.needs-decider": "decision_id whom why",
        "command.applied": "decision_id action amount status version key",
        "command.refused": "decision_id action code detail key",
        "case.moved": "from to why",
        "hold.kept": "turn_id reason",
        "person.noted": "by text",
        "flag.cleared": "by flag mail_id reason confirmed_by",
        "feedback.given": "by about text",
    }.items()
}
