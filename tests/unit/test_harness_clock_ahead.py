"""How far a door's clock is off is said only as far as it is certain: a slow answer is no wrong clock."""

import pytest

from deskworld.doors.probe import clock_ahead


@pytest.mark.parametrize(
    ("told", "asked", "answered", "ahead"),
    [
        (1000, 1000.4, 1000.6, 0.0),  # the whole second in which it was asked
        (1000, 999.9, 1007.0, 0.0),  # told at once, and heard seven seconds later
        (1006, 999.9, 1007.0, 0.0),  # told at the end of the wait
        (1090, 1000.2, 1000.5, 89.5),
        (960, 1000.2, 1000.5, -39.2),
        (990, 1000.0, 1020.0, -9.0),
    ],
)
def test_only_what_no_delay_explains_counts(told: float, asked: float, answered: float, ahead: float) -> None:
    assert clock_ahead(told, asked, answered) == pytest.approx(ahead)
