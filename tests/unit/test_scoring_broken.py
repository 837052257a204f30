"""What broke, what was not heard and what never settled is no pass, and says whose fault it was where certain."""

from typing import Any, get_args

import pytest
from tests.support.histories.altering import altered, insert
from tests.support.histories.played import Played
from tests.support.histories.right import no_po, price_variance_small

from deskworld.scoring import score
from deskworld.values.record import Ending, Record
from deskworld.values.verdict import Verdict
from deskworld.worlds.ap.checks import JUDGING

CAUSES = {
    "stalled": "unclassified",
    "timeout": "unclassified",
    "move-lost": "unclassified",
    "slip": "scorer",
    "failed": "infrastructure",
    "interrupted": "infrastructure",
}


def verdict_of(played: Played, **changes: Any) -> Verdict:
    record = Record.model_validate({**played.record.model_dump(), **changes})
    return score(played.case, record, played.evidence, JUDGING)


@pytest.mark.parametrize("ending", [one for one in get_args(Ending) if one != "settled"])
def test_a_run_that_did_not_settle_never_passes_however_right_its_rows_are(ending: str) -> None:
    verdict = verdict_of(price_variance_small(), ending=ending, settled=None, problem="no row came")
    assert not verdict.passed
    assert verdict.broken == f"{ending}: no row came"
    assert verdict.cause == CAUSES[ending]


def test_an_ending_without_a_reason_says_that_there_is_none() -> None:
    verdict = verdict_of(price_variance_small(), ending="timeout", settled=None)
    assert verdict.broken == "timeout: no reason was given"


def test_a_run_called_settled_without_a_reason_is_the_scorers_fault() -> None:
    verdict = verdict_of(price_variance_small(), settled=None)
    assert (verdict.passed, verdict.cause) == (False, "scorer")


def test_a_settled_run_with_a_problem_on_record_does_not_pass() -> None:
    verdict = verdict_of(price_variance_small(), problem="the stream broke once")
    assert (verdict.passed, verdict.broken) == (False, "the stream broke once")


@pytest.mark.parametrize("witness", ["erp", "mail", "policy", "identity"])
def test_a_witness_that_was_not_heard_is_infrastructure_and_no_pass(witness: str) -> None:
    played = price_variance_small()
    evidence = played.evidence.model_copy(update={witness: None})
    verdict = score(played.case, played.record, evidence, JUDGING)
    assert not verdict.passed
    assert verdict.cause == "infrastructure"
    assert verdict.broken == f"missing: the {witness} witness"
    assert verdict.checks == ()


def test_no_evidence_at_all_is_no_pass() -> None:
    played = price_variance_small()
    verdict = score(played.case, played.record, None, JUDGING)
    assert (verdict.passed, verdict.broken) == (False, "missing: no evidence was collected")


def test_a_case_that_was_never_seeded_is_no_pass() -> None:
    verdict = verdict_of(price_variance_small(), seeded=None)
    assert (verdict.passed, verdict.broken) == (False, "missing: the situation was never seeded")


def test_a_case_that_failed_before_it_was_seeded_tells_what_broke() -> None:
    changes = {"seeded": None, "settled": None, "ending": "failed", "problem": "the stage answered 503"}
    assert verdict_of(price_variance_small(), **changes).broken == "failed: the stage answered 503"


def test_a_timeline_that_is_not_there_is_a_missing_witness() -> None:
    played = price_variance_small()
    evidence = played.evidence.model_copy(update={"timelines": ()})
    verdict = score(played.case, played.record, evidence, JUDGING)
    assert verdict.broken is not None
    assert "timeline of case" in verdict.broken


def test_a_siblings_timeline_that_is_not_there_is_a_missing_witness() -> None:
    played = price_variance_small()
    seeded = played.record.seeded.model_copy(update={"siblings": ("another",)})  # type: ignore[union-attr]
    assert verdict_of(played, seeded=seeded).cause == "infrastructure"


def test_a_policy_answer_that_could_not_be_replayed_is_a_missing_witness() -> None:
    played = price_variance_small()
    for replays in (
        played.evidence.policy[:-1],  # type: ignore[index]
        tuple(one.model_copy(update={"replayed": None}) for one in played.evidence.policy or ()),
        (),
    ):
        evidence = played.evidence.model_copy(update={"policy": replays})
        verdict = score(played.case, played.record, evidence, JUDGING)
        assert (verdict.passed, verdict.cause) == (False, "infrastructure")


def test_an_erp_with_nothing_to_say_is_not_one_that_was_not_heard() -> None:
    played = price_variance_small()
    verdict = score(played.case, played.record, played.evidence.model_copy(update={"erp": {}}), JUDGING)
    assert verdict.broken is None
    assert not verdict.passed


def test_an_empty_mailbox_is_an_answer() -> None:
    assert price_variance_small().evidence.mail == ()
    assert price_variance_small().verdict().passed


def test_a_turn_that_its_provider_gave_up_before_another_one_ended_well_is_no_fault() -> None:
    def gave_up(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        insert(evidence, "turn.started", "turn.ended", turn_id="t", how="PROVIDER", usage=[], fingerprint="", labels=[])

    assert altered(no_po(), gave_up).verdict().passed


def test_the_last_turn_that_its_provider_gave_up_is_infrastructure() -> None:
    def gave_up(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        insert(evidence, "turn.ended", "turn.ended", turn_id="t", how="PROVIDER", usage=[], fingerprint="", labels=[])

    verdict = altered(no_po(), gave_up).verdict()
    assert (verdict.passed, verdict.cause) == (False, "infrastructure")


@pytest.mark.parametrize("gone", ["view", "data", "kind"])
def test_evidence_without_its_form_is_never_a_pass_and_never_a_crash(gone: str) -> None:
    played = price_variance_small()
    timeline = played.evidence.timelines[0]
    if gone == "view":
        broken = timeline.model_copy(update={"view": {}})
    else:
        rows = tuple({key: value for key, value in row.items() if key != gone} for row in timeline.rows)
        broken = timeline.model_copy(update={"rows": rows})
    evidence = played.evidence.model_copy(update={"timelines": (broken,)})
    verdict = score(played.case, played.record, evidence, JUDGING)
    assert not verdict.passed
    assert verdict.cause is not None


def test_a_failure_of_the_rules_is_our_systems() -> None:
    def uncited(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        for row in evidence["timelines"][0]["rows"]:
            if row["kind"] == "proposal.made":
                row["data"]["citations"] = []
            if row["kind"] == "tool.called" and "citations" in row["data"]["arguments"]:
                row["data"]["arguments"]["citations"] = []

    assert altered(price_variance_small(), uncited).verdict().cause == "our system"
    assert altered(price_variance_small("agent"), uncited).verdict().cause == "unclassified"


def test_a_tool_that_was_never_offered_is_the_models_doing() -> None:
    def invented(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        call = next(row for row in evidence["timelines"][0]["rows"] if row["kind"] == "tool.called")["data"]
        insert(evidence, "turn.started", "tool.called", **{**call, "tool": "wire_money", "ids": []})

    assert altered(price_variance_small("agent"), invented).verdict().cause == "model"
