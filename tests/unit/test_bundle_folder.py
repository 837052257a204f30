"""A bundle is written once, closed with a digest, and refused when anything in it was touched."""

import json
import os
import resource
import shutil
import signal
import stat
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.histories.played import Played
from tests.support.histories.right import RIGHT, no_po, price_variance_small

from deskworld.bundle import Bundle, open_bundle, read_bundle
from deskworld.errors import BundleFailed
from deskworld.values.campaign import Settings

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def opened(runs: Path, label: str = "first light") -> Bundle:
    return open_bundle(runs, {"label": label, "settings": Settings().model_dump(mode="json")}, at=AT)


def filled(runs: Path) -> Path:
    book = opened(runs)
    for index, right in enumerate(RIGHT.values()):
        played = right()
        book.append(index, played.record, played.evidence, played.verdict())
    book.close("complete")
    return book.folder


def modes(folder: Path) -> set[tuple[str, int]]:
    return {("d" if one.is_dir() else "f", stat.S_IMODE(one.stat().st_mode)) for one in (folder, *folder.rglob("*"))}


def test_what_was_written_comes_back_as_it_was(tmp_path: Path) -> None:
    stored = read_bundle(filled(tmp_path))
    assert stored.status == "complete"
    assert stored.manifest["label"] == "first light"
    cases = list(stored.cases())
    for case, right in zip(cases, RIGHT.values(), strict=True):
        played = right()
        assert (case.record, case.evidence, case.verdict) == (played.record, played.evidence, played.verdict())
    assert [case.index for case in cases] == list(range(len(cases)))


def test_the_folder_is_named_by_time_and_label_and_is_its_owners_alone(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    assert folder.name == "20260302T090000Z-first-light"
    assert modes(folder) == {("d", 0o700), ("f", 0o600)}
    assert {one.name for one in folder.iterdir()} == {
        "manifest.json",
        "cases",
        "journal.jsonl",
        "verdicts.jsonl",
        "DIGESTS",
    }


def test_a_second_bundle_of_the_same_second_has_a_folder_of_its_own(tmp_path: Path) -> None:
    names = [opened(tmp_path).folder.name for _ in range(3)]
    assert names == [f"20260302T090000Z-first-light{end}" for end in ("", "-2", "-3")]


@pytest.mark.parametrize("label", ["../../etc", "a/b", "", "…", "x" * 500])
def test_a_label_never_leaves_the_runs_folder(tmp_path: Path, label: str) -> None:
    assert opened(tmp_path, label).folder.parent == tmp_path


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    book.append(0, played.record, played.evidence, played.verdict())
    with pytest.raises(BundleFailed, match="0000-price-variance-small") as refused:
        book.append(0, played.record, played.evidence, played.verdict())
    assert "nothing is overwritten" in refused.value.next_step


def test_a_run_without_evidence_is_kept_with_none(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    book.append(0, played.record, None, played.verdict())
    book.close("interrupted")
    stored = read_bundle(book.folder)
    assert stored.status == "interrupted"
    assert next(iter(stored.cases())).evidence is None


def test_text_that_is_no_proper_unicode_comes_back_as_it_was(tmp_path: Path) -> None:
    book, played = opened(tmp_path), no_po()
    strange = "\ud800 \u2028 \x00 \x85 end"
    evidence = played.evidence.model_copy(update={"blobs": {"d": {"text": strange}}})
    book.append(0, played.record, evidence, played.verdict())
    book.close("complete")
    read = next(iter(read_bundle(book.folder).cases())).evidence
    assert read is not None
    assert read.blobs["d"]["text"] == strange


def changed(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b"approve", b"decline", 1) if b"approve" in content else content + b" ")


@pytest.mark.parametrize("name", ["manifest.json", "journal.jsonl", "verdicts.jsonl", "cases", "DIGESTS"])
@pytest.mark.parametrize("how", [changed, Path.unlink], ids=["changed", "deleted"])
def test_a_touched_file_is_named_and_the_bundle_refused(tmp_path: Path, name: str, how: Callable[[Path], None]) -> None:
    folder = filled(tmp_path)
    path = next((folder / "cases").iterdir()) if name == "cases" else folder / name
    how(path)
    with pytest.raises(BundleFailed) as refused:
        read_bundle(folder)
    assert path.name in refused.value.what
    assert refused.value.next_step


def test_a_file_that_was_added_is_named(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    (folder / "cases" / "0099-extra.jsonl").write_text("{}")
    with pytest.raises(BundleFailed, match=r"0099-extra\.jsonl: it was added"):
        read_bundle(folder)


def test_a_file_swapped_with_another_is_refused(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    first, second = sorted((folder / "cases").iterdir())[:2]
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    with pytest.raises(BundleFailed, match="0000-"):
        read_bundle(folder)


def test_a_bundle_that_was_never_closed_says_so(tmp_path: Path) -> None:
    with pytest.raises(BundleFailed, match="not closed"):
        read_bundle(opened(tmp_path).folder)


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(BundleFailed):
        read_bundle(tmp_path / "nowhere")


def test_the_digests_are_what_sha256sum_writes(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    lines = (folder / "DIGESTS").read_text().splitlines()
    assert lines[-1].endswith("  *")
    names = [line.split("  ")[1] for line in lines[:-1]]
    assert names == sorted(names)
    assert len(names) == len(RIGHT) + 3


def test_the_journal_tells_what_is_on_disk_case_by_case(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    book.append(3, played.record, played.evidence, played.verdict())
    [entry] = [json.loads(line) for line in (book.folder / "journal.jsonl").read_text().splitlines()]
    assert entry["case"] == 3
    assert (book.folder / entry["file"]).exists()
    book.close("complete")
    assert json.loads((book.folder / "journal.jsonl").read_text().splitlines()[-1]) == {
        "closed": "complete",
        "cases": 1,
    }


def test_closing_twice_closes_once(tmp_path: Path) -> None:
    book = opened(tmp_path)
    book.close("interrupted")
    book.close("complete")
    assert read_bundle(book.folder).status == "interrupted"


def test_runs_named_by_a_file_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleFailed, match="cannot write") as refused:
        opened(tmp_path / "file" / "runs")
    assert "--runs" in refused.value.next_step


@pytest.mark.skipif(os.geteuid() == 0, reason="to root every folder is writable")
def test_a_folder_that_is_not_ours_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(BundleFailed) as refused:
        opened(tmp_path / "runs")
    assert "not yours" in refused.value.next_step


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    os.dup2(os.open("/dev/full", os.O_WRONLY), book._journal._file)
    with pytest.raises(BundleFailed, match=r"journal\.jsonl") as refused:
        book.append(0, played.record, played.evidence, played.verdict())
    assert "disk is full" in refused.value.next_step


def test_a_write_that_stops_half_way_is_an_error_and_not_a_short_file(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
        with pytest.raises(BundleFailed, match="cannot write"):
            book.append(0, played.record, played.evidence, played.verdict())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_runs_folder_that_went_away_is_an_error(tmp_path: Path) -> None:
    book, played = opened(tmp_path), price_variance_small()
    shutil.rmtree(book.folder)
    with pytest.raises(BundleFailed) as refused:
        book.append(0, played.record, played.evidence, played.verdict())
    assert "not there" in refused.value.next_step


def test_six_hundred_cases_are_written_in_milliseconds_each(tmp_path: Path) -> None:
    played: Played = no_po()
    verdict = played.verdict()
    book = opened(tmp_path)
    before = time.process_time()
    for index in range(600):
        book.append(index, played.record, played.evidence, verdict)
    book.close("complete")
    assert (time.process_time() - before) / 600 < 0.01
