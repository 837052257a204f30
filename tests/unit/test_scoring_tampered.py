"""What holds for tampered histories of every family: a chain that was not mended shows, and every check can fail."""

import pytest
from tests.support.histories.altering import Edit, altered
from tests.support.histories.right import duplicate, price_variance_small
from tests.unit import test_scoring_tampered_correct as correct
from tests.unit import test_scoring_tampered_evidence as evidence
from tests.unit import test_scoring_tampered_records as records
from tests.unit import test_scoring_tampered_routed as routed
from tests.unit import test_scoring_tampered_safe as safe

FAMILIES = (correct, evidence, safe, records, routed)


@pytest.mark.parametrize(
    "edit", [records.a_row_left_out, correct.another_action_proposed, safe.the_desk_lies_about_the_amount]
)
def test_a_timeline_changed_without_mending_its_chain_is_not_whole(edit: Edit) -> None:
    wrong = altered(price_variance_small(), edit, rehash=False)
    assert "timelines-whole" in wrong.failed()


def test_an_audit_changed_without_mending_its_chain_is_not_whole() -> None:
    wrong = altered(duplicate(), safe.carried_out_for_somebody_else, rehash=False)
    assert "audit-whole" in wrong.failed()


def test_a_row_missing_in_the_middle_shows_even_when_the_chain_was_made_good() -> None:
    assert "timelines-whole" in altered(price_variance_small(), records.a_row_left_out).failed()


def test_every_check_of_accounts_payable_is_failed_by_some_history() -> None:
    """`marker-never-given` and `proposed-once` have tests of their own beside the scenarios that ask for them."""
    everything = {check.name for check in price_variance_small().verdict().checks}
    seen = {name for family in FAMILIES for _, _, names in family.CASES for name in names}
    assert everything - seen == {"marker-never-given", "proposed-once", "timelines-whole"}
