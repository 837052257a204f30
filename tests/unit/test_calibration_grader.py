"""The grader under attack: a changed fact is caught though all is mended, a reordering that says the same is not."""

import json

import pytest
from tests.support.stored_runs import run, stored

from deskworld.calibration.fields import FIELDS
from deskworld.calibration.grader import LEAST, Attacked, attack
from deskworld.calibration.mutants import carried_out, mutations
from deskworld.calibration.trials import lied
from deskworld.scoring import score
from deskworld.values.evidence import Evidence
from deskworld.values.kinds import KINDS
from deskworld.worlds.ap.checks import CHECKS, JUDGING
from deskworld.worlds.ap.checks.ungraded import ONCE_GOODS_CAME, REASONS, ungraded
from deskworld.worlds.ap.suspects import CALIBRATION


@pytest.fixture(scope="module")
def attacked() -> Attacked:
    return attack([run("duplicate")], CHECKS, ungraded=ungraded, each=1)


@pytest.mark.parametrize("name", ["price-variance-small", "duplicate", "injected-reply"])
def test_a_stored_run_that_passed_passes_again(name: str) -> None:
    found = run(name)
    verdict = score(found.judged, found.record, found.evidence, CHECKS)
    assert [(check.name, check.findings) for check in verdict.checks if not check.passed] == []


def test_at_least_95_of_100_changed_facts_are_caught_and_what_is_not_is_listed(attacked: Attacked) -> None:
    assert attacked.facts > 250
    assert attacked.share >= LEAST, [(one.target, one.operator) for one in attacked.holes]
    assert attacked.caught + len(attacked.survivors) == attacked.facts + sum(
        one.ungraded is not None for one in attacked.survivors
    )


def test_no_reordering_that_says_the_same_raises_an_alarm(attacked: Attacked) -> None:
    assert attacked.reordered > 12
    assert attacked.alarms == ()


def test_a_grader_that_looks_at_less_is_noticed() -> None:
    """The score is of the checks, not of the mending: without those of the records it falls far."""
    assert not attack([run("duplicate")], JUDGING, ungraded=ungraded, each=1).passed


def test_no_runs_are_no_proof() -> None:
    assert not attack([], CHECKS, ungraded=ungraded).passed


def test_every_field_of_every_kind_has_a_type_that_changes_are_made_by() -> None:
    assert {kind: frozenset(fields) for kind, fields in FIELDS.items()} == KINDS


def test_every_field_of_the_rows_is_changed_and_every_row_dropped_doubled_and_moved() -> None:
    evidence = json.loads(run("injected-reply").evidence.model_dump_json())
    targets = {(one.target, one.operator) for one in mutations(evidence)}
    kinds = {row["kind"] for timeline in evidence["timelines"] for row in timeline["rows"]}
    for kind in kinds:
        assert {(f"row {kind}", "dropped"), (f"row {kind}", "twice")} <= targets
        for field in FIELDS[kind]:
            assert any(target.split("[")[0].startswith(f"{kind}.{field}") for target, _ in targets) or field == "usage"


def test_a_changed_record_is_mended_so_that_no_chain_gives_it_away() -> None:
    found = run("duplicate")
    text = found.evidence.model_dump_json()
    untouched = carried_out(text, next(mutations(json.loads(text))))
    evidence = Evidence.model_validate(untouched)
    verdict = score(found.judged, found.record, evidence, CHECKS)
    failed = {check.name for check in verdict.checks if not check.passed}
    assert failed
    assert not failed & {"timelines-whole", "audit-whole", "blobs-whole"}


def test_what_is_not_graded_says_why() -> None:
    record = run("duplicate").record
    assert ungraded("case.moved.why", "other words", record)
    assert ungraded("command.applied.amount", "a cent more", record) is None
    assert all(why for _, _, why in (*REASONS, *ONCE_GOODS_CAME))


def test_an_amount_that_no_match_changed_any_more_is_graded() -> None:
    """What is excused because goods came is excused of no other run."""
    record = run("redelivered").record
    came = record.model_copy(update={"moves": (record.moves[-1].model_copy(update={"kind": "goods"}),)})
    assert ungraded("blob of policy.asked.facts.issue", "another word", came)
    assert ungraded("blob of policy.asked.facts.issue", "another word", record) is None


def test_a_desk_that_says_applied_where_the_erp_did_nothing_is_caught_by_what_it_was_made_for() -> None:
    found = stored("duplicate")
    trial = lied(found, CHECKS, CALIBRATION)
    assert trial.wrong is None
    assert {"desk-and-erp-agree", "erp-shows-outcome"} <= trial.failed
