"""The whole catalogue through all doors of one stack on seeds that nobody has seen, and literals that were falsified.

The rest of what the catalogue proves of itself is `make prove`: the controls, and every corner of the drawn ranges.
"""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.support.stack import embedded

from deskworld import catalogue, compiler, prove
from deskworld.agents.controls import ACTIONS
from deskworld.prove.playing import played
from deskworld.prove.proofs import failures
from deskworld.prove.proving import tag
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.worlds import AP

pytestmark = pytest.mark.e2e
ALL = catalogue.load_all(AP.scenarios)
SCENARIOS = tuple(one for one in ALL.values() if one.role != "global" and one.name != "slow-erp")
"""But for what is slow by its nature, and for what befalls the whole stack: `make prove` plays them."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Mapping[str, Any]]:
    """One of its own: what is falsified, and a corner, leave cases that nobody works on."""
    with embedded() as (_, contents):
        yield contents


@pytest.mark.parametrize("rules", ["on", "off"])
async def test_the_playbook_passes_every_situation_on_a_seed_that_nobody_has_seen(
    stack: Mapping[str, Any], rules: Literal["on", "off"]
) -> None:
    on, seed, nonce = Stack.model_validate(stack), 1 + secrets.randbelow(10**6), secrets.token_hex(8)
    cases = [
        compiler.compile_case(one, seed=seed, tag=tag(f"{nonce}:{one.name}"), rules=rules, world=AP)
        for one in SCENARIOS
    ]
    async with AP.open(on) as site:
        verdicts = await played(cases, "playbook", world=AP, site=site, stack=on, parallel=12, tell=lambda _: None)
    assert {f"{one.scenario}, seed {seed}": failures(one) for one in verdicts if not one.passed} == {}


async def test_one_falsified_literal_stops_the_proof(stack: Mapping[str, Any], tmp_path: Path) -> None:
    """By the oracle alone, which does what the file says: it does it, and the policy and the people say otherwise."""
    found = await prove.prove(
        [falsified(tmp_path, "duplicate", "by: ap-manager", "by: clerk")],
        world=replace(AP, controls=()),
        stack=Stack.model_validate(stack),
        seeds=[7],
        parallel=2,
        nonce=secrets.token_hex(8),
        actions=ACTIONS,
        tell=lambda _: None,
    )
    against = " ".join(wrong for one in found for wrong in one.wrong)
    assert not prove.holds(found)
    assert "policy-routed" in against


async def test_a_corner_that_breaks_its_word_is_found(stack: Mapping[str, Any], tmp_path: Path) -> None:
    scenario = falsified(tmp_path, "possible-duplicate", "by: controller", "by: ap-manager")
    found = await prove.prove_corners(
        [scenario], world=AP, stack=Stack.model_validate(stack), nonce=secrets.token_hex(8)
    )
    assert any("belongs to ap-manager" in wrong for one in found for wrong in one.wrong)


def falsified(folder: Path, name: str, old: str, new: str) -> Scenario:
    """The scenario out of a copy of the catalogue in which this one literal is another."""
    shutil.copytree(AP.scenarios, folder, dirs_exist_ok=True)
    path = folder / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return catalogue.load_all(folder)[name]
