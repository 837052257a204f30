"""Campaigns beside each other on one stack: two agents in alternating order, and the baselines beside a candidate."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deskworld import bundle, comparison, run
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.stack import Stack
from deskworld.worlds import WORLDS

pytestmark = pytest.mark.e2e
TWO = ("price-variance-small", "bank-change-fraud")


def settings(**given: Any) -> Settings:
    return Settings.model_validate({"scenarios": TWO, "timeout": 60.0, "stall": 30.0, **given})


def ground(stack: Mapping[str, Any], runs: Path) -> dict[str, Any]:
    return {
        "worlds": WORLDS,
        "stack": Stack.model_validate(stack),
        "runs": runs,
        "nonce": secrets.token_hex(8),
        "tell": lambda progress: None,
    }


def side(done: Campaign) -> comparison.Side:
    read = bundle.read_bundle(Path(done.bundle))
    return comparison.side(
        done.agent, read.manifest, ((case.verdict, case.record, case.evidence) for case in read.cases())
    )


async def test_two_agents_are_played_in_alternating_order_on_the_same_cases(
    stack: Mapping[str, Any], tmp_path: Path
) -> None:
    pair = [settings(agent=agent, rules="off", repetitions=3, parallel=2) for agent in ("oracle", "mute")]
    (first, _), (second, _) = await run.interleaved((pair[0], pair[1]), **ground(stack, tmp_path))
    assert (first.passed, first.runs, second.passed, second.runs) == (6, 6, 0, 6)
    found = comparison.compared(side(first), side(second))
    assert (found.pairs, found.unpaired, found.apart) == (6, 0, ())
    assert (found.passed.first, found.passed.second) == (6, 0)
    assert "ended in approve-variance → no proposal" in {
        change.what for change in found.scenarios["price-variance-small"].changes
    }
    opened = [bundle.read_bundle(Path(one.bundle)) for one in (first, second)]
    began = [[case.evidence.timelines[0].rows[0]["at"] for case in book.cases() if case.evidence] for book in opened]
    blocks = sorted((at, agent) for agent, times in enumerate(began) for at in times[::2])
    assert [agent for _, agent in blocks] == [0, 1, 1, 0, 0, 1]


async def test_the_baselines_stand_beside_the_candidate_and_agree_with_the_authors(
    stack: Mapping[str, Any], tmp_path: Path
) -> None:
    done, _ = await run.campaign(settings(agent="oracle", baselines=True), **ground(stack, tmp_path))
    assert set(done.baselines) == {"rules alone", "playbook"}
    for baseline in done.baselines.values():
        assert (baseline.passed, baseline.runs, baseline.contradicts) == (2, 2, {})
        assert bundle.read_bundle(Path(baseline.bundle)).status == "complete"
    assert (done.acceptance, done.exit_code) == ("REVIEW_REQUIRED", 0)
    manifest = bundle.read_bundle(Path(done.bundle)).manifest
    assert all(manifest[name] for name in ("policies", "rules", "tolerances", "gates"))
    assert manifest["agent"]["sha256"]
