"""Two agents on the same cases: the difference, and when nobody may be ranked."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskworld.statistics import Pairs, difference, newcombe, overall, wilson

cells = st.integers(0, 40)
tables = st.tuples(cells, cells, cells, cells).filter(lambda one: sum(one) > 0)


def test_the_interval_is_the_published_one() -> None:
    # Newcombe 1998, the crossover trial of his table II: 36 both, 12 and 2 one alone, method 10
    assert newcombe(Pairs(36, 12, 2, 0)) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@given(tables)
def test_the_interval_holds_the_difference_and_turns_round_with_the_agents(table: tuple[int, int, int, int]) -> None:
    both, first, second, neither = table
    found, turned = newcombe(Pairs(*table)), newcombe(Pairs(both, second, first, neither))
    assert -1 <= found.low <= (first - second) / sum(table) <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), abs=1e-12)


@pytest.mark.parametrize(("rates", "number"), [((0.85, 0.05, 0.02), 60), ((0.5, 0.3, 0.1), 40), ((0.9, 0.1, 0.0), 73)])
def test_it_covers_the_true_difference_at_least_about_as_often_as_it_says(
    rates: tuple[float, float, float], number: int
) -> None:
    draw = Random(11)
    true, held, times = rates[1] - rates[2], 0, 600
    for _ in range(times):
        drawn = draw.choices(range(4), weights=[*rates, 1 - sum(rates)], k=number)
        found = newcombe(Pairs(*(drawn.count(kind) for kind in range(4))))
        held += found.low <= true <= found.high
    assert held / times >= 0.925


def test_agents_that_never_differed_are_not_told_apart() -> None:
    found = difference({str(n): Pairs(20, 0, 0, 0) for n in range(29)})
    assert (found.points, found.chance, found.told_apart) == (0.0, 1.0, False)
    assert found.interval.low < -0.1 < 0.1 < found.interval.high


def test_one_case_of_difference_is_noise() -> None:
    scenarios = {str(n): Pairs(20, 0, 0, 0) for n in range(28)}
    assert not difference({**scenarios, "28": Pairs(19, 1, 0, 0)}).told_apart


def test_a_difference_in_one_scenario_alone_ranks_nobody() -> None:
    # twenty runs of one situation are one situation
    found = difference({**{str(n): Pairs(20, 0, 0, 0) for n in range(9)}, "9": Pairs(0, 20, 0, 0)})
    assert found.chance < 0.001
    assert not found.told_apart


def test_a_difference_everywhere_is_told_apart() -> None:
    assert difference({str(n): Pairs(10, 8 + n % 3, 1, 2) for n in range(12)}).told_apart


def test_no_pairs_have_no_difference() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        difference({})


def test_a_failure_never_proves_more_than_none() -> None:
    sweep = overall([(20, 20)] * 29)
    one_failed = overall([*[(20, 20)] * 28, (19, 20)])
    assert one_failed.interval.low <= sweep.interval.low == wilson(29, 29).low
