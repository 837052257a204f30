"""What no check of this world looks at, and why. The calibration lists it; it is in no score.

A field stands here only if it is no fact that a verdict rests on, or if nothing but itself bears witness to it.
"""

import re

from deskworld.values.record import Record

PROSE = "words for people: not graded (rationales, wording)"
SENT = "how often and when an event was sent: the ERP's own bookkeeping; that it came is checked"
ALONE = "nothing else bears witness to it"
MATCH = f"the match's own finding: {ALONE}"
CAME = f"an amount of the moment before goods came and the match ran again: {ALONE} any more"
HELD = f"the holds that an event tells of, each of which is checked; that one is left out: {ALONE} since its release"
READ = "what a reader took from a letter and no fact, input or proposal rests on; what rests on it is checked"
BESIDE = "bytes beside the words that were written (quoted text, boundaries, a trailing line); the words are checked"

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
    (r"erp\.audit\[\]\.seq", r"one more", "numbers run over the whole ERP, with gaps; the order of rows is checked"),
    (r"blob of (mail\.received|mail\.sent|no row)\.raw", r"another word", BESIDE),
    (r"reading\.made\.(offers|po_number|stated_price|shipped_item|substitution_reason)", r".*", READ),
    (r"mail\.set-aside\.mail_id", r"another id", f"the desk's own name for a letter of no case: {ALONE}"),
    (r"tool\.called\.code", r"another word", f"by which name the desk calls an outage of the ERP: {ALONE}"),
    (r"erp\.invoices\[\]\.exceptions\[\]\.lines\[\]", r"dropped", f"which lines an exception is about: {MATCH}"),
    (r"erp\.outbox\[\]\.data\.holds\[\]", r"dropped", HELD),
    (r"blob of policy\.asked\.facts\.against\.payable", r".*", f"what an order would pay at that moment: {ALONE}"),
)

# only of a run in which goods came
ONCE_GOODS_CAME: tuple[tuple[str, str, str], ...] = (
    (r"(erp\.invoices|blob of tool\.called\.|blob of tool\.called)(\[\])?\.?exceptions\[\]\.amount", r".*", CAME),
    (r"blob of tool\.called\.lines\[\]\.accepted", r".*", CAME),
    (r"blob of rules\.ran\.facts\.open\[\]", r"dropped|twice", CAME),
    (r"blob of policy\.asked\.facts\.issue", r".*", CAME),
)


def ungraded(target: str, operator: str, record: Record) -> str | None:
    """Why a change of this target by this operator is caught by no check of this run; None where one should."""
    came = any(move.kind == "goods" for move in record.moves)
    reasons = (*REASONS, *ONCE_GOODS_CAME) if came else REASONS
    return next(
        (why for field, how, why in reasons if re.fullmatch(field, target) and re.fullmatch(how, operator)), None
    )
