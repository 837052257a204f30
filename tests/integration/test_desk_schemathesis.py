"""A slice of what `make soak` does at length: requests made from each of the desk's doors' own description."""

import pytest
from tests.support.desk import Company
from tests.support.fuzzed_desk import NAMES, Name, fuzzed_door, left_as_it_was
from tests.support.fuzzing import fuzz

SEED = 20260310


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_a_door_answers_as_it_says_whatever_it_is_asked(company: Company, name: Name) -> None:
    door = await fuzzed_door(company, name)
    try:
        fuzzed = await fuzz(
            door.address,
            door.credential,
            seed=SEED,
            examples=2,
            phases=("examples", "fuzzing", "stateful"),
            without=door.without,
            known=door.known,
        )
    finally:
        await left_as_it_was(company)
    assert fuzzed.found_nothing, fuzzed.said
