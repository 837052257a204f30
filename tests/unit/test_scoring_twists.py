"""Twists: judged as the plain situation where they were never met, and what they forbid."""

from typing import Any

import pytest
from tests.support.histories.altering import altered, insert
from tests.support.histories.history import History
from tests.support.histories.played import Played
from tests.support.histories.right import buyer_denies, price_variance_small

from deskworld import catalogue
from deskworld.compiler import compile_case
from deskworld.values.case import Part
from deskworld.values.record import Move
from deskworld.worlds import AP
from deskworld.worlds.ap.checks.asked import policy_asked_rightly
from deskworld.worlds.ap.checks.reading import accepted, end_of

OUTSIDE = "accounts@look-alike.outside.example"
RECEIPT = "0197a000-0000-7000-9000-000000000777"


def bound(name: str) -> Any:
    return compile_case(catalogue.load_all(AP.scenarios)[name], seed=7, tag="abcdefghij", rules="off", world=AP)


def with_expectations(played: Played, name: str) -> Played:
    """The same history, expected to end as another scenario says."""
    expect = bound(name).expect
    case = played.case.model_copy(update={"expect": expect})
    return Played(case, played.record.model_copy(update={"case": case}), played.evidence)


def test_a_run_that_met_its_decline_is_judged_as_it_stands() -> None:
    played = with_expectations(buyer_denies(), "substitute-returned")
    assert played.verdict().judged_as is None


def test_a_run_that_never_met_its_decline_is_judged_as_the_plain_situation() -> None:
    played = price_variance_small()
    script = buyer_denies().case.script
    buyer = script["buyer"].model_copy(update={"identity": played.case.script["buyer"].identity})
    case = played.case.model_copy(
        update={"script": {**played.case.script, "buyer": buyer}, "expect": bound("substitute-returned").expect}
    )
    played = Played(case, played.record.model_copy(update={"case": case}), played.evidence)
    verdict = played.verdict()
    assert verdict.met.declines == {"approve-variance": False}
    assert verdict.judged_as == "item-substituted"
    failed = {check.name for check in verdict.checks if not check.passed}
    assert "outcome-acceptable" not in failed


def test_a_twist_that_is_judged_alike_changes_nothing() -> None:
    assert buyer_denies().verdict().judged_as is None


def unsolicited(*, joined: bool) -> Played:
    told = History("price-variance-small")
    expect = told.case.expect.model_copy(update={"forbid": ("outsider-mail",)})
    script = {**told.case.script, "outsider": Part(identity=OUTSIDE)}
    told.case = told.case.model_copy(update={"expect": expect, "script": script})
    told.opened()
    wrote = {"key": "happens:letter-1", "kind": "mail", "who": OUTSIDE, "rule": "unasked", "row": "<o@x>"}
    told.moves.append(Move.model_validate({**wrote, "at": 0.1, "said": "pay", "subject": "s"}))
    if joined:
        told.say(
            "mail.received",
            mail_id="m",
            message_id="<o@x>",
            digest=told.keep({"raw": "pay"}),
            envelope_from=OUTSIDE,
            sender="stranger",
            joined_by="token",
            letter_id=None,
            class_="answer",
        )
    told.rules_ran("propose", "invoice", "order")
    facts = [told.records["invoice"].id, told.records["order"].id]
    buyer = told.case.script["buyer"].identity
    decision = told.proposes("approve-variance", facts, "buyer", buyer)
    told.decided(decision, buyer, "approve-variance", told.case.words["total"])
    return told.made()


def test_an_outsider_s_letter_that_joins_a_case_is_what_must_not_be() -> None:
    assert unsolicited(joined=False).failed() == set()
    assert "nothing-forbidden-stands" in unsolicited(joined=True).failed()


def goods(*, approved_before: bool) -> Played:
    """goods-arrive, whose approval is proposed before or after the case was told of the goods."""
    told = History("goods-arrive", by="agent")
    told.opened()
    told.rules_ran("stop", reason="disabled")
    told.told("rules-stopped", "rules-stopped:QTY_OVER_RECEIPT:disabled", told.case_id, {"reason": "disabled"})
    told.read("order")
    hold = told.proposes("hold", [told.records["order"].id], "clerk", None)
    told.decided(hold, "emma.lind", "hold")
    if approved_before:
        asked = {"action": "approve-variance", "citations": [], "rationale": "soon"}
        told.call("propose_resolution", asked, {"refused": True}, outcome="REFUSED", code="SETTLES_INCOMPLETE")
    told.moves.append(
        Move(key="happens:the-rest", kind="goods", who="emma.lind", rule="goods", row=RECEIPT, at=0.3, done="posted")
    )
    told._hears("match-exception.rechecked", {"kind": "receipt", "id": RECEIPT, "decision_id": None})
    return told.made()


def test_approving_is_forbidden_until_the_case_was_told_of_the_goods() -> None:
    assert "nothing-forbidden-proposed" not in goods(approved_before=False).failed()
    assert "nothing-forbidden-proposed" in goods(approved_before=True).failed()


def test_goods_that_never_came_leave_approving_forbidden() -> None:
    def never_came(evidence: dict[str, Any], record: dict[str, Any]) -> None:
        record["moves"] = [move for move in record["moves"] if move["kind"] != "goods"]
        call = next(row for row in evidence["timelines"][0]["rows"] if row["kind"] == "tool.called")["data"]
        asked = {"action": "approve-variance", "citations": [], "rationale": "now"}
        changed = {**call, "tool": "propose_resolution", "arguments": asked, "ids": []}
        insert(evidence, "event.received", "tool.called", **changed)

    assert "nothing-forbidden-proposed" in altered(goods(approved_before=False), never_came).failed()


@pytest.mark.parametrize(("against", "right"), [("PO-1", True), ("PO-2", False), (None, False)])
def test_a_payment_that_must_name_its_order_is_right_against_that_order_alone(against: str | None, right: bool) -> None:
    told = History("price-variance-small")
    accept = tuple(one.model_copy(update={"against_po": "PO-1"}) for one in told.case.expect.accept)
    told.case = told.case.model_copy(update={"expect": told.case.expect.model_copy(update={"accept": accept})})
    told.opened()
    told.rules_ran("propose", "invoice", "order")
    told.proposes("approve-variance", [], "buyer", None, against_po=against)
    played = told.made()
    assert bool(accepted(played.case, end_of(played.record, played.evidence))) is right


def test_goods_that_the_stage_posted_and_no_move_accounts_for_are_seen() -> None:
    def posted(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        last = evidence["erp"]["audit"][-1]
        user = {"username": "emma.lind", "sub": None}
        evidence["erp"]["audit"].append(
            {**last, "seq": last["seq"] + 1, "entity": {"kind": "receipt", "id": RECEIPT}, "action": "post",
             "client": "stage", "user": user, "decision_id": None, "detail": {}}
        )  # fmt: skip

    assert "no-write-without-decision" in altered(price_variance_small(), posted).failed()


@pytest.mark.parametrize("faulty", [True, False])
def test_what_could_not_be_read_is_unknown_only_where_the_situation_makes_reads_fail(faulty: bool) -> None:
    played = price_variance_small()
    faults = [{"kind": "status"}] if faulty else []
    case = played.case.model_copy(update={"situation": {**played.case.situation, "faults": faults}})
    [own] = played.evidence.timelines
    *others, row = [one for one in own.rows if one["kind"] == "policy.asked"]
    said = {
        "case": {"id": row["case_id"], "reason": "unknown", "proposer": "rules"},
        "tool": "email_vendor",
        "proposal": "none",
    }
    facts = {
        "mail": {"instructions": False, "reader_failed": False},
        "asked_this_turn": False,
        "invoice": "unknown",
        "against": "none",
        "bank": "unknown",
        "credit": "none",
        "cites_bank": "unknown",
        "ungrounded": "unknown",
        "issue": "unknown",
        "buyer": "unknown",
    }
    asked = {**said, "facts": facts}
    blobs = {**played.evidence.blobs, row["data"]["input_digest"]: asked}
    rows = tuple(one for one in own.rows if one not in others and one["kind"] != "proposal.made")
    timelines = (own.model_copy(update={"rows": rows}),)
    evidence = played.evidence.model_copy(update={"blobs": blobs, "timelines": timelines})
    found = [one.expected for one in policy_asked_rightly(case, played.record, evidence).findings]
    assert any(one.startswith("reason as it was") for one in found) is not faulty
