"""Where more runs are spent, how many more are needed, and rules that decided one situation in two ways."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deskworld.statistics import Ended, differing, runs_at_rate, runs_for, wilson, worth_repeating


def test_runs_are_spent_where_the_answer_varies() -> None:
    answers = {"steady": ["pass"] * 5, "divided": ["pass", "fail", "pass"], "wavers": ["pass"] * 9 + ["fail"]}
    chosen = worth_repeating(answers, 10)
    assert len(chosen) == 10
    assert set(chosen) <= {"divided", "wavers"}
    assert chosen.count("divided") > chosen.count("wavers")


def test_where_nothing_varies_nothing_is_spent() -> None:
    assert worth_repeating({"one": ["pass"] * 3, "two": ["fail"] * 3}, 10) == ()


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("xy"), min_size=1)), st.integers(0, 30))
def test_the_whole_budget_is_spent_or_none_of_it(answers: dict[str, list[str]], budget: int) -> None:
    chosen = worth_repeating(answers, budget)
    varying = {name for name, given_ in answers.items() if len(set(given_)) > 1}
    assert len(chosen) == (budget if varying else 0)
    assert set(chosen) <= varying


counts = st.integers(1, 400).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))


@given(counts, st.floats(0.05, 0.99))
def test_so_many_runs_at_the_same_rate_prove_it_and_fewer_do_not(count: tuple[int, int], bound: float) -> None:
    passed, runs = count
    needed = runs_at_rate(passed, runs, bound)
    if needed is None:
        assert passed / runs <= bound
        return
    assume(needed < 10**9)
    rate = passed / runs
    assert wilson(rate * needed, needed).low >= bound
    assert needed <= 1 or wilson(rate * (needed - 1), needed - 1).low < bound


def test_thirty_five_without_a_failure_prove_nine_in_ten() -> None:
    assert runs_at_rate(29, 29, 0.9) == runs_for(0.9) == 35


@pytest.mark.parametrize("bound", [0, 1])
def test_no_number_of_runs_proves_certainty(bound: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        runs_at_rate(1, 1, bound)


def test_rules_that_settled_one_situation_in_two_ways_are_named() -> None:
    runs = [
        *(Ended("price", "rules", "approve-variance") for _ in range(3)),
        Ended("price", "rules", "hold"),
        Ended("price", "agent", "reject"),
        Ended("facts", "rules+facts", None),
        Ended("facts", "rules+facts", "hold"),
        Ended("duplicate", "rules", "reject"),
        Ended("duplicate", "erp", "hold"),
    ]
    assert differing(runs) == {
        "price": {"approve-variance": 3, "hold": 1},
        "facts": {"hold": 1, "no proposal": 1},
    }


def test_an_agent_may_answer_as_it_likes() -> None:
    assert differing([Ended("x", "agent", "hold"), Ended("x", "agent", "reject")]) == {}
