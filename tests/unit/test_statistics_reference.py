"""Intervals, tests and errors against statsmodels, scipy and numpy."""

import gc
import warnings
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskworld.statistics import Pairs, difference, holm, newcombe, overall, quantile, uneven, wilson
from deskworld.statistics.students import two_sided

counts = st.integers(1, 2000).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))
few = st.integers(2, 60).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))
cells = st.integers(0, 40)
tables = st.tuples(cells, cells, cells, cells).filter(lambda one: sum(one) > 0)


@pytest.fixture(scope="module")
def library() -> Iterator[SimpleNamespace]:
    """Imported here, since it takes seconds in each process that only collects these tests. statsmodels collects
    garbage at every call: not through all that other tests left in this process, which takes a second each time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = SimpleNamespace(
            np=import_module("numpy"),
            sm=import_module("statsmodels.api"),
            t=import_module("scipy.stats").t,
            mcnemar=import_module("statsmodels.stats.contingency_tables").mcnemar,
            multipletests=import_module("statsmodels.stats.multitest").multipletests,
            proportion=import_module("statsmodels.stats.proportion"),
        )
    gc.collect()
    gc.freeze()
    yield loaded
    gc.unfreeze()


def clustered(library: SimpleNamespace, outcomes: list[float], groups: list[int]) -> tuple[float, float]:
    """The mean, and its standard error where outcomes of a group resemble each other."""
    ones = library.np.ones(len(outcomes))
    fitted = library.sm.OLS(outcomes, ones).fit(cov_type="cluster", cov_kwds={"groups": groups})
    return float(fitted.params[0]), float(fitted.bse[0])


@given(counts)
def test_the_interval_is_wilsons(library: SimpleNamespace, count: tuple[int, int]) -> None:
    passed, runs = count
    expected = library.proportion.proportion_confint(passed, runs, alpha=0.05, method="wilson")
    assert wilson(passed, runs) == pytest.approx(expected, abs=1e-12)


@given(st.lists(few, min_size=2, max_size=12))
def test_the_overall_error_is_the_clustered_one(library: SimpleNamespace, found: list[tuple[int, int]]) -> None:
    outcomes: list[float] = []
    groups: list[int] = []
    for group, (passed, runs) in enumerate(found):
        outcomes += [1.0] * passed + [0.0] * (runs - passed)
        groups += [group] * runs
    ours = overall(found)
    assert ours.error == pytest.approx(clustered(library, outcomes, groups)[1], abs=1e-9)
    assert ours.interval.low <= ours.passed / ours.runs <= ours.interval.high
    assert ours.effective <= ours.runs


@pytest.mark.parametrize("share", [0.5, 0.95, 1.0])
def test_percentiles_are_numpys_inverted_cdf(library: SimpleNamespace, share: float) -> None:
    values = [((n * 7919) % 101) / 10 for n in range(1, 60)]
    assert quantile(values, share) == library.np.quantile(values, share, method="inverted_cdf")


@given(st.integers(1, 200), st.integers(0, 200))
def test_without_correlation_it_is_newcombes_interval_of_two_samples(
    library: SimpleNamespace, number: int, more: int
) -> None:
    # a first agent that passed everything leaves an empty margin, and so no correlation
    first = number + more
    two_samples = library.proportion.confint_proportions_2indep
    expected = two_samples(first, first, number, first, method="newcomb", compare="diff")
    assert newcombe(Pairs(number, more, 0, 0)) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_chance_of_so_uneven_a_split_is_mcnemars(library: SimpleNamespace, first: int, second: int) -> None:
    expected = library.mcnemar([[1, first], [second, 1]], exact=True).pvalue
    assert uneven(first, second) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_many_looks_are_corrected_as_holm_did(library: SimpleNamespace, chances: list[float]) -> None:
    assert holm(chances) == pytest.approx(tuple(library.multipletests(chances, method="holm")[1]))


@given(st.integers(1, 2000))
def test_few_groups_are_known_as_well_as_student_says(library: SimpleNamespace, freedom: int) -> None:
    assert two_sided(freedom) == pytest.approx(library.t.ppf(0.975, freedom), abs=1e-9)


@given(st.lists(tables, min_size=2, max_size=10))
def test_the_error_of_the_difference_is_clustered_by_scenario(
    library: SimpleNamespace, found: list[tuple[int, int, int, int]]
) -> None:
    outcomes: list[float] = []
    groups: list[int] = []
    for group, (both, first, second, neither) in enumerate(found):
        outcomes += [0] * both + [1] * first + [-1] * second + [0] * neither
        groups += [group] * (both + first + second + neither)
    ours = difference({str(group): Pairs(*one) for group, one in enumerate(found)})
    points, error = clustered(library, outcomes, groups)
    assert ours.points == pytest.approx(points, abs=1e-12)
    assert ours.error == pytest.approx(error, abs=1e-9)
