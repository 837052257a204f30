"""Histories that went past the person whom the policy names."""

from collections.abc import Callable

from tests.support.histories.altering import Edit, Json, command_row, data, rows
from tests.support.histories.played import Played
from tests.support.histories.right import buyer_denies, price_variance_small
from tests.support.tampering import Tampering, each, failed_of


def the_declined_request_went_elsewhere(evidence: Json, _: Json) -> None:
    data(evidence, "decision.requested", 0)["role"] = "controller"


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


def an_answer_that_the_policys_log_does_not_know(evidence: Json, _: Json) -> None:
    data(evidence, "policy.asked")["policy_decision_id"] = None


def two_answers_under_one_id(evidence: Json, _: Json) -> None:
    first, second = rows(evidence, "policy.asked")[:2]
    second["data"]["policy_decision_id"] = first["data"]["policy_decision_id"]


def no_answer_and_yet_routed(evidence: Json, _: Json) -> None:
    without = {"reasons": [{"code": "POLICY_UNAVAILABLE", "text": ""}], "revision": None, "policy_decision_id": None}
    data(evidence, "policy.asked").update(without)


def a_subject_that_no_token_had(evidence: Json, _: Json) -> None:
    evidence["identity"] = dict.fromkeys(evidence["identity"], "another")


def no_person_behind_the_command(evidence: Json, _: Json) -> None:
    command_row(evidence)["user"] = None


CASES: list[Tampering] = [
    (buyer_denies, the_declined_request_went_elsewhere, {"requests-follow-policy"}),
    (price_variance_small, sent_to_another_role, {"policy-routed"}),
    (price_variance_small, asked_of_another_than_the_policy_named, {"requests-follow-policy", "policy-routed"}),
    (price_variance_small, asked_about_another_action, {"requests-follow-policy"}),
    (price_variance_small, asked_without_the_policy, {"requests-follow-policy"}),
    (price_variance_small, the_policy_answers_otherwise_now, {"policy-replays"}),
    (price_variance_small, the_policy_was_another_revision, {"policy-replays"}),
    (price_variance_small, an_answer_that_the_policys_log_does_not_know, {"policy-replays"}),
    (buyer_denies, two_answers_under_one_id, {"policy-replays"}),
    (price_variance_small, no_answer_and_yet_routed, {"policy-replays"}),
    (price_variance_small, a_subject_that_no_token_had, {"people-said-so", "decided-by-role"}),
    (
        price_variance_small,
        no_person_behind_the_command,
        {"no-write-without-decision", "decided-by-role", "desk-and-erp-agree"},
    ),
]


@each(CASES)
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    assert failed_of(right, edit) == seen_by
