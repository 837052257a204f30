"""A campaign that was killed goes on: what was whole is kept, the rest is played, and nothing is overwritten."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.lamps import lamp, lamps, played

from deskworld import bundle
from deskworld.errors import BundleFailed, HarnessError, UsageWrong
from deskworld.run import Progress
from deskworld.values.verdict import Verdict
from deskworld.world import World

RUNS = 4


def outcome(verdicts: tuple[Verdict, ...]) -> list[Any]:
    """All of a verdict but what no two runs have in common: their times."""
    return [verdict.model_dump(exclude={"seconds", "told"}) for verdict in verdicts]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return lamps(tmp_path / "toy", files={"second": lamp("second")}, fails=lambda case: case.seed == 8)


async def killed(world: World, folder: Path, after: int) -> Path:
    """What a campaign leaves on disk that is killed once so many cases are done."""
    left = folder / "left"

    def tell(progress: Progress) -> None:
        if progress.done == after and not left.exists():
            [book] = (folder / "killed").iterdir()
            shutil.copytree(book, left)

    await played(world, folder / "killed", tell=tell, repetitions=RUNS, parallel=1)
    return left


@pytest.mark.parametrize("after", range(2 * RUNS))
async def test_a_killed_campaign_ends_with_the_verdicts_of_one_that_never_was(
    world: World, tmp_path: Path, after: int
) -> None:
    _, whole = await played(world, tmp_path / "whole", repetitions=RUNS)
    left = await killed(world, tmp_path, after)
    before = files(left)
    done, verdicts = await played(world, tmp_path / "again", repetitions=RUNS, parallel=1, resume=left)
    assert outcome(verdicts) == outcome(whole)
    assert done.resumed is not None
    assert (done.resumed.bundle, done.resumed.kept) == (str(left), after)
    stored = bundle.read_bundle(Path(done.bundle))
    assert [case.verdict for case in stored.cases()] == list(verdicts)
    assert {before[name] for name in before if name.startswith("cases/")} <= set(files(stored.folder).values())
    assert files(left) == before


def torn(left: Path, draw: random.Random) -> Iterator[str]:
    """A kill in the middle of a write: the journal's line, or the case before its line, is not all there."""
    journal = left / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kept = b"".join(lines[:-1])
    yield "line"
    journal.write_bytes(kept + lines[-1][: draw.randrange(len(lines[-1]))])
    yield "case"
    journal.write_bytes(kept)
    case = left / json.loads(lines[-1])["file"]
    case.write_bytes(case.read_bytes()[: draw.randrange(case.stat().st_size)])


@pytest.mark.parametrize("seed", range(4))
async def test_what_a_kill_tore_is_played_again(world: World, tmp_path: Path, seed: int) -> None:
    _, whole = await played(world, tmp_path / "whole", repetitions=RUNS)
    left = await killed(world, tmp_path, 5)
    for nth, _ in enumerate(torn(left, random.Random(seed))):
        done, verdicts = await played(world, tmp_path / f"again{nth}", repetitions=RUNS, parallel=1, resume=left)
        assert outcome(verdicts) == outcome(whole)
        assert done.resumed is not None
    found = bundle.cut_off(left)
    assert (len(found.whole), found.torn) == (4, 1)


async def test_a_case_that_lost_its_bytes_with_the_power_is_played_again(world: World, tmp_path: Path) -> None:
    left = await killed(world, tmp_path, 5)
    case = sorted((left / "cases").iterdir())[2]
    case.write_bytes(b"\0" * case.stat().st_size)
    found = bundle.cut_off(left)
    assert (len(found.whole), found.torn) == (4, 1)


class Stop(Exception):
    pass


async def stopped(world: World, folder: Path, after: int) -> Path:
    """The bundle of a campaign that somebody stopped once so many cases were done."""

    def tell(progress: Progress) -> None:
        if progress.done == after:
            raise Stop

    with pytest.raises(BaseExceptionGroup):
        await played(world, folder / "stopped", tell=tell, repetitions=RUNS, parallel=1)
    [left] = (folder / "stopped").iterdir()
    return left


async def test_a_campaign_that_somebody_stopped_goes_on_too(world: World, tmp_path: Path) -> None:
    left = await stopped(world, tmp_path, 3)
    assert bundle.read_bundle(left).status == "failed"
    done, verdicts = await played(world, tmp_path / "again", repetitions=RUNS, parallel=1, resume=left)
    assert len(verdicts) == 2 * RUNS
    assert done.resumed is not None
    assert done.resumed.kept == 3


async def test_what_is_complete_does_not_go_on(world: World, tmp_path: Path) -> None:
    done, _ = await played(world, tmp_path / "runs", repetitions=1)
    with pytest.raises(BundleFailed, match="is complete"):
        await played(world, tmp_path / "runs", repetitions=1, resume=Path(done.bundle))


async def test_what_still_runs_does_not_go_on(world: World, tmp_path: Path) -> None:
    refused: list[str] = []

    def tell(progress: Progress) -> None:
        if progress.done == 2 and not refused:
            [book] = (tmp_path / "runs").iterdir()
            with pytest.raises(BundleFailed) as error:
                bundle.cut_off(book)
            refused.append(error.value.what)

    await played(world, tmp_path / "runs", tell=tell, repetitions=RUNS, parallel=1)
    assert "still being written" in refused[0]


async def test_under_another_situation_it_does_not_go_on(world: World, tmp_path: Path) -> None:
    left = await killed(world, tmp_path, 2)
    file = tmp_path / "toy" / "second.yaml"
    file.write_text(file.read_text().replace("Somebody is asked", "Nobody is asked"))
    with pytest.raises(UsageWrong, match=r"scenarios \(second\)"):
        await played(world, tmp_path / "again", repetitions=RUNS, parallel=1, resume=left)


async def test_with_other_settings_it_does_not_go_on(world: World, tmp_path: Path) -> None:
    left = await killed(world, tmp_path, 2)
    with pytest.raises(UsageWrong, match=r"settings \(parallel\)"):
        await played(world, tmp_path / "again", repetitions=RUNS, parallel=2, resume=left)


@pytest.mark.parametrize("line", ['{"case": 0}', '{"file": "../../x", "sha256": "", "scenario": "x", "seed": 1}', "x"])
async def test_a_journal_that_somebody_touched_is_refused(world: World, tmp_path: Path, line: str) -> None:
    left = await killed(world, tmp_path, 3)
    journal = left / "journal.jsonl"
    rest = journal.read_text().splitlines()
    journal.write_text("\n".join([rest[0], line, *rest[2:]]) + "\n")
    with pytest.raises(BundleFailed, match=r"journal\.jsonl:2"):
        bundle.cut_off(left)


async def test_a_closed_bundle_that_somebody_touched_does_not_go_on(world: World, tmp_path: Path) -> None:
    left = await stopped(world, tmp_path, 3)
    case = next(iter((left / "cases").iterdir()))
    case.write_bytes(case.read_bytes().replace(b"true", b"false", 1))
    with pytest.raises(BundleFailed, match="not what its digest says"):
        bundle.cut_off(left)


def test_what_is_no_bundle_does_not_go_on(tmp_path: Path) -> None:
    with pytest.raises(HarnessError):
        bundle.cut_off(tmp_path)
