"""The register of stacks: what a dead stack left is cleared up, what a living one has is not."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.support.processes import Program, all_gone

from deskworld_embedded.scratch import Scratch, passable, register, scratch, sweep

_REGISTERS = """
import sys
from pathlib import Path
from deskworld_embedded.scratch import register, scratch
entry = register(scratch(Path(sys.argv[1])), "theirs", [Path(sys.argv[2])])
print('{"event": "registered"}', flush=True)
sys.stdin.read()
"""


def _left(folder: Path) -> Path:
    left = folder / "left"
    left.mkdir()
    (left / "data").write_text("of a stack")
    return left


def test_what_a_killed_stack_left_is_removed_and_a_living_one_keeps_its_own(tmp_path: Path) -> None:
    left = _left(tmp_path)
    place = scratch(tmp_path)
    stack = Program(["tests.support.run_text", _REGISTERS, str(tmp_path), str(left)])
    try:
        stack.says(within=60)
        assert sweep(place) == []
        assert (left / "data").exists()
        family = stack.family()
        os.kill(stack.process.pid, signal.SIGKILL)
        assert all_gone(family, within=20) == []
        assert sweep(place) == [left]
        assert not left.exists()
        assert sweep(place) == []
    finally:
        stack.close()


def test_a_stack_that_cleared_up_after_itself_leaves_no_entry(tmp_path: Path) -> None:
    place = scratch(tmp_path)
    register(place, "ours", [_left(tmp_path)]).leave()
    assert list(place.stacks.iterdir()) == []
    assert sweep(place) == []


def test_an_entry_that_cannot_be_read_removes_nothing(tmp_path: Path) -> None:
    place = scratch(tmp_path)
    (place.stacks / "torn.json").write_text('{"leftovers": ["/')
    assert sweep(place) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_a_folder_that_only_its_owner_passes_bars_the_way_of_others(tmp_path: Path) -> None:
    barred = tmp_path / "barred"
    barred.mkdir(mode=0o700)
    stranger = os.getuid() + 4711
    assert not passable(barred / "data", stranger, stranger)
    assert passable(Path("/usr/data"), stranger, stranger)
    assert passable(barred / "data", 0 if os.getuid() == 0 else os.getuid(), os.getgid()) is (
        passable(tmp_path / "data", os.getuid(), os.getgid())
    )


def test_the_place_is_ours_alone(tmp_path: Path) -> None:
    place: Scratch = scratch(tmp_path)
    assert place.root.stat().st_mode & 0o066 == 0
    assert scratch(tmp_path) == place
