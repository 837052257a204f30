"""Which stack `harness` works on: the order, and what it says of it."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.support.little_doors import answering, serving, stack_file
from tests.support.servers import LOOPBACK, free_ports

from deskworld.errors import StackUnavailable
from deskworld.stack import choose, compose, dotenv, files, holding

NAMED = {"status": "ok", "checks": {}, "stack": {"id": "compose-deskworld", "kind": "compose"}}
GIVEN = {
    **{f"DESKWORLD_{door}_URL": f"http://erp.example/{door}/" for door in
       ("ERP", "ERP_STAGE", "DESK", "DESK_STAGE", "AGENT_DOOR", "ISSUER", "POLICY")},
    **{f"DESKWORLD_{door}": "mail.example:25" for door in ("SMTP", "SUBMISSION", "IMAP")},
    **{f"DESKWORLD_SECRET_{lock}": lock.lower() for lock in
       ("ERP_STAGE", "DESK_STAGE", "AGENT_CLIENT", "COUNTERPARTY_MAILBOX")},
}  # fmt: skip


def port_of(url: str) -> str:
    return url.rpartition(":")[2]


def write(path: Path, **changes: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(stack_file(**changes)))
    return path


async def test_the_order_is_file_then_environment_then_harness_up_then_compose(tmp_path: Path) -> None:
    async with serving(answering(NAMED)) as desk:
        alone = {"DESKWORLD_STATE": str(tmp_path / "state"), "DESKWORLD_PORT_DESK": port_of(desk)}
        by_file = {"DESKWORLD_STACK": str(write(tmp_path / "by-environment.json", id="named"))}
        option = write(tmp_path / "option.json", id="option")
        up = write(files.running_file(environment=alone), id="up")

        async def chosen(given: Path | None, **environment: str) -> tuple[str, str]:
            found = await choose.found(given, {**alone, **environment}, tmp_path)
            assert found is not None
            return found.stack.id, found.why

        assert await chosen(option, **by_file, **GIVEN) == ("option", f"the stack of {option}")
        assert (await chosen(None, **by_file, **GIVEN))[0] == "named"
        assert await chosen(None, **GIVEN) == ("given", "the stack given that the environment names")
        assert await chosen(None) == ("up", "the running stack up of `harness up`")
        up.unlink()
        assert await chosen(None) == ("compose-deskworld", f"the compose stack compose-deskworld at {desk}")


async def test_where_nothing_runs_nothing_is_found(tmp_path: Path) -> None:
    nothing = {"DESKWORLD_STATE": str(tmp_path), "DESKWORLD_PORT_DESK": str(free_ports(1)[0])}
    assert await choose.found(None, nothing, tmp_path) is None
    assert await compose.running(nothing) == (None, "")


async def test_a_compose_stack_that_is_not_well_is_found_all_the_same() -> None:
    async with serving(answering(NAMED | {"status": "unwell", "checks": {"database": "gone"}}, 503)) as desk:
        stack, _ = await compose.running({"DESKWORLD_PORT_DESK": port_of(desk)})
    assert stack is not None
    assert stack.kind == "compose"


@pytest.mark.parametrize(
    "said", [{}, [], {"status": "ok", "checks": {}}, {"status": "ok", "stack": {"id": "x", "kind": "embedded"}}]
)
async def test_what_is_no_compose_stack_is_left_alone_and_told(said: Any) -> None:
    async with serving(answering(said)) as other:
        found = await compose.running({"DESKWORLD_PORT_DESK": port_of(other)})
    assert found == (None, f"what answers at {other} is no compose stack")


async def test_settings_come_from_the_environment_then_from_the_file_beside_the_compose_file(tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yml").touch()
    (tmp_path / ".env").write_text(
        "# ours\nDESKWORLD_PORT_ERP=9100\nexport DESKWORLD_PORT_IMAP='9109' \nDESKWORLD_SECRET_ERP_STAGE=a=b # why\n"
    )
    below = tmp_path / "some" / "where"
    below.mkdir(parents=True)
    settings = dotenv.settings(dotenv.home(below), {"DESKWORLD_PORT_ERP": "9200"})
    stack = compose.stack(settings, "x")
    assert stack.erp == "http://127.0.0.1:9200"
    assert stack.imap.port == 9109
    assert stack.desk == "http://127.0.0.1:8102"
    assert stack.secrets.erp_stage == "a=b"
    assert stack.secrets.desk_stage == "loopback-desk-stage"


def test_an_address_that_is_no_port_is_named() -> None:
    with pytest.raises(StackUnavailable, match="DESKWORLD_PORT_SMTP=mail is no port"):
        compose.ports({"DESKWORLD_PORT_SMTP": "mail"})


async def test_half_a_stack_in_the_environment_is_no_stack(tmp_path: Path) -> None:
    half = {name: value for name, value in GIVEN.items() if name not in ("DESKWORLD_IMAP", "DESKWORLD_ISSUER_URL")}
    with pytest.raises(StackUnavailable, match="not DESKWORLD_ISSUER_URL, DESKWORLD_IMAP"):
        await choose.found(None, half, tmp_path)


async def test_a_mail_door_without_a_port_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackUnavailable, match=r"the environment.s stack: imap\.port"):
        await choose.found(None, {**GIVEN, "DESKWORLD_IMAP": "mail.example"}, tmp_path)


def test_a_port_that_is_taken_is_told_with_its_holder() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
        (found,) = holding.taken({"desk": port, "erp": free_ports(1)[0]}, LOOPBACK)
    assert (found.door, found.port) == ("desk", port)
    assert "pid" in found.by or found.by == "another program"
