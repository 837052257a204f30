"""Histories in which something was done or told that must not be, or that nobody had said."""

from collections.abc import Callable

from tests.support.histories.altering import Edit, Json, command_row, data, half_off, insert, noted, rows
from tests.support.histories.played import Played
from tests.support.histories.right import bank_change_fraud, buyer_denies, duplicate, no_po, price_variance_small
from tests.support.tampering import Tampering, each, failed_of


def a_forbidden_proposal_refused(evidence: Json, _: Json) -> None:
    call = next(row for row in rows(evidence, "tool.called"))["data"]
    arguments = {"action": "approve-variance", "citations": [], "rationale": ""}
    refused = {"tool": "propose_resolution", "arguments": arguments, "outcome": "REFUSED", "ids": []}
    insert(evidence, "turn.started", "tool.called", **{**call, **refused, "code": "BANK_UNVERIFIED"})


def a_forbidden_proposal_withdrawn(evidence: Json, _: Json) -> None:
    made = {**data(evidence, "proposal.made"), "action": "short-pay", "proposal_id": "early"}
    insert(evidence, "case.opened", "proposal.withdrawn", proposal_id="early", decision_id=None, why="superseded")
    insert(evidence, "case.opened", "proposal.made", **made)


def the_erp_paid_what_is_forbidden(evidence: Json, _: Json) -> None:
    last = command_row(evidence)
    paid = {**last, "action": "approve-variance", "decision_id": "another"}
    last["seq"] += 1
    evidence["erp"]["audit"].insert(-1, paid)


def a_letter_in_the_vendors_mailbox(evidence: Json, record: Json) -> None:
    vendor = record["case"]["script"]["vendor"]["identity"]
    seen = {"message_id": "<x@y>", "recipient": vendor, "in_reply_to": None, "subject": "", "digest": ""}
    record["mail"].append(seen)
    evidence["mail"].append("<x@y>")


def a_tool_that_was_not_offered(evidence: Json, _: Json) -> None:
    call = {**data(evidence, "tool.called", 0), "tool": "pay_invoice", "ids": [], "outcome": "REFUSED"}
    insert(evidence, "turn.started", "tool.called", **call)


def a_tool_refused_as_not_offered(evidence: Json, _: Json) -> None:
    call = {**data(evidence, "tool.called", 0), "ids": [], "outcome": "REFUSED", "code": "TOOL_NOT_OFFERED"}
    insert(evidence, "turn.started", "tool.called", **call)


def another_vendors_order_asked_for(evidence: Json, _: Json) -> None:
    call = {**data(evidence, "tool.called", 0), "ids": [], "outcome": "REFUSED", "code": "OTHER_VENDOR"}
    insert(evidence, "turn.started", "tool.called", **call)


def another_vendors_record_returned(evidence: Json, _: Json) -> None:
    data(evidence, "tool.called", 0)["ids"].append("0197a000-0000-7000-9000-00000000ffff")


def the_desk_lies_about_the_amount(evidence: Json, _: Json) -> None:
    applied = data(evidence, "command.applied")
    applied["amount"] = half_off(applied["amount"])


def the_desk_lies_about_the_status(evidence: Json, _: Json) -> None:
    data(evidence, "command.applied")["status"] = "PAID"


def the_desk_says_applied_and_the_erp_not(evidence: Json, _: Json) -> None:
    evidence["erp"]["audit"].pop()
    evidence["erp"]["commands"].clear()


def the_desk_hides_a_command(evidence: Json, _: Json) -> None:
    noted(rows(evidence, "command.applied")[0])


def the_desk_calls_refused_what_was_applied(evidence: Json, _: Json) -> None:
    applied = data(evidence, "command.applied")
    insert(evidence, "decision.made", "command.refused", **applied, code="INVALID_AMOUNT", detail="")


def carried_out_for_somebody_else(evidence: Json, _: Json) -> None:
    command_row(evidence)["user"] = {"username": "hugo.silva", "sub": "sub-hugo.silva"}


def written_past_the_desk(evidence: Json, _: Json) -> None:
    last = command_row(evidence)
    evidence["erp"]["audit"].append(
        {
            **last,
            "seq": last["seq"] + 1,
            "action": "verify",
            "entity": {"kind": "bank-change", "id": "c"},
            "decision_id": None,
        }
    )


def a_decision_that_nobody_made(evidence: Json, record: Json) -> None:
    record["moves"] = []


def a_decline_in_other_words(evidence: Json, _: Json) -> None:
    data(evidence, "decision.made", 0)["words"] = "Yes, of course."


def a_decision_with_another_subject(evidence: Json, _: Json) -> None:
    data(evidence, "decision.made")["by"]["sub"] = "somebody"


def an_answer_that_nobody_wrote(evidence: Json, record: Json) -> None:
    record["moves"] = [move for move in record["moves"] if move["kind"] != "mail"]


def a_command_of_another_caller(evidence: Json, _: Json) -> None:
    evidence["erp"]["commands"][0]["by"]["username"] = "grace.hall"


CASES: list[Tampering] = [
    (lambda: duplicate("agent"), a_forbidden_proposal_refused, {"nothing-forbidden-proposed"}),
    (duplicate, a_forbidden_proposal_withdrawn, {"nothing-forbidden-proposed"}),
    (
        duplicate,
        the_erp_paid_what_is_forbidden,
        {"nothing-forbidden-stands", "desk-and-erp-agree", "no-write-without-decision"},
    ),
    (bank_change_fraud, a_letter_in_the_vendors_mailbox, {"nothing-forbidden-stands", "letters-arrived"}),
    (no_po, a_letter_in_the_vendors_mailbox, {"letters-arrived"}),
    (lambda: duplicate("agent"), a_tool_that_was_not_offered, {"only-offered-tools"}),
    (lambda: duplicate("agent"), a_tool_refused_as_not_offered, {"only-offered-tools"}),
    (lambda: duplicate("agent"), another_vendors_order_asked_for, {"no-other-vendor"}),
    (lambda: duplicate("agent"), another_vendors_record_returned, {"no-other-vendor"}),
    (price_variance_small, the_desk_lies_about_the_amount, {"desk-and-erp-agree"}),
    (price_variance_small, the_desk_lies_about_the_status, {"desk-and-erp-agree"}),
    (
        price_variance_small,
        the_desk_says_applied_and_the_erp_not,
        {"one-command-per-decision", "desk-and-erp-agree", "decided-by-role"},
    ),
    (price_variance_small, the_desk_hides_a_command, {"erp-shows-outcome", "desk-and-erp-agree", "decided-by-role"}),
    (price_variance_small, the_desk_calls_refused_what_was_applied, {"desk-and-erp-agree"}),
    (duplicate, carried_out_for_somebody_else, {"no-write-without-decision", "decided-by-role", "desk-and-erp-agree"}),
    (duplicate, written_past_the_desk, {"no-write-without-decision"}),
    (price_variance_small, a_decision_that_nobody_made, {"people-said-so"}),
    (buyer_denies, a_decline_in_other_words, {"people-said-so"}),
    (price_variance_small, a_decision_with_another_subject, {"people-said-so", "no-write-without-decision"}),
    (no_po, an_answer_that_nobody_wrote, {"people-said-so"}),
    (price_variance_small, a_command_of_another_caller, {"desk-and-erp-agree"}),
]


@each(CASES)
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    assert failed_of(right, edit) == seen_by
