"""Histories that ended otherwise than they had to, or not once and for all."""

from collections.abc import Callable

from tests.support.histories.altering import Edit, Json, command_row, data, half_off, insert, invoice, rows
from tests.support.histories.played import Played
from tests.support.histories.right import no_po, price_variance_small
from tests.support.tampering import Tampering, each, failed_of


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


CASES: list[Tampering] = [
    (
        price_variance_small,
        another_action_proposed,
        {"outcome-acceptable", "erp-shows-outcome", "policy-routed", "requests-follow-policy", "decided-by-role"},
    ),
    (price_variance_small, erp_approved_half, {"erp-shows-outcome"}),
    (price_variance_small, erp_never_approved, {"erp-shows-outcome"}),
    (price_variance_small, erp_exception_still_open, {"erp-shows-outcome"}),
    (no_po, no_hold_stands, {"erp-shows-outcome"}),
    (no_po, the_hold_awaits_a_credit_memo, {"erp-shows-outcome"}),
    (price_variance_small, a_command_twice, {"one-command-per-decision"}),
    (price_variance_small, a_command_besides, {"one-command-per-decision"}),
    (price_variance_small, a_command_that_the_erp_never_applied, {"one-command-per-decision", "desk-and-erp-agree"}),
    (price_variance_small, paid_again_after_the_outcome, {"nothing-after-outcome", "desk-and-erp-agree"}),
    (price_variance_small, left_to_a_person, {"outcome-acceptable"}),
    (
        price_variance_small,
        the_proposal_withdrawn,
        {"cites-every-fact", "outcome-acceptable", "erp-shows-outcome", "policy-routed", "decided-by-role"},
    ),
]


@each(CASES)
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    assert failed_of(right, edit) == seen_by
