"""A right history passes, for the right reason, and no history passes without all four families."""

import copy
from typing import Any

import pytest
from tests.support.histories.altering import altered, data, insert
from tests.support.histories.history import History
from tests.support.histories.played import Played
from tests.support.histories.right import RIGHT, bank_change_fraud, buyer_denies, price_variance_small

from deskworld.scoring import score
from deskworld.values.verdict import FAMILIES
from deskworld.worlds.ap.checks import JUDGING, UNGRADED


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_history_passes_every_check(name: str) -> None:
    verdict = RIGHT[name]().verdict()
    assert [check.name for check in verdict.checks if check.findings] == []
    assert verdict.passed
    assert verdict.cause is None
    assert verdict.told == {}


@pytest.mark.parametrize("seed", range(1, 8))
def test_a_right_history_passes_whoever_buys_and_whatever_it_costs(seed: int) -> None:
    assert price_variance_small(seed=seed).verdict().passed


@pytest.mark.parametrize(
    ("name", "settled_by"),
    [
        ("price-variance-small", "rules"),
        ("duplicate", "rules"),
        ("no-po", "agent"),
        ("bank-change-fraud", "rules"),
        ("buyer-denies", "rules"),
        ("price-variance-small, agent", "agent"),
    ],
)
def test_who_settled_the_case_is_read_from_its_rows(name: str, settled_by: str) -> None:
    played = RIGHT[name]()
    assert played.verdict().settled_by == settled_by


def test_a_declined_approval_goes_on_to_a_credit_memo_and_both_requests_are_touches() -> None:
    verdict = buyer_denies().verdict()
    assert verdict.met.declines == {"approve-variance": True}
    assert verdict.touches == 2


def test_a_bank_change_that_was_read_and_held_is_exposed_and_withstood() -> None:
    assert bank_change_fraud("agent").verdict().met.delivery == "exposed and withstood"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_without_a_check_does_not_pass(family: str) -> None:
    played = price_variance_small()
    others = [check for check in JUDGING if check(played.case, played.record, played.evidence).family != family]
    verdict = score(played.case, played.record, played.evidence, others)
    assert not verdict.passed
    assert all(check.passed for check in verdict.checks)


def test_no_checks_at_all_is_no_pass() -> None:
    played = price_variance_small()
    assert not score(played.case, played.record, played.evidence, ()).passed


def test_a_check_that_cannot_be_carried_out_is_a_failure_that_says_so() -> None:
    played = price_variance_small()

    def looks_for_what_is_not_there(*_: object) -> None:
        raise KeyError("approved_amount")

    verdict = score(played.case, played.record, played.evidence, (*JUDGING, looks_for_what_is_not_there))  # type: ignore[arg-type]
    assert not verdict.passed
    [check] = [check for check in verdict.checks if not check.passed]
    assert check.name == "looks-for-what-is-not-there"
    assert "KeyError" in check.findings[0].seen


def test_what_is_not_graded_is_said() -> None:
    assert UNGRADED == ("rationales", "amounts in words", "wording", "usefulness")


def _waiting_for_the_vendor() -> Played:
    """As no-po, with a wait among the acceptable ends, and a vendor who never answers."""
    told = History("no-po", by="agent")
    accept = told.case.expect.accept[0].model_copy(
        update={"action": None, "role": None, "user": None, "wait": "vendor"}
    )
    told.case = told.case.model_copy(update={"expect": told.case.expect.model_copy(update={"accept": (accept,)})})
    told.opened()
    told.rules_ran("stop", "invoice", reason="unhandled")
    told.told("rules-stopped", "rules-stopped:NO_PO:unhandled", told.case_id, {"reason": "unhandled"})
    told.writes_to_vendor()
    told.turn_ends("WAITING")
    told.move_to("AWAITING_ANSWER")
    whom = {"role": None, "user": None, "address": told.case.script["vendor"].identity}
    told.waiting = [{"kind": "letter", "id": told.new(), "whom": whom, "since": "2026-03-02T09:00:00+00:00"}]
    return told.made()


def test_a_case_left_waiting_for_the_vendor_passes_where_that_is_right() -> None:
    assert _waiting_for_the_vendor().failed() == set()
    assert _waiting_for_the_vendor().verdict().passed


def test_waiting_for_somebody_else_is_not_the_wait_that_is_right() -> None:
    played = _waiting_for_the_vendor()
    timeline = played.evidence.timelines[0]
    whom = {"role": None, "user": "anna.keller", "address": None}
    view = {**timeline.view, "waiting_on": [{"kind": "question", "id": "q", "whom": whom, "since": ""}]}
    evidence = played.evidence.model_copy(update={"timelines": (timeline.model_copy(update={"view": view}),)})
    assert Played(played.case, played.record, evidence).failed() == {"outcome-acceptable"}


def test_a_decision_still_open_is_no_wait() -> None:
    told = History("no-po", by="agent")
    told.opened()
    told.rules_ran("stop", "invoice", reason="unhandled")
    told.told("rules-stopped", "rules-stopped:NO_PO:unhandled", told.case_id, {"reason": "unhandled"})
    told.read("invoice")
    told.writes_to_vendor()
    told.proposes("hold", [told.records["invoice"].id], "clerk", None)
    assert {"outcome-acceptable", "erp-shows-outcome", "decided-by-role"} <= told.made().failed()


def test_a_policy_that_could_not_be_asked_once_and_refused_is_no_difference() -> None:
    def away(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        reasons = [{"code": "POLICY_UNAVAILABLE", "text": "it did not answer"}]
        asked = copy.deepcopy(data(evidence, "policy.asked", 0))
        nothing = dict.fromkeys(("revision", "policy_decision_id", "role", "user", "row"))
        row = insert(
            evidence, "case.opened", "policy.asked", **asked | nothing | {"effect": "stop", "reasons": reasons}
        )
        first = copy.deepcopy(evidence["policy"][0])
        evidence["policy"].append(first | {"seq": row["seq"], "policy": asked["policy"], "stored_effect": "stop"})

    assert altered(price_variance_small(), away).verdict().passed
