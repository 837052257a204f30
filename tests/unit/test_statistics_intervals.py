"""What intervals say of any count, and what the printed figures may not claim."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deskworld.statistics import (
    Interval,
    clean_sweep,
    interval_text,
    overall,
    pass_hat,
    quantile,
    runs_for,
    share_text,
    wilson,
)

counts = st.integers(1, 2000).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))


@given(counts)
def test_the_interval_holds_the_rate_and_stays_between_nothing_and_all(count: tuple[int, int]) -> None:
    passed, runs = count
    low, high = wilson(passed, runs)
    assert 0 <= low <= passed / runs <= high <= 1


@given(counts)
def test_one_more_pass_never_lowers_the_bound(count: tuple[int, int]) -> None:
    passed, runs = count
    assume(passed < runs)
    assert wilson(passed + 1, runs).low > wilson(passed, runs).low


def test_no_runs_have_no_interval() -> None:
    with pytest.raises(ValueError, match="no runs"):
        wilson(0, 0)


@pytest.mark.parametrize("count", [(3, 2), (-1, 2)])
def test_counts_that_cannot_be_are_refused(count: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot have passed"):
        wilson(*count)


def test_twenty_of_twenty_proves_83_8_percent_and_95_percent_needs_73_of_73() -> None:
    assert 0.838 < clean_sweep(20) < 0.839
    assert runs_for(0.95) == 73
    assert clean_sweep(72) < 0.95 <= clean_sweep(73)


@given(st.floats(0.01, 0.999))
def test_a_sweep_of_that_many_proves_it_and_one_fewer_does_not(bound: float) -> None:
    runs = runs_for(bound)
    assert clean_sweep(runs) >= bound
    assert runs == 1 or clean_sweep(runs - 1) < bound


@pytest.mark.parametrize("bound", [0, 1, 1.5])
def test_no_number_of_runs_proves_certainty(bound: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        runs_for(bound)


def test_548_of_550_is_never_printed_as_all_of_them() -> None:
    assert share_text(548, 550) == "548/550 (99.6 %)"
    assert share_text(550, 550) == "550/550 (100.0 %)"
    assert share_text(0, 0) == "0/0"


@given(counts)
def test_only_all_of_them_are_printed_as_100_percent(count: tuple[int, int]) -> None:
    passed, runs = count
    assert ("(100.0 %)" in share_text(passed, runs)) == (passed == runs)


@given(counts)
def test_printed_bounds_are_rounded_outward(count: tuple[int, int]) -> None:
    interval = wilson(*count)
    low, high = interval_text(interval).strip("[] %").split(", ")
    assert float(low) <= interval.low * 100 + 1e-9
    assert float(high) >= interval.high * 100 - 1e-9
    assert float(high) - float(low) <= (interval.high - interval.low) * 100 + 0.2


def test_a_sweep_of_twenty_is_printed_with_its_bound() -> None:
    assert interval_text(wilson(20, 20)) == "[83.8, 100.0] %"
    assert interval_text(Interval(0.83899, 0.999001)) == "[83.8, 100.0] %"


def test_runs_that_all_resemble_each_other_prove_as_much_as_their_situations() -> None:
    whole = overall([(20, 20)] * 29)
    assert (whole.passed, whole.runs, whole.situations) == (580, 580, 29)
    assert whole.interval == wilson(29, 29)


def test_one_scenario_proves_one_situation() -> None:
    assert overall([(20, 20)]).interval == wilson(1, 1)


def test_scenarios_without_runs_count_for_nothing() -> None:
    assert overall([(20, 20), (0, 0)]).situations == 1
    with pytest.raises(ValueError, match="no runs"):
        overall([(0, 0)])


def test_two_scenarios_that_divide_prove_nothing() -> None:
    low, high = overall([(20, 20), (0, 20)]).interval
    assert low < 0.1
    assert high > 0.9


@given(counts, st.integers(1, 5))
def test_pass_hat_is_the_share_of_draws_that_all_pass(count: tuple[int, int], k: int) -> None:
    passed, runs = count
    expected = math.comb(passed, k) / math.comb(runs, k) if runs >= k else None
    assert pass_hat([count], k) == (expected if expected is None else pytest.approx(expected))


def test_pass_hat_is_averaged_over_the_scenarios_that_have_enough_runs() -> None:
    assert pass_hat([(2, 2), (1, 2), (1, 1)], 2) == 0.5
    assert pass_hat([(1, 1)], 2) is None
    with pytest.raises(ValueError, match="no run"):
        pass_hat([(1, 1)], 0)


@given(st.lists(st.floats(0, 1000), min_size=1), st.floats(0.01, 1))
def test_percentiles_are_measured_times(values: list[float], share: float) -> None:
    found = quantile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9


def test_nothing_measured_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile([1.0], 0.0)
