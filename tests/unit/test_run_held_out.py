"""Held-out scenarios prove something only of a candidate that was finished before their results were seen."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.lamps import lamp, lamps, played

from deskworld import freezing
from deskworld.errors import UsageWrong
from deskworld.values.campaign import HeldOut
from deskworld.world import World

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FIRST: dict[str, Any] = {"name": "mine:act", "sha256": "1" * 64}
BETTER: dict[str, Any] = {"name": "mine:act", "sha256": "2" * 64}
ATTACHED: dict[str, Any] = {"name": "none", "sha256": None}
DIGESTS = {"hidden": "a" * 64, "other": "b" * 64}


def shown(folder: Path, agent: dict[str, Any], *names: str, gates: str = "g", frozen: bool = True) -> HeldOut:
    manifest = {"agent": agent, "gates": gates, "scenarios": DIGESTS}
    return freezing.shown(folder, manifest, names, at=AT, frozen=frozen)


def test_who_was_frozen_first_proves_something(tmp_path: Path) -> None:
    freezing.freeze(tmp_path, FIRST, "g", at=AT)
    assert shown(tmp_path, FIRST, "hidden").spent == ()
    assert shown(tmp_path, FIRST, "hidden", "other").spent == ()


def test_after_a_change_the_scenarios_that_were_shown_are_spent(tmp_path: Path) -> None:
    freezing.freeze(tmp_path, FIRST, "g", at=AT)
    shown(tmp_path, FIRST, "hidden")
    with pytest.raises(UsageWrong, match="not frozen as they are now"):
        shown(tmp_path, BETTER, "hidden")
    freezing.freeze(tmp_path, BETTER, "g", at=AT)
    assert shown(tmp_path, BETTER, "hidden", "other").spent == ("hidden",)


def test_other_gates_after_the_results_spend_them_too(tmp_path: Path) -> None:
    freezing.freeze(tmp_path, FIRST, "g", at=AT)
    shown(tmp_path, FIRST, "hidden")
    with pytest.raises(UsageWrong, match="not frozen"):
        shown(tmp_path, FIRST, "hidden", gates="easier")
    freezing.freeze(tmp_path, FIRST, "easier", at=AT)
    assert shown(tmp_path, FIRST, "hidden", gates="easier").spent == ("hidden",)


def test_freezing_the_same_again_does_not_make_it_later(tmp_path: Path) -> None:
    first = freezing.freeze(tmp_path, FIRST, "g", at=AT)
    shown(tmp_path, FIRST, "hidden")
    assert freezing.freeze(tmp_path, FIRST, "g", at=AT) == first
    assert shown(tmp_path, FIRST, "hidden").spent == ()


def test_two_candidates_that_were_frozen_before_either_was_seen_are_both_good(tmp_path: Path) -> None:
    for agent in (FIRST, BETTER):
        freezing.freeze(tmp_path, agent, "g", at=AT)
    assert shown(tmp_path, FIRST, "hidden").spent == ()
    assert shown(tmp_path, BETTER, "hidden").spent == ()


def test_a_baseline_needs_no_freezing_and_shows_the_scenarios_all_the_same(tmp_path: Path) -> None:
    assert shown(tmp_path, FIRST, "hidden", frozen=False).frozen == "not a candidate"
    freezing.freeze(tmp_path, BETTER, "g", at=AT)
    assert shown(tmp_path, BETTER, "hidden").spent == ("hidden",)


def test_a_line_that_was_taken_out_or_changed_is_seen(tmp_path: Path) -> None:
    freezing.freeze(tmp_path, FIRST, "g", at=AT)
    shown(tmp_path, FIRST, "hidden")
    freezing.freeze(tmp_path, BETTER, "g", at=AT)
    ledger = tmp_path / freezing.LEDGER
    lines = ledger.read_text().splitlines()
    for wrong in ([lines[0], lines[2]], [*lines[:1], lines[1].replace("hidden", "hiddem"), lines[2]], ["x"]):
        ledger.write_text("\n".join(wrong) + "\n")
        with pytest.raises(UsageWrong, match=r"ledger\.jsonl"):
            freezing.read(tmp_path)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return lamps(tmp_path / "toy")


async def test_a_campaign_says_which_of_them_are_spent(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "held-out"
    folder.mkdir()
    (folder / "hidden.yaml").write_text(lamp("hidden", split="held-out"))
    freezing.freeze(folder, ATTACHED, None, at=AT)
    done, _ = await played(world, tmp_path / "runs", held_out=str(folder), split="held-out")
    assert done.held_out is not None
    assert (done.held_out.scenarios, done.held_out.spent) == (("hidden",), ())
    assert done.scenarios["hidden"].split == "held-out"
    # results were shown; other gates now make it known
    (tmp_path / "toy" / "gates.yaml").write_text("sampled: {overall: {rate: 0.1}}\n")
    with pytest.raises(UsageWrong, match="not frozen"):
        await played(world, tmp_path / "runs", held_out=str(folder))


async def test_who_plays_none_of_them_needs_no_freezing(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "held-out"
    folder.mkdir()
    (folder / "hidden.yaml").write_text(lamp("hidden", split="held-out"))
    done, _ = await played(world, tmp_path / "runs", held_out=str(folder), split="development")
    assert done.held_out is None
