"""A slice of what `make soak` does at length: requests made from each door's own description."""

from pathlib import Path
from typing import Literal

import pytest
from tests.support.erp import new_database, running
from tests.support.fuzzed_erp import fuzzed_door
from tests.support.fuzzing import fuzz

SEED = 20260310
THE_OFFICE_AGAIN = "^/stage/as/"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["office", "stage"])
async def test_a_door_answers_as_it_says_whatever_it_is_asked(
    erp_postgres: Path, name: Literal["office", "stage"]
) -> None:
    await new_database(erp_postgres, f"erp_fuzz_{name}")
    async with running(erp_postgres, f"erp_fuzz_{name}") as erp, fuzzed_door(erp, name) as (address, credential):
        fuzzed = await fuzz(
            address,
            credential,
            seed=SEED,
            examples=2,
            phases=("examples", "fuzzing", "stateful"),
            without=THE_OFFICE_AGAIN,
        )
    assert fuzzed.found_nothing, fuzzed.said
