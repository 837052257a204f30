"""`harness init`, and that harness, page of doors and compose file mean the same ports and secrets."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.support.repository import ROOT

from deskworld.errors import StackUnavailable, UsageWrong
from deskworld.stack import compose, dotenv

PAGE = (ROOT / "docs" / "doors.md").read_text()


def test_init_writes_a_secret_of_its_own_for_each_lock(tmp_path: Path) -> None:
    path = dotenv.write(tmp_path, compose.fresh_settings(9300))
    assert path.stat().st_mode & 0o777 == 0o600
    written = dotenv.settings(tmp_path, {})
    secrets = {name: value for name, value in written.items() if "_SECRET_" in name}
    assert len(secrets) == len(set(secrets.values())) == 13
    assert all(re.fullmatch(r"[\w-]{32}", value) and "loopback" not in value for value in secrets.values())
    assert sorted(int(value) for name, value in written.items() if "_PORT_" in name) == list(range(9300, 9310))
    stack = compose.stack(written, "mine")
    assert stack.desk == "http://127.0.0.1:9302"
    assert stack.secrets.desk_stage == secrets["DESKWORLD_SECRET_DESK_STAGE"]
    assert stack.secrets.people == secrets["DESKWORLD_SECRET_PEOPLE"]


def test_init_never_writes_over_what_is_there(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MINE=1\n")
    with pytest.raises(UsageWrong, match="is there already") as refused:
        dotenv.write(tmp_path, compose.fresh_settings(compose.BASE))
    assert refused.value.next_step
    assert (tmp_path / ".env").read_text() == "MINE=1\n"


def test_init_follows_no_link_that_somebody_laid(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageWrong):
        dotenv.write(tmp_path, compose.fresh_settings(compose.BASE))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("base", [80, 65_530])
def test_a_base_without_ten_ports_is_refused(base: int) -> None:
    with pytest.raises(StackUnavailable, match=f"a port base of {base}"):
        compose.fresh_settings(base)


def test_git_ignores_the_file_of_secrets() -> None:
    assert subprocess.run(["git", "check-ignore", "-q", ".env"], cwd=ROOT, check=False).returncode == 0


def test_the_page_of_doors_has_the_ports() -> None:
    listed = re.findall(r"`DESKWORLD_PORT_(\w+)` \| (\d+)", PAGE)
    assert {door.lower(): int(port) for door, port in listed} == compose.ports({})


def defaults(text: str, pattern: str) -> dict[str, str]:
    return {lock.lower(): default for lock, default in re.findall(pattern, text)}


def test_the_page_of_doors_has_the_default_secrets() -> None:
    listed = defaults(PAGE, r"`DESKWORLD_SECRET_(\w+)` \| `([^`]+)`")
    assert set(listed) == set(compose.SECRETS)
    assert listed == {lock: compose.secret({}, lock) for lock in compose.SECRETS}


def test_the_compose_file_has_the_same_names_and_defaults() -> None:
    file = (ROOT / "docker-compose.yml").read_text()
    secrets = defaults(file, r"\$\{DESKWORLD_SECRET_(\w+):-([^}]+)\}")
    assert secrets == {lock: compose.secret({}, lock) for lock in compose.SECRETS}
    ports = defaults(file, r"\$\{DESKWORLD_PORT_(\w+):-(\d+)\}")
    assert {door: int(port) for door, port in ports.items()} == compose.ports({})
