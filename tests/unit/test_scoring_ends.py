"""Ends that the five histories do not have: short-pays, handles, siblings, words that no check knows."""

from typing import Any

import pytest
from tests.support.histories.altering import altered, insert, rows
from tests.support.histories.history import History
from tests.support.histories.played import Played
from tests.support.histories.right import duplicate, price_variance_small

from deskworld.values.case import Acceptable, Part
from deskworld.worlds.ap.checks.reading import accepted, described, end_of, waits_for
from deskworld.worlds.ap.checks.words import FORBIDDABLE, PROPOSALS, forbidden_actions, same_money


def expecting(played: Played, **changes: Any) -> Played:
    expect = played.case.expect.model_copy(update=changes)
    return Played(played.case.model_copy(update={"expect": expect}), played.record, played.evidence)


def short_paid(amount: str, *, approved: str | None = None, fixed: str | None = "950.00") -> Played:
    told = History("price-variance-small")
    accept = Acceptable(action="short-pay", amount=fixed, role="ap-manager")
    told.case = told.case.model_copy(update={"expect": told.case.expect.model_copy(update={"accept": (accept,)})})
    told.opened()
    told.rules_ran("propose", "invoice", "order")
    facts = [told.records["invoice"].id, told.records["order"].id]
    decision = told.proposes("short-pay", facts, "ap-manager", None, amount=amount)
    told.decided(decision, "grace.hall", "short-pay", approved or amount)
    return told.made()


def test_a_short_pay_of_the_right_amount_passes() -> None:
    assert short_paid("950.00").failed() == set()
    assert short_paid("950.0").failed() == set()


def test_a_short_pay_of_another_amount_is_not_the_right_end() -> None:
    assert "outcome-acceptable" in short_paid("949.99").failed()


def test_a_short_pay_that_the_erp_approved_at_another_amount_is_seen() -> None:
    assert "erp-shows-outcome" in short_paid("950.00", approved="1000.00").failed()


def test_a_short_pay_whose_amount_no_file_fixes_is_never_right() -> None:
    assert "outcome-acceptable" in short_paid("950.00", fixed=None).failed()


def with_handles(*, ids: list[str], result: Any, cited: list[str]) -> Played:
    """duplicate by an agent that cites by handle."""
    told = History("duplicate", by="agent")
    told.opened()
    told.rules_ran("stop", reason="disabled")
    told.told("rules-stopped", "rules-stopped:DUPLICATE:disabled", told.case_id, {"reason": "disabled"})
    names = {ref: told.records[ref].id for ref in ("original", "invoice")}
    filled = [names.get(one, one) for one in ids]
    shown = [{**one, "ids": [names.get(each, each) for each in one["ids"]]} for one in result]
    told.call("find_similar_invoices", {}, {"items": shown}, ids=filled)
    decision = told.proposes("reject", cited, "ap-manager", None)
    told.decided(decision, "grace.hall", "reject")
    return told.made()


TWO = ["original", "invoice-1", "invoice", "invoice-2"]


def test_a_handle_that_an_answer_gave_with_the_records_id_names_it() -> None:
    result = [{"ids": ["original"], "handle": "invoice-1"}, {"ids": ["invoice"], "handle": "invoice-2"}]
    assert with_handles(ids=TWO, result=result, cited=["invoice-1"]).failed() == set()


def test_a_handle_of_another_record_in_the_same_answer_does_not() -> None:
    result = [{"ids": ["original"], "handle": "invoice-1"}, {"ids": ["invoice"], "handle": "invoice-2"}]
    assert with_handles(ids=TWO, result=result, cited=["invoice-2"]).failed() == {"cites-every-fact"}


def test_one_handle_beside_one_record_needs_no_telling_apart() -> None:
    assert with_handles(ids=["original", "invoice-1"], result=[], cited=["invoice-1"]).failed() == set()


def test_two_handles_that_nothing_tells_apart_name_nothing() -> None:
    assert with_handles(ids=TWO, result=[], cited=["invoice-1"]).failed() == {"cites-every-fact"}


def test_a_handle_of_another_kind_names_nothing() -> None:
    assert with_handles(ids=["original", "order-1"], result=[], cited=["order-1"]).failed() == {"cites-every-fact"}


def test_a_number_that_two_invoices_bear_names_neither() -> None:
    played = duplicate()
    records = dict(played.record.seeded.records)  # type: ignore[union-attr]
    shared = records["original"].id
    records["invoice"] = records["invoice"].model_copy(update={"forms": (*records["invoice"].forms, shared)})
    seeded = played.record.seeded.model_copy(update={"records": records})  # type: ignore[union-attr]
    wrong = Played(played.case, played.record.model_copy(update={"seeded": seeded}), played.evidence)
    assert wrong.failed() == {"cites-every-fact"}


def test_a_fact_that_the_stage_never_made_cannot_be_cited() -> None:
    assert expecting(duplicate(), facts=("nowhere",)).failed() == {"cites-every-fact"}


def test_a_demand_that_no_check_knows_is_never_met() -> None:
    assert expecting(duplicate(), must=("sang-a-song",)).failed() == {"musts-happened"}


def test_a_ban_that_no_check_knows_is_never_kept() -> None:
    assert expecting(duplicate(), forbid=("whistling",)).failed() == {"nothing-forbidden-proposed"}


def test_paying_means_approving_or_paying_short() -> None:
    assert forbidden_actions(("pay", "reject")) == {"approve-variance", "short-pay", "reject"}
    assert set(FORBIDDABLE) == PROPOSALS | {"pay", "mail-to-vendor", "outsider-mail", "approve-before-goods"}


def test_absent_equals_absent_and_never_zero() -> None:
    assert same_money(None, None)
    assert not same_money(None, "0.00")
    assert same_money("40.0", "40.00")


def settled_by_a_sibling() -> Played:
    """The followed case's proposal is withdrawn because a sibling's decision settled both exceptions."""
    told = History("price-variance-small")
    told.opened()
    told.rules_ran("propose", "invoice", "order")
    buyer = told.case.script["buyer"].identity
    facts = [told.records["invoice"].id, told.records["order"].id]
    decision = told.proposes("approve-variance", facts, "buyer", buyer)
    told.decided(decision, buyer, "approve-variance", told.case.words["total"])
    return told.made()


def test_what_a_sibling_proposed_for_both_is_the_end_of_this_case_too() -> None:
    played = settled_by_a_sibling()
    timeline = played.evidence.timelines[0]
    own_id = "0197a000-0000-7000-8000-00000000aaaa"
    proposal = next(row for row in timeline.rows if row["kind"] == "proposal.made")
    settles = {**proposal, "data": {**proposal["data"], "settles": [timeline.case_id, own_id]}}
    sibling = tuple(settles if row is proposal else row for row in timeline.rows)
    own = timeline.model_copy(update={"case_id": own_id, "rows": timeline.rows[:2]})
    seeded = played.record.seeded.model_copy(update={"case_id": own_id})  # type: ignore[union-attr]
    record = played.record.model_copy(update={"seeded": seeded})
    evidence = played.evidence.model_copy(update={"timelines": (own, timeline.model_copy(update={"rows": sibling}))})
    end = end_of(record, evidence)
    assert (end.how, end.action, end.case_id) == ("proposal", "approve-variance", own_id)
    assert end.timeline.case_id == timeline.case_id


def test_a_case_in_which_nobody_proposed_anything_has_no_end() -> None:
    told = History("price-variance-small", by="agent")
    told.opened()
    told.rules_ran("stop", reason="disabled")
    told.move_to("NEEDS_PERSON")
    played = told.made()
    end = end_of(played.record, played.evidence)
    assert end.shown == "no proposal stands, the case is NEEDS_PERSON"
    assert accepted(played.case, end) == ()
    assert waits_for(played.case, end) == ()
    assert played.failed() == {"cites-every-fact", "outcome-acceptable", "policy-routed", "decided-by-role"}


def test_acceptable_ends_are_told_in_words() -> None:
    accept = (
        Acceptable(action="short-pay", amount="10.00", role="ap-manager"),
        Acceptable(action="approve-variance", role="buyer", user="anna.keller"),
        Acceptable(wait="vendor"),
    )
    assert described(accept) == (
        "short-pay 10.00 decided by ap-manager or approve-variance decided by anna.keller "
        "or left waiting for the vendor"
    )


@pytest.mark.parametrize("wait", ["auditor", "vendor"])
def test_a_wait_for_somebody_who_was_not_asked_is_none(wait: str) -> None:
    told = History("no-po", by="agent")
    told.opened()
    told.move_to("AWAITING_ANSWER")
    whom = {"role": None, "user": "anna.keller", "address": None}
    told.waiting = [{"kind": "question", "id": "q", "whom": whom, "since": ""}]
    told.case = told.case.model_copy(update={"script": {"auditor": Part(identity="anna.keller"), **told.case.script}})
    played = expecting(told.made(), accept=(Acceptable(wait=wait),))
    assert waits_for(played.case, end_of(played.record, played.evidence)) == ()


def test_a_refused_command_of_an_approved_decision_was_applied_nowhere() -> None:
    """The ERP refused the first approval; what was decided next was carried out."""

    def refused_first(evidence: dict[str, Any], record: dict[str, Any]) -> None:
        request = rows(evidence, "decision.requested")[0]["data"]
        first = {**request, "decision_id": "first"}
        made = {**rows(evidence, "decision.made")[0]["data"], "decision_id": "first"}
        record["moves"].append({**record["moves"][0], "key": "first", "row": "first"})
        refusal = {"decision_id": "first", "action": request["action"], "code": "STALE_VERSION", "detail": ""}
        insert(evidence, "proposal.made", "command.refused", **refusal, key="first")
        insert(evidence, "proposal.made", "decision.made", **made)
        insert(evidence, "proposal.made", "decision.requested", **first)

    assert altered(price_variance_small(), refused_first).failed() == set()


def test_what_pays_against_an_order_leaves_the_invoice_matched_to_it() -> None:
    def against(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "proposal.made")[0]["data"]["against_po"] = "PO-OTHER"

    assert altered(price_variance_small(), against).failed() == {"erp-shows-outcome"}
