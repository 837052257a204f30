"""A right history with one fact changed fails, and says whose fault it is; each test names the checks that see it."""

from collections.abc import Callable, Sequence

import pytest
from tests.support.histories.altering import Edit, altered
from tests.support.histories.played import Played

# the right history, what is changed in it, the names of all checks that fail for it
Tampering = tuple[Callable[[], Played], Edit, set[str]]


def each(cases: Sequence[Tampering]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("right", "edit", "seen_by"), cases, ids=[edit.__name__ for _, edit, _ in cases])


def failed_of(right: Callable[[], Played], edit: Edit) -> set[str]:
    """Names of the checks that fail; the verdict is no pass and gives a cause, or this raises AssertionError."""
    wrong = altered(right(), edit)
    verdict = wrong.verdict()
    assert not verdict.passed, verdict
    assert verdict.cause is not None, verdict
    return wrong.failed()
