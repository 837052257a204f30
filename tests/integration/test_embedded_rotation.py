"""The embedded issuer's keys are rotated while a whole stack is at work."""

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.support.office import Office
from tests.support.processes import status_of
from tests.support.rotation import keys_are_rotated_without_a_restart
from tests.support.servers import identity_server, issuer_of, running
from tests.support.signing_in import oidc
from tests.support.stack import Stack, embedded

from deskworld_kit import clock

pytestmark = pytest.mark.stack


@dataclass(frozen=True)
class Operator:
    """At the machine of an embedded issuer."""

    issuer: str
    folder: Path
    pid: int

    async def new_key(self) -> None:
        made = self._run("new")
        await self._until(lambda kids: made in kids)

    async def withdraw_old_keys(self) -> None:
        self._run("withdraw")
        await self._until(lambda kids: len(kids) == 1)

    def _run(self, what: str) -> str:
        command = [sys.executable, "-m", "deskworld_embedded.identity.rotation", what]
        where = ["--folder", str(self.folder), "--pid", str(self.pid)]
        return subprocess.run([*command, *where], check=True, capture_output=True, text=True, timeout=30).stdout.strip()

    async def _until(self, found: Callable[[list[str]], bool]) -> None:
        deadline, kids = clock.monotonic() + 10, list[str]()
        async with httpx.AsyncClient(trust_env=False) as http:
            while not found(kids):
                assert clock.monotonic() < deadline, f"awaited other keys for 10 s; last seen {kids}"
                answer = await http.get(f"{self.issuer}/protocol/openid-connect/certs")
                kids = [key["kid"] for key in answer.json()["keys"]]


@pytest.fixture(scope="module")
def own() -> Iterator[Stack]:
    with embedded("--name", "rotation") as (_, stack):
        yield stack


@pytest.fixture
async def office(own: Stack) -> AsyncIterator[Office]:
    async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
        yield Office(own, http)


async def test_keys_are_rotated_without_a_restart(office: Office) -> None:
    folder = Path(office.stack["folder"])
    operator = Operator(office.stack["issuer"], folder / "identity", status_of(folder)["identity"]["pid"])
    await keys_are_rotated_without_a_restart(office, operator)


async def test_a_rotation_outlives_the_issuers_process_and_ends_no_session(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            before = (await issuer.password("emma.lind", scope="openid")).json()
            operator = Operator(issuer_of(server), tmp_path / "identity", server.pid)
            await operator.new_key()
            headers = {"Authorization": f"Bearer {before['access_token']}"}
            assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 200
            server.kill()
            server.start()
            assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 200
            await Operator(operator.issuer, operator.folder, server.pid).withdraw_old_keys()
            assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401
            form = {"grant_type": "refresh_token", "client_id": "harness", "refresh_token": before["refresh_token"]}
            assert (await issuer.token(**form)).status_code == 200


def test_a_rotation_at_the_wrong_place_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deskworld_embedded.identity.rotation", "new"]
    done = subprocess.run(
        [*command, "--folder", str(tmp_path), "--pid", "1"], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 3
    assert "is " + str(tmp_path) + " the issuer's folder" in done.stderr
