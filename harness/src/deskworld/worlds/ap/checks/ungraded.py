"""What no check of this world looks at, and why. The calibration lists it; it is in no score.

A field stands here only if it is no fact that a verdict rests on, or if nothing but itself bears witness to it.
"""

import re

PROSE = "words for people: not graded (rationales, wording)"
SENT = "how often and when an event was sent: the ERP's own bookkeeping; that it came is checked"
ALONE = "nothing else bears witness to it"

REASONS: tuple[tuple[str, str, str], ...] = (
    (r"case\.moved\.why|fact\.established\.how|.*\.comment|.*\.summary|.*holds\[\]\.why", r".*", PROSE),
    (r"policy\.asked\.reasons\[\]\.text|policy\[\]\.replayed\.reasons?(\[\]\.text)?", r".*", PROSE),
    (r"mail\.sent\.recipients\[\]\.detail|tool\.called\.detail", r".*", PROSE),
    (r"proposal\.made\.rationale|hold\.kept\.reason|.*\.arguments\.reason|.*\.arguments\.rationale", r".*", PROSE),
    (r"erp\.outbox\[\]\.delivery\..*", r".*", SENT),
    (r".*(at|since|proposed_at|received_at|time)", r"a day later", "a moment of office time, which the stage may move"),
    (r".*\.(citations|settles|ids|read|resolved|settled)\[\]", r"twice", "a set: to name one twice says the same"),
    (r"tool\.called\.call_id", r".*", f"the client's own name for its call: {ALONE}"),
    (r"policy\.asked\.policy_decision_id", r".*", "the engine's own log is no witness of a run"),
    (r"reading\.made\.usage", r".*", "usage is reported as it was told, and in no check"),
    (r"rules\.ran\.read", r"one left out|one more", "to read more, or less than is cited, changes no outcome"),
    (r".*handle", r".*", "a short name inside one case, which the ids beside it define"),
    (r"blob of tool\.called\.items\[\]\.why", r".*", f"why an invoice is similar is the match's own word: {ALONE}"),
    (r"(erp\.orders\[\]|blob of tool\.called)\.(lines\[\]\.billed|payable)", r".*", f"the match's sums: {ALONE}"),
    (r"blob of policy\.asked\.facts\.against\.payable", r".*", f"what an order would pay at that moment: {ALONE}"),
)


def ungraded(target: str, operator: str) -> str | None:
    """Why a change of this target by this operator is caught by no check; None where one should catch it."""
    return next(
        (why for field, how, why in REASONS if re.fullmatch(field, target) and re.fullmatch(how, operator)), None
    )
