"""The whole embedded stack: up, killed in every part, side by side with another, and gone without a trace."""

import json
import os
import select
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import psutil
import pytest
from asyncpg.exceptions import InsufficientPrivilegeError
from tests.support.processes import Program, all_gone, is_alive, kill, restarted, status_of
from tests.support.stack import Stack, embedded

from deskworld_kit import clock
from deskworld_kit.ids import new_id

pytestmark = pytest.mark.stack

PARTS = ("postgres", "mail", "identity", "policy", "erp", "desk")


@pytest.fixture(scope="module")
def own() -> Iterator[tuple[Program, Stack]]:
    """A stack that these tests may hurt."""
    with embedded("--name", "hurt") as up:
        yield up


def _unwell(stack: Stack) -> dict[str, str]:
    """What the doors say of themselves that are not well."""
    answers = {
        door: httpx.get(f"{stack[door]}/health") for door in ("erp", "erp_stage", "desk", "desk_stage", "policy")
    }
    return {door: answer.text for door, answer in answers.items() if answer.status_code != 200}


def _healthy(stack: Stack) -> bool:
    return _unwell(stack) == {}


def _until_healthy(stack: Stack, *, within: float) -> None:
    """A part that is back is ready before its neighbours have met it again."""
    deadline = clock.monotonic() + within
    pause = select.poll()  # with nothing to poll it is a pause of milliseconds
    while (unwell := _unwell(stack)) != {}:
        assert clock.monotonic() < deadline, f"not every door was well within {within} s; last said: {unwell}"
        pause.poll(50)


def test_the_stack_file_says_what_the_page_of_doors_says(own: tuple[Program, Stack]) -> None:
    _, stack = own
    file = Path(stack["folder"]) / "stack.json"
    assert json.loads(file.read_text()) == stack
    assert file.stat().st_mode & 0o777 == 0o600
    assert set(stack) == {
        "schema", "id", "kind", "erp", "erp_stage", "desk", "desk_stage", "agent_door", "issuer", "policy", "smtp",
        "submission", "imap", "secrets", "folder", "logs", "pid",
    }  # fmt: skip
    assert set(stack["secrets"]) == {
        "erp_stage",
        "desk_stage",
        "agent_client",
        "counterparty_mailbox",
        "desk_client",
        "desk_mailbox",
    }
    assert stack["issuer"].endswith("/realms/deskworld")


def test_every_part_is_up_and_has_a_log(own: tuple[Program, Stack]) -> None:
    _, stack = own
    assert _healthy(stack)
    assert {name: part["state"] for name, part in status_of(Path(stack["folder"])).items()} == dict.fromkeys(
        PARTS, "ready"
    )
    assert {path.stem for path in Path(stack["logs"]).iterdir()} >= {*PARTS, "supervisor"}


def test_it_costs_less_than_400_megabytes(own: tuple[Program, Stack]) -> None:
    _, stack = own
    command = [
        sys.executable,
        "-m",
        "deskworld_embedded",
        "measure",
        "--stack",
        str(Path(stack["folder"]) / "stack.json"),
    ]
    measured: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert set(measured) == {*PARTS, "supervisor", "nursery", "total"}
    assert measured["total"]["pss_mb"] <= 400


def _seed(stack: Stack) -> str:
    """A vendor of its own; answers its id."""
    vendor_id = new_id()
    situation = {
        "vendor": {"id": vendor_id, "name": "Kept Ltd", "terms": "NET30", "contacts": [], "bank_accounts": []},
        **{kind: [] for kind in ("orders", "receipts", "invoices", "bank_changes", "faults")},
    }
    answer = httpx.post(f"{stack['erp_stage']}/stage/situations", json=situation, headers=_stage(stack))
    assert answer.status_code == 201, answer.text
    return vendor_id


def _stage(stack: Stack) -> dict[str, str]:
    return {"Authorization": f"Bearer {stack['secrets']['erp_stage']}"}


@pytest.mark.parametrize("part", ["postgres", "erp"])
def test_what_the_erp_was_given_is_there_after_a_kill(own: tuple[Program, Stack], part: str) -> None:
    _, stack = own
    folder = Path(stack["folder"])
    vendor_id = _seed(stack)
    pid = status_of(folder)[part]["pid"]
    kill(pid)
    restarted(folder, part, than=pid, within=30)
    answer = httpx.get(f"{stack['erp_stage']}/stage/witness", params={"vendor_id": vendor_id}, headers=_stage(stack))
    assert answer.status_code == 200, answer.text
    assert answer.json()["vendor"]["name"] == "Kept Ltd"


@pytest.mark.parametrize(("database", "table"), [("erp", "audit"), ("desk", "timeline"), ("desk", "blobs")])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}", "DROP TABLE {}"])
async def test_no_service_can_change_a_record_of_what_happened(
    own: tuple[Program, Stack], database: str, table: str, change: str
) -> None:
    _, stack = own
    async with _superuser(stack, database) as connection:
        column = await connection.fetchval(
            "SELECT column_name FROM information_schema.columns WHERE table_name = $1 LIMIT 1", table
        )
        await connection.execute(f"SET ROLE {database}_service")
        await connection.fetchval(f"SELECT count(*) FROM {table}")
        with pytest.raises(InsufficientPrivilegeError):
            await connection.execute(change.format(table, column, column))


@asynccontextmanager
async def _superuser(stack: Stack, database: str) -> AsyncIterator[Any]:
    connect: Any = asyncpg.connect
    socket = psutil.Process(status_of(Path(stack["folder"]))["postgres"]["pid"]).cwd()
    connection = await connect(host=str(Path(socket).parent), user="postgres", database=database)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.mark.parametrize("part", PARTS)
def test_a_killed_part_comes_back_healthy_on_the_same_ports(own: tuple[Program, Stack], part: str) -> None:
    _, stack = own
    folder = Path(stack["folder"])
    pid = status_of(folder)[part]["pid"]
    kill(pid)
    restarted(folder, part, than=pid, within=20)
    _until_healthy(stack, within=20)


def test_a_second_stack_beside_the_first_has_everything_of_its_own(own: tuple[Program, Stack]) -> None:
    _, first = own
    with embedded("--name", "second") as (_, second):
        assert _healthy(second)
        assert _healthy(first)
        for door in ("id", "erp", "desk", "issuer", "folder", "secrets"):
            assert first[door] != second[door]
        answer = httpx.get(
            f"{second['erp_stage']}/stage/witness",
            params={"vendor_id": "any"},
            headers={"Authorization": f"Bearer {first['secrets']['erp_stage']}"},
        )
        assert answer.status_code == 401
    assert _healthy(first)
    assert not Path(second["folder"]).exists()


def test_a_folder_in_use_is_refused(own: tuple[Program, Stack]) -> None:
    _, stack = own
    second = Program(["deskworld_embedded", "--folder", stack["folder"]])
    try:
        assert "another stack is up in" in second.says(within=60)["reason"]
        assert second.ends(within=20) == 3
    finally:
        second.close()
    assert _healthy(stack)


def test_a_stack_leaves_nothing_when_its_starter_is_killed(tmp_path: Path) -> None:
    text = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE); child.wait()"
    folder = tmp_path / "stack"
    command = [sys.executable, "-m", "deskworld_embedded", "--folder", str(folder)]
    starter = Program(["tests.support.run_text", text, *command])
    try:
        assert starter.says(within=60)["event"] == "ready"
        family = starter.family()
        assert len(family) > 10
        kill(starter.process.pid)
        assert all_gone(family, within=10) == []
        assert not folder.exists()
    finally:
        starter.close()


def test_a_stack_leaves_no_process_when_its_supervisor_is_killed_and_the_next_start_clears_up(tmp_path: Path) -> None:
    folder = tmp_path / "stack"
    first = Program(["deskworld_embedded", "--folder", str(folder)])
    try:
        assert first.says(within=60)["event"] == "ready"
        family = first.family()
        kill(first.process.pid)
        assert all_gone(family, within=20) == []
        assert folder.exists()
    finally:
        first.close()
    with embedded("--name", "next") as (_, stack):
        assert _healthy(stack)
        assert not folder.exists()


def test_a_kept_stack_outlives_its_starters_pipe_and_ends_on_a_signal(tmp_path: Path) -> None:
    stack = Program(["deskworld_embedded", "--keep", "--folder", str(tmp_path / "kept")])
    try:
        assert stack.says(within=60)["event"] == "ready"
        family: list[psutil.Process] = stack.family()
        stack.let_go()
        assert all_gone(family[:1], within=0.5) == family[:1]
        assert all(is_alive(process) for process in family)
        os.kill(stack.process.pid, 15)
        assert stack.ends(within=30) == 0
        assert all_gone(family, within=20) == []
        assert not (tmp_path / "kept").exists()
    finally:
        stack.close()


def test_kept_data_is_there_at_the_next_start(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for _ in range(2):
        with embedded("--keep-data", "--folder", str(folder)) as (_, stack):
            assert _healthy(stack)
    assert (folder / "logs" / "erp.log").exists()
    assert not (folder / "stack.json").exists()
