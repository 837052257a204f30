"""Supervision, shown on two little services: one forked off the nursery, one a program of its own."""

import socket
from pathlib import Path

import httpx
import pytest
from tests.support.processes import all_gone, kill, program, restarted, status_of


def _stack(folder: Path, mood: str = "well") -> list[str]:
    return ["tests.support.little_stack", str(folder), mood]


def _answers(port: int) -> bool:
    return httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200


@pytest.mark.parametrize("part", ["forked", "own"])
def test_a_part_that_is_killed_comes_back_on_the_same_port(tmp_path: Path, part: str) -> None:
    with program(_stack(tmp_path)) as stack:
        port = stack.says(within=60)["ports"][part]
        for restarts in (1, 2):
            pid = status_of(tmp_path)[part]["pid"]
            kill(pid)
            again = restarted(tmp_path, part, than=pid, within=10)
            assert again["restarts"] == restarts
            assert again["last_end"] == "was ended by SIGKILL"
            assert _answers(port)


def test_the_death_of_one_part_leaves_the_others_alone(tmp_path: Path) -> None:
    with program(_stack(tmp_path)) as stack:
        stack.says(within=60)
        before = status_of(tmp_path)
        kill(before["own"]["pid"])
        restarted(tmp_path, "own", than=before["own"]["pid"], within=10)
        assert status_of(tmp_path)["forked"] == before["forked"]


def test_services_come_back_when_the_nursery_is_killed(tmp_path: Path) -> None:
    with program(_stack(tmp_path)) as stack:
        port = stack.says(within=60)["ports"]["forked"]
        pid = status_of(tmp_path)["forked"]["pid"]
        nursery = next(process for process in stack.family() if "forking" in " ".join(process.cmdline()))
        kill(nursery.pid)
        again = restarted(tmp_path, "forked", than=pid, within=20)
        assert "because the nursery was ended by SIGKILL" in again["last_end"]
        assert _answers(port)


def test_nothing_is_left_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    with program(_stack(tmp_path)) as stack:
        stack.says(within=60)
        family = stack.family()
        assert len(family) == 4
        kill(stack.process.pid)
        assert all_gone(family, within=20) == []


def test_nothing_is_left_when_the_starter_is_gone(tmp_path: Path) -> None:
    with program(_stack(tmp_path)) as stack:
        stack.says(within=60)
        family = stack.family()
        stack.let_go()
        assert stack.ends(within=20) == 0
        assert all_gone(family, within=20) == []


def test_a_port_stays_reserved_while_its_part_is_down(tmp_path: Path) -> None:
    with program(_stack(tmp_path)) as stack:
        ports = stack.says(within=60)["ports"].values()
        others = []
        try:
            for _ in range(3000):
                other = socket.socket()
                other.bind(("127.0.0.1", 0))
                others.append(other)
            assert not set(ports) & {other.getsockname()[1] for other in others}
        finally:
            for other in others:
                other.close()


def test_a_part_that_says_it_cannot_run_is_believed_and_quoted(tmp_path: Path) -> None:
    with program(_stack(tmp_path, "quits")) as stack:
        said = stack.says(within=60)
        assert said["event"] == "failed"
        assert said["part"] == "forked"
        assert said["reason"] == "ended with status 4 before it was ready: the moon is in the wrong phase"
        assert said["next"] == f"read {tmp_path / 'forked.log'}"
        assert stack.ends(within=20) == 3


def test_a_part_that_never_answers_is_named_with_what_was_last_seen(tmp_path: Path) -> None:
    with program(_stack(tmp_path, "mute")) as stack:
        said = stack.says(within=60)
        assert said["event"] == "failed"
        assert said["part"] == "forked"
        assert "not ready after 5 s; last seen: http://127.0.0.1:" in said["reason"]
        assert stack.ends(within=20) == 3
