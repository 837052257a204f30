"""Stored runs graded again: what moves is shown, what does not is not, and a touched bundle is not graded at all."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.histories.right import RIGHT

from deskworld import rescoring
from deskworld.bundle import open_bundle, read_bundle
from deskworld.errors import BundleFailed
from deskworld.values.verdict import Verdict
from deskworld.world import World
from deskworld.worlds import AP
from deskworld.worlds.ap.checks import JUDGING

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def graded_plainly() -> World:
    """By the checks that gave the right histories their verdicts."""
    return replace(AP, checks=JUDGING)


def stored(runs: Path, *changed: Verdict, times: int = 1) -> Path:
    """The right histories, some with another verdict than they were given."""
    by_name = {(verdict.scenario, verdict.seed): verdict for verdict in changed}
    book = open_bundle(runs, {"label": "stored", "world": "ap"}, at=AT)
    index = 0
    for _ in range(times):
        for right in RIGHT.values():
            played = right()
            verdict = played.verdict()
            book.append(index, played.record, played.evidence, by_name.get((verdict.scenario, verdict.seed), verdict))
            index += 1
    book.close("complete")
    return book.folder


def test_the_same_grading_moves_nothing(tmp_path: Path) -> None:
    found = rescoring.rescored(read_bundle(stored(tmp_path)), graded_plainly, processes=1)
    assert (found.runs, found.moved) == (len(RIGHT), [])
    assert found.passed_before == found.passed_now
    assert sum(found.gradings.values()) == len(RIGHT)


def test_what_moved_is_shown_in_words(tmp_path: Path) -> None:
    [right] = [one() for name, one in RIGHT.items() if name == "duplicate"][:1]
    verdict = right.verdict()
    first = verdict.checks[0]
    before = verdict.model_copy(
        update={"passed": not verdict.passed, "checks": verdict.checks[1:], "touches": 9, "grading": "0"}
    )
    found = rescoring.rescored(read_bundle(stored(tmp_path, before)), graded_plainly, processes=1)
    assert found.gradings["0"] >= 1
    what = found.moved[0].what
    assert found.moved[0].scenario == "duplicate"
    assert f"{first.family} {first.name} not there → {'passed' if first.passed else 'failed'}" in what
    assert f"touches 9 → {verdict.touches}" in what
    words = ("failed", "passed") if verdict.passed else ("passed", "failed")
    assert f"{words[0]} → {words[1]}" in what


def test_many_are_graded_in_several_processes_and_come_to_the_same(tmp_path: Path) -> None:
    times = rescoring.CHUNK // len(RIGHT) + 2
    read = read_bundle(stored(tmp_path, times=times))
    found = rescoring.rescored(read, graded_plainly, processes=2)
    assert (found.runs, found.moved) == (times * len(RIGHT), [])


def test_a_case_that_changes_after_the_bundle_was_checked_is_not_graded(tmp_path: Path) -> None:
    read = read_bundle(stored(tmp_path))
    case = read.folder / read.case_files[1]
    case.write_bytes(case.read_bytes().replace(b'"passed":true', b'"passed":false', 1) + b" ")
    with pytest.raises(BundleFailed, match="not what its digest says"):
        rescoring.rescored(read, graded_plainly, processes=1)


def test_more_than_ten_thousand_cases_keep_their_order() -> None:
    from deskworld.bundle.reading import StoredBundle  # noqa: PLC0415 - its order alone is looked at

    names = [f"cases/{index:04d}-x.jsonl" for index in (10000, 9999, 2, 10)]
    read = StoredBundle(Path(), {}, "complete", dict.fromkeys(names, ""))
    assert read.case_files == ("cases/0002-x.jsonl", "cases/0010-x.jsonl", "cases/9999-x.jsonl", "cases/10000-x.jsonl")
