"""Histories whose records do not hold together: rows, views, blobs, audit, documents and events."""

from collections.abc import Callable

from tests.support.histories.altering import Edit, Json, data, half_off, invoice, rows
from tests.support.histories.played import Played
from tests.support.histories.right import duplicate, price_variance_small
from tests.support.tampering import Tampering, each, failed_of


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


CASES: list[Tampering] = [
    (price_variance_small, a_kind_that_there_is_not, {"rows-well-formed", "citations-grounded"}),
    (price_variance_small, a_row_caused_by_a_later_one, {"rows-well-formed"}),
    (price_variance_small, a_row_of_another_format, {"rows-well-formed"}),
    (price_variance_small, a_row_that_tells_too_little, {"rows-well-formed", "events-as-published"}),
    (price_variance_small, a_move_from_where_it_was_not, {"views-follow-rows"}),
    (price_variance_small, an_invoice_that_was_corrected, {"documents-as-seeded"}),
    (duplicate, an_invoice_with_another_total, {"documents-as-seeded"}),
    (duplicate, an_invoice_with_another_number, {"documents-as-seeded"}),
    (price_variance_small, another_amount_at_issue, {"case-as-raised"}),
    (price_variance_small, rules_that_were_switched_off, {"case-as-raised"}),
    (price_variance_small, an_event_that_the_erp_never_sent, {"events-as-published"}),
    (price_variance_small, an_event_for_another_cause, {"events-as-published"}),
    (lambda: duplicate("agent"), a_proposal_that_no_call_asked_for, {"agent-proposed-it"}),
    (price_variance_small, the_view_is_of_an_older_row, {"views-follow-rows"}),
    (price_variance_small, the_view_says_another_state, {"views-follow-rows", "outcome-acceptable"}),
    (price_variance_small, it_settled_in_another_state, {"views-follow-rows"}),
    (price_variance_small, still_in_motion, {"views-follow-rows"}),
    (price_variance_small, a_blob_is_gone, {"blobs-whole"}),
    (price_variance_small, a_blob_was_changed, {"blobs-whole"}),
    (price_variance_small, the_erps_chain_is_broken, {"audit-whole"}),
    (price_variance_small, an_audit_row_out_of_its_place, {"audit-whole"}),
]


@each(CASES)
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    assert failed_of(right, edit) == seen_by
