"""The commands about a stack, as the person at the terminal sees them."""

import io
import os
import socket
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.little_doors import stack_file
from tests.support.servers import LOOPBACK, free_ports

from deskworld import stack_commands
from deskworld.errors import ExitCode, StackUnavailable, UsageWrong
from deskworld.stack import files
from deskworld.values.realm import PEOPLE
from deskworld.values.stack import Stack


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """A terminal in an empty folder, where no stack is found."""
    for name in [name for name in os.environ if name.startswith("DESKWORLD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DESKWORLD_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("DESKWORLD_PORT_DESK", str(free_ports(1)[0]))
    monkeypatch.chdir(tmp_path)
    return Console(file=io.StringIO(), width=200)


def said(page: Console) -> str:
    assert isinstance(page.file, io.StringIO)
    return page.file.getvalue()


async def test_init_writes_beside_the_compose_file_and_says_what_comes_next(page: Console, tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").touch()
    assert await stack_commands.init(None, 9400, out=page) == ExitCode.PASS
    assert "DESKWORLD_PORT_ERP=9400\n" in (tmp_path / ".env").read_text()
    assert "docker compose up -d --wait" in said(page)
    secrets = [line.partition("=")[2] for line in (tmp_path / ".env").read_text().splitlines() if "_SECRET_" in line]
    assert not any(secret in said(page) for secret in secrets)
    with pytest.raises(UsageWrong, match="never overwritten"):
        await stack_commands.init(None, 9400, out=page)


async def test_without_a_stack_status_and_logs_say_how_to_get_one(page: Console) -> None:
    for asking in (stack_commands.status(None, out=page), stack_commands.log(None, None, 9, follow=False, out=page)):
        with pytest.raises(StackUnavailable, match="no stack is running") as ended:
            await asking
        assert "harness up" in ended.value.next_step


async def test_a_stack_file_is_saved_for_others_whether_the_stack_is_well_or_not(page: Console, tmp_path: Path) -> None:
    stack, given, saved = Stack.model_validate(stack_file()), tmp_path / "stack.json", tmp_path / "new" / "saved.json"
    files.write(stack, given)
    assert await stack_commands.status(given, save=saved, out=page) == ExitCode.BROKEN
    assert files.read(saved) == stack
    assert saved.stat().st_mode & 0o777 == 0o600


async def test_logs_are_the_last_lines_of_the_part_that_was_asked_for(page: Console, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "desk.log").write_text("one\ntwo [bold]\nthree\n")
    (tmp_path / "logs" / "erp.log").write_text("other\n")
    file = tmp_path / "stack.json"
    files.write(Stack.model_validate(stack_file(logs=str(tmp_path / "logs"))), file)
    assert await stack_commands.log("desk", file, 2, follow=False, out=page) == ExitCode.PASS
    assert said(page) == "two [bold]\nthree\n"
    with pytest.raises(UsageWrong, match="no log of 'dest'") as refused:
        await stack_commands.log("dest", file, 2, follow=False, out=page)
    assert refused.value.next_step == "there are: desk, erp"


async def test_the_logs_of_a_compose_stack_are_docker_s(page: Console, tmp_path: Path) -> None:
    file = tmp_path / "stack.json"
    files.write(Stack.model_validate(stack_file(kind="compose")), file)
    with pytest.raises(StackUnavailable) as ended:
        await stack_commands.log("desk", file, 2, follow=False, out=page)
    assert ended.value.next_step == "`docker compose logs desk`"


@pytest.mark.slow
async def test_a_first_look_start_sign_in_examine_stop(page: Console, tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yml").touch()
    assert await stack_commands.up("default", None, out=page) == ExitCode.PASS
    try:
        assert "each with the password deskworld-loopback" in said(page)
        assert all(name in said(page) for names in PEOPLE.values() for name in names)
        assert await stack_commands.doctor(None, out=page) == ExitCode.PASS, said(page)
        assert "stack: the running stack default-" in said(page)
        assert "UNWELL" not in said(page)
    finally:
        await stack_commands.down("default", out=page)
    assert "is stopped" in said(page)


@pytest.mark.slow
async def test_the_doctor_tells_of_a_port_that_compose_would_not_get(
    page: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docker-compose.yml").touch()
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("DESKWORLD_PORT_IMAP", str(port))
        assert await stack_commands.doctor(None, out=page) == ExitCode.PASS, said(page)
    assert f"port taken: {port}, which Compose wants for imap, is held by" in said(page)
    assert f"set DESKWORLD_PORT_IMAP in {tmp_path / '.env'}" in said(page)
