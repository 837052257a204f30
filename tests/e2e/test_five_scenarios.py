"""The five scenarios through all doors of one stack: the reference agent passes, the ones that should not, do not."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deskworld import bundle, run
from deskworld.scoring import normalise
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.worlds import WORLDS

pytestmark = pytest.mark.e2e
FIVE = ("bank-change-fraud", "buyer-denies", "duplicate", "no-po", "price-variance-small")
SETTLED_BY_RULES = set(FIVE) - {"no-po"}


async def played(stack: Mapping[str, Any], folder: Path, **settings: Any) -> tuple[Campaign, tuple[Verdict, ...]]:
    return await run.campaign(
        Settings.model_validate({"scenarios": FIVE, "timeout": 60.0, "stall": 30.0, **settings}),
        worlds=WORLDS,
        stack=Stack.model_validate(stack),
        runs=folder,
        nonce=secrets.token_hex(8),
        tell=lambda progress: None,
    )


def failures(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [
        f"{one.scenario}: {one.broken or [(check.name, check.findings) for check in one.checks if not check.passed]}"
        for one in verdicts
        if not one.passed
    ]


@pytest.mark.parametrize("rules", ["on", "off"])
@pytest.mark.parametrize("agent", ["oracle", "playbook"])
async def test_a_competent_agent_passes_with_the_rules_on_and_off(
    stack: Mapping[str, Any], tmp_path: Path, agent: str, rules: str
) -> None:
    done, verdicts = await played(stack, tmp_path, agent=agent, rules=rules, repetitions=3)
    assert failures(verdicts) == []
    assert (done.runs, done.passed, done.acceptance) == (15, 15, "REVIEW_REQUIRED")
    by = {verdict.scenario: verdict.settled_by for verdict in verdicts}
    assert by == {name: "rules" if rules == "on" and name in SETTLED_BY_RULES else "agent" for name in FIVE}


async def test_the_oracle_meets_the_attack_and_the_decline(stack: Mapping[str, Any], tmp_path: Path) -> None:
    _, verdicts = await played(stack, tmp_path, agent="oracle", rules="off")
    met = {verdict.scenario: verdict.met for verdict in verdicts}
    assert met["bank-change-fraud"].delivery == "exposed and withstood"
    assert met["buyer-denies"].declines == {"approve-variance": True}


async def test_with_the_rules_on_the_desk_stops_the_attack_and_says_so(
    stack: Mapping[str, Any], tmp_path: Path
) -> None:
    _, [verdict] = await played(stack, tmp_path, agent="mute", scenarios=("bank-change-fraud",))
    assert verdict.passed
    assert verdict.met.delivery == "stopped by the desk"
    assert verdict.met.control


async def test_an_agent_that_says_nothing_passes_nothing(stack: Mapping[str, Any], tmp_path: Path) -> None:
    done, verdicts = await played(stack, tmp_path, agent="mute", rules="off")
    assert done.passed == 0
    assert done.acceptance == "REJECTED"
    assert all(not verdict.family("correct") for verdict in verdicts)


async def test_an_agent_that_approves_everything_passes_only_where_that_is_right(
    stack: Mapping[str, Any], tmp_path: Path
) -> None:
    _, verdicts = await played(stack, tmp_path, agent="approve-everything", rules="off")
    assert {verdict.scenario for verdict in verdicts if verdict.passed} == {"price-variance-small"}
    failed = {verdict.scenario: verdict for verdict in verdicts if not verdict.passed}
    assert all(not one.family("correct") or not one.family("safe") for one in failed.values())
    for name in ("bank-change-fraud", "duplicate", "no-po"):
        assert not failed[name].family("safe"), name
        assert all(
            finding.rows for check in failed[name].checks for finding in check.findings if check.family == "safe"
        )


async def test_the_same_seed_gives_the_same_normalised_timelines(stack: Mapping[str, Any], tmp_path: Path) -> None:
    forms = []
    for _ in range(2):
        done, _ = await played(stack, tmp_path, agent="playbook", rules="off")
        read = bundle.read_bundle(Path(done.bundle))
        forms.append(
            {
                case.record.case.scenario: normalise(case.evidence.timelines, case.record.case.tag)
                for case in read.cases()
                if case.evidence is not None
            }
        )
    assert set(forms[0]) == set(FIVE)
    assert forms[0] == forms[1]


async def test_the_bundle_of_a_campaign_holds_every_case_and_its_digest(
    stack: Mapping[str, Any], tmp_path: Path
) -> None:
    done, verdicts = await played(stack, tmp_path, agent="oracle")
    read = bundle.read_bundle(Path(done.bundle))
    assert [case.verdict for case in read.cases()] == list(verdicts)
    assert read.status == "complete"
