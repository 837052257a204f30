"""One campaign on the toy world: what is played, in which order, how often, and what it may say afterwards."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.lamps import NOWHERE, lamp, lamps, played

from deskworld import bundle, planning, run
from deskworld.errors import UsageWrong
from deskworld.values.campaign import Settings

GLOBAL = lamp("power-cut").replace("split: development", "split: development\nrole: global")
HELD_OUT = lamp("hidden", split="held-out")


def settings(**given: object) -> Settings:
    return Settings.model_validate({"world": "toy", "agent": "none", **given})


async def test_adaptive_runs_go_where_the_answer_varies(tmp_path: Path) -> None:
    world = lamps(
        tmp_path / "toy",
        files={"steady": lamp("steady"), "broken": lamp("broken")},
        fails=lambda case: case.scenario == "broken" or (case.scenario == "lamp-is-off" and case.seed % 2 == 1),
    )
    done, verdicts = await played(world, tmp_path / "runs", repetitions=2, adaptive=10)
    assert {name: one.runs for name, one in done.scenarios.items()} == {"lamp-is-off": 12, "steady": 2, "broken": 2}
    seeds = [verdict.seed for verdict in verdicts if verdict.scenario == "lamp-is-off"]
    assert sorted(seeds) == list(range(7, 19))
    # drawn to where it varies, these runs would draw the rate there, too
    assert (done.overall.passed, done.overall.runs) == (3, 6)
    assert done.runs == 16
    assert bundle.read_bundle(Path(done.bundle)).status == "complete"


async def test_where_no_answer_varies_no_adaptive_run_is_spent(tmp_path: Path) -> None:
    done, _ = await played(lamps(tmp_path / "toy"), tmp_path / "runs", repetitions=3, adaptive=10)
    assert done.runs == 3


def test_one_run_of_each_cannot_show_where_answers_vary() -> None:
    with pytest.raises(ValueError, match="--repetitions 2"):
        settings(adaptive=5)


async def test_what_befalls_the_whole_stack_is_played_last_and_alone(tmp_path: Path) -> None:
    world = lamps(tmp_path / "toy", files={"power-cut": GLOBAL, "second": lamp("second")})
    flights: list[tuple[str | None, int]] = []

    def tell(progress: run.Progress) -> None:
        flights.append((progress.last.scenario if progress.last else None, progress.in_flight))

    done, verdicts = await played(world, tmp_path / "runs", tell=tell, repetitions=3, solo_repetitions=2)
    assert [verdict.scenario for verdict in verdicts][-2:] == ["power-cut", "power-cut"]
    assert (done.runs, done.scenarios["power-cut"].runs) == (8, 2)
    assert max(many for _, many in flights) > 1
    first_alone = next(place for place, (name, _) in enumerate(flights) if name == "power-cut")
    assert all(many <= 1 for _, many in flights[first_alone - 1 :])


async def test_on_a_shared_stack_nothing_befalls_somebody_elses_cases(tmp_path: Path) -> None:
    world = lamps(tmp_path / "toy", files={"power-cut": GLOBAL})
    with pytest.raises(UsageWrong, match="somebody else's cases"):
        await played(world, tmp_path / "runs", shared=True, scenarios=["power-cut"])


async def test_a_smoke_test_plays_one_of_each_and_says_that_it_tells_no_rates(tmp_path: Path) -> None:
    files = {name: lamp(name, category=name) for name in ("a", "b", "c", "d")}
    done, _ = await played(lamps(tmp_path / "toy", files=files), tmp_path / "runs", smoke=True)
    assert (done.runs, done.exit_code) == (4, 0)
    assert done.not_covered[0].startswith("rates")


def test_a_smoke_test_chooses_for_itself(tmp_path: Path) -> None:
    with pytest.raises(UsageWrong, match="chooses for itself"):
        planning.prepared(settings(smoke=True, repetitions=3), {"toy": lamps(tmp_path / "toy")})


async def test_gates_of_the_catalogue_end_a_campaign(tmp_path: Path) -> None:
    world = lamps(tmp_path / "toy", fails=lambda case: case.seed == 9)
    gates = tmp_path / "toy" / "gates.yaml"
    gates.write_text("sampled: {overall: {lower-bound: 0.5, over: variations}}\n")
    done, _ = await played(world, tmp_path / "runs", repetitions=4)
    assert (done.exit_code, done.acceptance) == (2, "REJECTED")
    assert next(one.more for one in done.gates if one.name == "overall") is not None
    done, _ = await played(world, tmp_path / "runs", repetitions=20)
    assert (done.exit_code, done.acceptance) == (0, "REVIEW_REQUIRED")
    manifest = bundle.read_bundle(Path(done.bundle)).manifest
    assert manifest["gates"] is not None


async def test_a_campaign_says_what_it_was_under(tmp_path: Path) -> None:
    done, _ = await played(lamps(tmp_path / "toy"), tmp_path / "runs", repetitions=2)
    manifest = json.loads((Path(done.bundle) / "manifest.json").read_text())
    assert {"scenarios", "gates", "agent", "policies", "rules", "tolerances", "versions", "seeds"} <= set(manifest)
    assert manifest["seeds"] == [7, 8]
    assert manifest["policies"] is None  # nobody answers where this world stands


async def test_a_campaign_that_is_cancelled_closes_its_bundle_as_interrupted(tmp_path: Path) -> None:
    world = lamps(tmp_path / "toy")
    task: asyncio.Task[run.Done] | None = None

    def tell(progress: run.Progress) -> None:
        if progress.done == 2 and task is not None:
            task.cancel()

    task = asyncio.create_task(played(world, tmp_path / "runs", tell=tell, repetitions=50, parallel=1))
    with pytest.raises(asyncio.CancelledError):
        await task
    [folder] = (tmp_path / "runs").iterdir()
    assert bundle.read_bundle(folder).status == "interrupted"


def hidden(folder: Path) -> Path:
    folder.mkdir()
    (folder / "hidden.yaml").write_text(HELD_OUT, encoding="utf-8")
    return folder


def test_a_held_out_scenario_is_not_shipped_and_a_shipped_one_not_held_out(tmp_path: Path) -> None:
    world = lamps(tmp_path / "toy", files={"hidden": lamp("hidden")})
    with pytest.raises(UsageWrong, match="too"):
        planning.prepared(settings(held_out=str(hidden(tmp_path / "h"))), {"toy": world})
    (tmp_path / "h" / "hidden.yaml").write_text(lamp("hidden"))
    with pytest.raises(UsageWrong, match="split is development"):
        planning.prepared(settings(held_out=str(tmp_path / "h")), {"toy": world})


async def test_held_out_scenarios_are_played_only_by_a_candidate_that_was_frozen(tmp_path: Path) -> None:
    folder = hidden(tmp_path / "h")
    with pytest.raises(UsageWrong, match="not frozen") as refused:
        await played(lamps(tmp_path / "toy"), tmp_path / "runs", held_out=str(folder))
    assert "harness freeze" in refused.value.next_step
    assert not list(folder.glob("*.jsonl"))


def test_baselines_cannot_be_played_beside_an_agent_that_takes_any_turn(tmp_path: Path) -> None:
    with pytest.raises(UsageWrong, match="takes the baselines' turns"):
        asyncio.run(played(lamps(tmp_path / "toy"), tmp_path / "runs", baselines=True))


async def test_agents_that_take_any_turn_are_not_interleaved(tmp_path: Path) -> None:
    pair = (settings(), settings())
    with pytest.raises(UsageWrong, match="the other's turns"):
        await run.interleaved(
            pair, worlds={"toy": lamps(tmp_path / "toy")}, stack=NOWHERE, runs=tmp_path, nonce="n", tell=lambda _: None
        )
