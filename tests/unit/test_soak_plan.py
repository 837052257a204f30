"""What the seed of the compose soak decides."""

from random import Random

import pytest
from tests.soak.compose.plan import EARLIEST, LATEST, drawn, moments

PARTS = ("postgres", "mail", "erp", "desk")


@pytest.mark.parametrize("seed", range(20))
def test_every_part_is_killed_once_before_one_is_killed_again(seed: int) -> None:
    order = drawn(PARTS, 10, Random(seed))
    assert len(order) == 10
    assert set(order[:4]) == set(order[4:8]) == set(PARTS)


def test_the_same_seed_kills_the_same_parts_at_the_same_moments() -> None:
    plans = [moments(drawn(PARTS, 6, random), random) for random in (Random(7), Random(7), Random(8))]
    assert plans[0] == plans[1] != plans[2]


@pytest.mark.parametrize("seed", range(20))
def test_kills_follow_each_other_in_the_middle_of_a_campaign(seed: int) -> None:
    kills = moments(PARTS, Random(seed))
    assert [kill.part for kill in kills] == list(PARTS)
    assert [kill.after for kill in kills] == sorted(kill.after for kill in kills)
    assert all(EARLIEST <= kill.after <= LATEST for kill in kills)
