"""The whole catalogue through all doors of one stack, and one falsified literal, which must be noticed."""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskworld import catalogue, compiler, prove
from deskworld.agents.controls import ACTIONS
from deskworld.prove.playing import played
from deskworld.prove.proofs import failures
from deskworld.prove.proving import tag
from deskworld.values.scenario import Scenario
from deskworld.values.stack import Stack
from deskworld.world import World
from deskworld.worlds import AP

pytestmark = pytest.mark.e2e
SLOW = "slow-erp"
ALL = catalogue.load_all(AP.scenarios)
SCENARIOS = tuple(one for one in ALL.values() if one.role != "global" and one.name != SLOW)


def drawn() -> int:
    return 1 + secrets.randbelow(10**6)


async def proofs(stack: Mapping[str, Any], scenarios: Sequence[Scenario], world: World = AP) -> tuple[prove.Proof, ...]:
    return await prove.prove(
        scenarios,
        world=world,
        stack=Stack.model_validate(stack),
        seeds=[7],
        parallel=12,
        nonce=secrets.token_hex(8),
        actions=ACTIONS,
        tell=lambda told: None,
    )


@pytest.mark.parametrize("rules", ["on", "off"])
@pytest.mark.parametrize("agent", ["oracle", "playbook"])
async def test_oracle_and_playbook_pass_every_scenario_on_seeds_that_nobody_has_seen(
    stack: Mapping[str, Any], agent: str, rules: Any
) -> None:
    on, seed, nonce = Stack.model_validate(stack), drawn(), secrets.token_hex(8)
    cases = [
        compiler.compile_case(one, seed=seed, tag=tag(f"{nonce}:{one.name}"), rules=rules, world=AP)
        for one in SCENARIOS
    ]
    async with AP.open(on) as site:
        verdicts = await played(cases, agent, world=AP, site=site, stack=on, parallel=12, tell=lambda _: None)
    assert {f"{one.scenario}, seed {seed}": failures(one) for one in verdicts if not one.passed} == {}


async def test_the_controls_pass_nothing_but_what_they_always_do_where_that_is_right(stack: Mapping[str, Any]) -> None:
    chosen = [ALL[name] for name in ("duplicate", "goods-arrive", "substitute-at-po-price", "silent-vendor")]
    found = await proofs(stack, chosen)
    assert [(one.scenario, one.agent, one.wrong) for one in found if one.wrong] == []
    exempt = {(one.scenario, one.agent) for one in found if one.exempt}
    assert exempt == {("duplicate", "reject-everything"), ("silent-vendor", "hold-everything")}


FALSIFIED = [
    ("duplicate", "by: ap-manager", "by: clerk", "outcome-acceptable|policy-routed"),
    ("duplicate", "action: reject", "action: hold", "outcome-acceptable"),
    ("price-variance-small", "settled-by: rules", "settled-by: agent", "settled by rules"),
    ("qty-over-receipt", "forbid: [approve-variance]", "forbid: [hold]", "nothing-forbidden"),
    ("duplicate", "facts: [original]", "facts: [receipt-1]", "cites-every-fact"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), FALSIFIED)
async def test_one_falsified_literal_stops_the_proof(
    stack: Mapping[str, Any], tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    scenario = falsified(tmp_path, name, old, new)
    found = await proofs(stack, [scenario], world=without_controls())
    against = " ".join(wrong for one in found for wrong in one.wrong)
    assert not prove.holds(found)
    assert any(word in against for word in said.split("|")), against


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("price-variance-small", "raises: [PRICE_VARIANCE]", "raises: [NO_RECEIPT]", "raised PRICE_VARIANCE"),
        ("price-variance-small", "draw: [3, 9]", "draw: [0, 9]", "raised nothing"),
        ("possible-duplicate", "by: controller", "by: ap-manager", "belongs to ap-manager"),
        ("price-variance-large", "draw: [150.00, 250.00]", "draw: [150.00, 260.00]", "belongs to ap-manager"),
    ],
)
async def test_a_corner_that_breaks_its_word_is_found(
    stack: Mapping[str, Any], tmp_path: Path, name: str, old: str, new: str, said: str
) -> None:
    scenario = falsified(tmp_path, name, old, new)
    found = await prove.prove_corners(
        [scenario], world=AP, stack=Stack.model_validate(stack), nonce=secrets.token_hex(8)
    )
    assert any(said in wrong for one in found for wrong in one.wrong)


async def test_every_corner_of_the_catalogue_keeps_its_word(stack: Mapping[str, Any]) -> None:
    found = await prove.prove_corners(
        tuple(ALL.values()), world=AP, stack=Stack.model_validate(stack), nonce=secrets.token_hex(8)
    )
    assert [(one.scenario, one.seed, one.wrong) for one in found if one.wrong] == []
    assert len(found) > 700


def falsified(folder: Path, name: str, old: str, new: str) -> Scenario:
    for file in AP.scenarios.glob("*.yaml"):
        shutil.copy(file, folder)
    path = folder / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return catalogue.load_all(folder)[name]


def without_controls() -> World:
    return replace(AP, controls=())
