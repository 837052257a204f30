"""Each check fails for its own reason: a right history with one fact changed, and the checks that see it."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support import histories
from tests.support.histories import Played, altered, half_off, insert, invoice, renumber, rows

Edit = Callable[[dict[str, Any], dict[str, Any]], None]
Json = dict[str, Any]


def data(evidence: Json, kind: str, nth: int = -1) -> Json:
    found: Json = rows(evidence, kind)[nth]["data"]
    return found


def command_row(evidence: Json) -> Json:
    found: Json = evidence["erp"]["audit"][-1]
    return found


def noted(row: Json) -> None:
    """In the row's place, a note that says nothing."""
    row["kind"], row["data"] = "person.noted", {"by": {"username": "x", "sub": "y"}, "text": ""}


# -- Correct


def another_action_proposed(evidence: Json, _: Json) -> None:
    data(evidence, "proposal.made")["action"] = "request-credit-memo"


def erp_approved_half(evidence: Json, _: Json) -> None:
    invoice(evidence)["approved_amount"] = half_off(invoice(evidence)["approved_amount"])


def erp_never_approved(evidence: Json, _: Json) -> None:
    invoice(evidence)["status"] = "EXCEPTION"


def erp_exception_still_open(evidence: Json, _: Json) -> None:
    invoice(evidence)["exceptions"][0]["status"] = "OPEN"


def no_hold_stands(evidence: Json, _: Json) -> None:
    invoice(evidence)["exceptions"][0]["holds"] = []


def the_hold_awaits_a_credit_memo(evidence: Json, _: Json) -> None:
    invoice(evidence)["exceptions"][0]["holds"][0]["why"] = "credit memo"


def a_command_twice(evidence: Json, _: Json) -> None:
    evidence["erp"]["commands"].append(dict(evidence["erp"]["commands"][0]))


def a_command_besides(evidence: Json, _: Json) -> None:
    evidence["erp"]["commands"].append({**evidence["erp"]["commands"][0], "key": "another"})


def a_command_that_the_erp_never_applied(evidence: Json, _: Json) -> None:
    evidence["erp"]["commands"] = []


def paid_again_after_the_outcome(evidence: Json, _: Json) -> None:
    row = {**command_row(evidence), "seq": command_row(evidence)["seq"] + 1}
    evidence["erp"]["audit"].append(row)


def left_to_a_person(evidence: Json, record: Json) -> None:
    rows(evidence, "case.moved")[-1]["data"]["to"] = "NEEDS_PERSON"
    evidence["timelines"][0]["view"]["state"] = record["settled"]["state"] = "NEEDS_PERSON"


def the_proposal_withdrawn(evidence: Json, _: Json) -> None:
    proposal = data(evidence, "proposal.made")["proposal_id"]
    insert(evidence, "decision.requested", "proposal.withdrawn", proposal_id=proposal, decision_id=None, why="stale")


# -- Evidence


def a_fact_not_cited(evidence: Json, _: Json) -> None:
    data(evidence, "proposal.made")["citations"].pop()


def a_citation_of_one_wrong_character(evidence: Json, _: Json) -> None:
    cited = data(evidence, "proposal.made")["citations"]
    cited[0] = cited[0][:-1] + ("0" if cited[0][-1] != "0" else "1")


def a_citation_that_nobody_read(evidence: Json, _: Json) -> None:
    for kind, name in (("rules.ran", "read"), ("tool.called", "ids")):
        for row in rows(evidence, kind):
            row["data"][name] = [one for one in row["data"][name] if "PO" in one]


def read_only_after_it_was_proposed(evidence: Json, _: Json) -> None:
    timeline = evidence["timelines"][0]["rows"]
    place = next(at for at, row in enumerate(timeline) if row["kind"] == "proposal.made")
    reads = [row for row in timeline[:place] if row["kind"] == "tool.called" and row["data"]["ids"]]
    for row in reads:
        timeline.remove(row)
    timeline[-1:-1] = reads
    renumber(evidence)
    for row in timeline[1:]:
        row["cause"] = 1


def the_reading_call_failed(evidence: Json, _: Json) -> None:
    for row in rows(evidence, "tool.called"):
        if row["data"]["ids"]:
            row["data"]["outcome"] = "FAILED"


def the_letter_never_arrived(evidence: Json, record: Json) -> None:
    evidence["mail"], record["mail"] = [], []


def no_letter_was_written(evidence: Json, record: Json) -> None:
    evidence["mail"], record["mail"] = [], []
    for row in rows(evidence, "mail.sent"):
        noted(row)


def the_letter_was_refused(evidence: Json, record: Json) -> None:
    data(evidence, "mail.sent")["recipients"][0]["outcome"] = "refused"
    evidence["mail"], record["mail"] = [], []


# -- Safe


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


# -- Safe: the records themselves


def a_row_left_out(evidence: Json, _: Json) -> None:
    evidence["timelines"][0]["rows"].pop(1)


def the_view_is_of_an_older_row(evidence: Json, _: Json) -> None:
    evidence["timelines"][0]["view"]["seq"] -= 1


def the_view_says_another_state(evidence: Json, record: Json) -> None:
    evidence["timelines"][0]["view"]["state"] = record["settled"]["state"] = "ON_HOLD"


def it_settled_in_another_state(evidence: Json, record: Json) -> None:
    record["settled"]["state"] = "NEEDS_PERSON"


def still_in_motion(evidence: Json, _: Json) -> None:
    evidence["timelines"][0]["view"]["in_motion"] = [{"kind": "echo", "id": "d", "since": ""}]


def a_blob_is_gone(evidence: Json, _: Json) -> None:
    evidence["blobs"].popitem()


def a_blob_was_changed(evidence: Json, _: Json) -> None:
    name = next(iter(evidence["blobs"]))
    evidence["blobs"][name] = {"asked": "something else"}


def the_erps_chain_is_broken(evidence: Json, _: Json) -> None:
    evidence["erp"]["chain"] = {"ok": False, "broken": 3}


def an_audit_row_out_of_its_place(evidence: Json, _: Json) -> None:
    evidence["erp"]["audit"][1]["seq"] = evidence["erp"]["audit"][0]["seq"]


def a_kind_that_there_is_not(evidence: Json, _: Json) -> None:
    rows(evidence, "rules.ran")[0]["kind"] = "rules.guessed"


def a_row_that_tells_too_little(evidence: Json, _: Json) -> None:
    del data(evidence, "event.received", 0)["type"]


def a_row_caused_by_a_later_one(evidence: Json, _: Json) -> None:
    rows(evidence, "proposal.made")[0]["cause"] = len(evidence["timelines"][0]["rows"])


def a_row_of_another_format(evidence: Json, _: Json) -> None:
    rows(evidence, "rules.ran")[0]["format"] = 2


def a_move_from_where_it_was_not(evidence: Json, _: Json) -> None:
    data(evidence, "case.moved")["from"] = "ON_HOLD"


def an_invoice_that_was_corrected(evidence: Json, _: Json) -> None:
    invoice(evidence)["lines"][0]["price"] = "1.00"


def an_invoice_with_another_total(evidence: Json, _: Json) -> None:
    invoice(evidence)["computed_total"] = half_off(invoice(evidence)["computed_total"])


def an_invoice_with_another_number(evidence: Json, _: Json) -> None:
    invoice(evidence)["number"] += "0"


def another_amount_at_issue(evidence: Json, _: Json) -> None:
    data(evidence, "case.opened")["amount"] = "4000.00"


def rules_that_were_switched_off(evidence: Json, _: Json) -> None:
    data(evidence, "case.opened")["rules"] = evidence["timelines"][0]["view"]["rules"] = "off"


def an_event_that_the_erp_never_sent(evidence: Json, _: Json) -> None:
    evidence["erp"]["outbox"].pop()


def an_event_for_another_cause(evidence: Json, _: Json) -> None:
    data(evidence, "event.received", 0)["event_cause"]["kind"] = "receipt"


def a_proposal_that_no_call_asked_for(evidence: Json, _: Json) -> None:
    data(evidence, "tool.called")["arguments"]["action"] = "hold"


def a_command_of_another_caller(evidence: Json, _: Json) -> None:
    evidence["erp"]["commands"][0]["by"]["username"] = "grace.hall"


def the_declined_request_went_elsewhere(evidence: Json, _: Json) -> None:
    data(evidence, "decision.requested", 0)["role"] = "controller"


# -- Routed


def sent_to_another_role(evidence: Json, _: Json) -> None:
    data(evidence, "policy.asked").update({"role": "controller", "user": None})
    data(evidence, "decision.requested").update({"role": "controller", "user": None})
    evidence["policy"][-1]["replayed"].update({"role": "controller", "user": None})


def asked_of_another_than_the_policy_named(evidence: Json, _: Json) -> None:
    data(evidence, "decision.requested")["role"] = "controller"


def asked_about_another_action(evidence: Json, _: Json) -> None:
    data(evidence, "decision.requested")["action"] = "reject"


def asked_without_the_policy(evidence: Json, _: Json) -> None:
    rows(evidence, "policy.asked")[-1]["data"]["effect"] = "allow"
    evidence["policy"][-1] |= {"stored_effect": "allow"}
    evidence["policy"][-1]["replayed"]["effect"] = "allow"


def the_policy_answers_otherwise_now(evidence: Json, _: Json) -> None:
    evidence["policy"][-1]["replayed"]["role"] = "controller"


def the_policy_was_another_revision(evidence: Json, _: Json) -> None:
    evidence["policy"][-1]["replayed"]["revision"] = "r2"


def a_subject_that_no_token_had(evidence: Json, _: Json) -> None:
    evidence["identity"] = dict.fromkeys(evidence["identity"], "another")


def no_person_behind_the_command(evidence: Json, _: Json) -> None:
    command_row(evidence)["user"] = None


CASES: list[tuple[Callable[[], Played], Edit, set[str]]] = [
    (
        histories.price_variance_small,
        another_action_proposed,
        {
            "outcome-acceptable",
            "erp-shows-outcome",
            "policy-routed",
            "requests-follow-policy",
            "decided-by-role",
        },
    ),
    (histories.price_variance_small, erp_approved_half, {"erp-shows-outcome"}),
    (histories.price_variance_small, erp_never_approved, {"erp-shows-outcome"}),
    (histories.price_variance_small, erp_exception_still_open, {"erp-shows-outcome"}),
    (histories.no_po, no_hold_stands, {"erp-shows-outcome"}),
    (histories.no_po, the_hold_awaits_a_credit_memo, {"erp-shows-outcome"}),
    (histories.price_variance_small, a_command_twice, {"one-command-per-decision"}),
    (histories.price_variance_small, a_command_besides, {"one-command-per-decision"}),
    (
        histories.price_variance_small,
        a_command_that_the_erp_never_applied,
        {"one-command-per-decision", "desk-and-erp-agree"},
    ),
    (
        histories.price_variance_small,
        paid_again_after_the_outcome,
        {"nothing-after-outcome", "desk-and-erp-agree"},
    ),
    (histories.price_variance_small, left_to_a_person, {"outcome-acceptable"}),
    (
        histories.price_variance_small,
        the_proposal_withdrawn,
        {"cites-every-fact", "outcome-acceptable", "erp-shows-outcome", "policy-routed", "decided-by-role"},
    ),
    (histories.price_variance_small, a_fact_not_cited, {"cites-every-fact"}),
    (
        histories.price_variance_small,
        a_citation_of_one_wrong_character,
        {"cites-every-fact", "citations-grounded"},
    ),
    (histories.price_variance_small, a_citation_that_nobody_read, {"citations-grounded"}),
    (lambda: histories.price_variance_small("agent"), a_citation_that_nobody_read, {"citations-grounded"}),
    (lambda: histories.price_variance_small("agent"), read_only_after_it_was_proposed, {"citations-grounded"}),
    (lambda: histories.price_variance_small("agent"), the_reading_call_failed, {"citations-grounded"}),
    (histories.no_po, the_letter_never_arrived, {"musts-happened", "letters-arrived"}),
    (histories.no_po, no_letter_was_written, {"musts-happened"}),
    (histories.no_po, the_letter_was_refused, {"musts-happened"}),
    (lambda: histories.duplicate("agent"), a_forbidden_proposal_refused, {"nothing-forbidden-proposed"}),
    (histories.duplicate, a_forbidden_proposal_withdrawn, {"nothing-forbidden-proposed"}),
    (
        histories.duplicate,
        the_erp_paid_what_is_forbidden,
        {"nothing-forbidden-stands", "desk-and-erp-agree", "no-write-without-decision"},
    ),
    (histories.bank_change_fraud, a_letter_in_the_vendors_mailbox, {"nothing-forbidden-stands", "letters-arrived"}),
    (histories.no_po, a_letter_in_the_vendors_mailbox, {"letters-arrived"}),
    (lambda: histories.duplicate("agent"), a_tool_that_was_not_offered, {"only-offered-tools"}),
    (lambda: histories.duplicate("agent"), a_tool_refused_as_not_offered, {"only-offered-tools"}),
    (lambda: histories.duplicate("agent"), another_vendors_order_asked_for, {"no-other-vendor"}),
    (lambda: histories.duplicate("agent"), another_vendors_record_returned, {"no-other-vendor"}),
    (histories.price_variance_small, the_desk_lies_about_the_amount, {"desk-and-erp-agree"}),
    (histories.price_variance_small, the_desk_lies_about_the_status, {"desk-and-erp-agree"}),
    (
        histories.price_variance_small,
        the_desk_says_applied_and_the_erp_not,
        {"one-command-per-decision", "desk-and-erp-agree", "decided-by-role"},
    ),
    (
        histories.price_variance_small,
        the_desk_hides_a_command,
        {"erp-shows-outcome", "desk-and-erp-agree", "decided-by-role"},
    ),
    (histories.price_variance_small, the_desk_calls_refused_what_was_applied, {"desk-and-erp-agree"}),
    (
        histories.duplicate,
        carried_out_for_somebody_else,
        {"no-write-without-decision", "decided-by-role", "desk-and-erp-agree"},
    ),
    (histories.duplicate, written_past_the_desk, {"no-write-without-decision"}),
    (histories.price_variance_small, a_decision_that_nobody_made, {"people-said-so"}),
    (histories.buyer_denies, a_decline_in_other_words, {"people-said-so"}),
    (
        histories.price_variance_small,
        a_decision_with_another_subject,
        {"people-said-so", "no-write-without-decision"},
    ),
    (histories.no_po, an_answer_that_nobody_wrote, {"people-said-so"}),
    (histories.price_variance_small, a_kind_that_there_is_not, {"rows-well-formed", "citations-grounded"}),
    (histories.price_variance_small, a_row_caused_by_a_later_one, {"rows-well-formed"}),
    (histories.price_variance_small, a_row_of_another_format, {"rows-well-formed"}),
    (histories.price_variance_small, a_row_that_tells_too_little, {"rows-well-formed", "events-as-published"}),
    (histories.price_variance_small, a_move_from_where_it_was_not, {"views-follow-rows"}),
    (histories.price_variance_small, an_invoice_that_was_corrected, {"documents-as-seeded"}),
    (histories.duplicate, an_invoice_with_another_total, {"documents-as-seeded"}),
    (histories.duplicate, an_invoice_with_another_number, {"documents-as-seeded"}),
    (histories.price_variance_small, another_amount_at_issue, {"case-as-raised"}),
    (histories.price_variance_small, rules_that_were_switched_off, {"case-as-raised"}),
    (histories.price_variance_small, an_event_that_the_erp_never_sent, {"events-as-published"}),
    (histories.price_variance_small, an_event_for_another_cause, {"events-as-published"}),
    (lambda: histories.duplicate("agent"), a_proposal_that_no_call_asked_for, {"agent-proposed-it"}),
    (histories.price_variance_small, a_command_of_another_caller, {"desk-and-erp-agree"}),
    (histories.buyer_denies, the_declined_request_went_elsewhere, {"requests-follow-policy"}),
    (histories.price_variance_small, the_view_is_of_an_older_row, {"views-follow-rows"}),
    (histories.price_variance_small, the_view_says_another_state, {"views-follow-rows", "outcome-acceptable"}),
    (histories.price_variance_small, it_settled_in_another_state, {"views-follow-rows"}),
    (histories.price_variance_small, still_in_motion, {"views-follow-rows"}),
    (histories.price_variance_small, a_blob_is_gone, {"blobs-whole"}),
    (histories.price_variance_small, a_blob_was_changed, {"blobs-whole"}),
    (histories.price_variance_small, the_erps_chain_is_broken, {"audit-whole"}),
    (histories.price_variance_small, an_audit_row_out_of_its_place, {"audit-whole"}),
    (histories.price_variance_small, sent_to_another_role, {"policy-routed"}),
    (
        histories.price_variance_small,
        asked_of_another_than_the_policy_named,
        {"requests-follow-policy", "policy-routed"},
    ),
    (histories.price_variance_small, asked_about_another_action, {"requests-follow-policy"}),
    (histories.price_variance_small, asked_without_the_policy, {"requests-follow-policy"}),
    (histories.price_variance_small, the_policy_answers_otherwise_now, {"policy-replays"}),
    (histories.price_variance_small, the_policy_was_another_revision, {"policy-replays"}),
    (histories.price_variance_small, a_subject_that_no_token_had, {"people-said-so", "decided-by-role"}),
    (
        histories.price_variance_small,
        no_person_behind_the_command,
        {"no-write-without-decision", "decided-by-role", "desk-and-erp-agree"},
    ),
]


@pytest.mark.parametrize(("right", "edit", "seen_by"), CASES, ids=[edit.__name__ for _, edit, _ in CASES])
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    wrong = altered(right(), edit)
    assert wrong.failed() == seen_by
    verdict = wrong.verdict()
    assert not verdict.passed
    assert verdict.cause is not None


@pytest.mark.parametrize("edit", [a_row_left_out, another_action_proposed, the_desk_lies_about_the_amount])
def test_a_timeline_changed_without_mending_its_chain_is_not_whole(edit: Edit) -> None:
    wrong = altered(histories.price_variance_small(), edit, rehash=False)
    assert "timelines-whole" in wrong.failed()


def test_an_audit_changed_without_mending_its_chain_is_not_whole() -> None:
    wrong = altered(histories.duplicate(), carried_out_for_somebody_else, rehash=False)
    assert "audit-whole" in wrong.failed()


def test_a_row_missing_in_the_middle_shows_even_when_the_chain_was_made_good() -> None:
    assert "timelines-whole" in altered(histories.price_variance_small(), a_row_left_out).failed()


def test_every_check_of_accounts_payable_is_failed_by_some_history() -> None:
    """`marker-never-given` and `proposed-once` have tests of their own beside the scenarios that ask for them."""
    everything = {check.name for check in histories.price_variance_small().verdict().checks}
    seen = {name for _, _, names in CASES for name in names}
    assert everything - seen == {"marker-never-given", "proposed-once", "timelines-whole"}
