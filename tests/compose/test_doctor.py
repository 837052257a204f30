"""`harness doctor` on containers, at the terminal: silent while all is well, and by name when one real part is broken.

A clock that is wrong stands in tests/integration/test_harness_doctor.py alone: containers have the machine's.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.compose.conftest import Company, run, until_unwell
from tests.support.policy_edit import DATA, copied
from tests.support.servers import ROOT, mail_server, running

from deskworld.stack import files
from deskworld.values.stack import Stack

HARNESS = Path(sys.executable).parent / "harness"
LINE = re.compile(r"^(well  |UNWELL|note  ) (?P<part>[^:]+): (?P<said>.*)(?:\n {7}next: (?P<next>.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    code: int
    text: str

    @property
    def unwell(self) -> dict[str, tuple[str, str]]:
        """What was said of each part that is not well, and the next step."""
        return {one["part"]: (one["said"], one["next"]) for one in LINE.finditer(self.text) if one[1] == "UNWELL"}

    def the_one(self, part: str) -> tuple[str, str]:
        assert (list(self.unwell), self.code) == ([part], 3), self.text
        return self.unwell[part]


def doctor(company: Company, *flags: str, **settings: str) -> Told:
    done = subprocess.run(
        [HARNESS, "doctor", *flags],
        cwd=ROOT,
        env={**company.environment, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Told(done.returncode, done.stdout + done.stderr)


def with_doors(company: Company, folder: Path, **changes: Any) -> str:
    """A stack file with some doors changed."""
    file = folder / "stack.json"
    files.write(Stack.model_validate({**company.stack, **changes}), file)
    return str(file)


def test_a_stack_of_containers_is_well_in_every_part_time_and_again(company: Company) -> None:
    for _ in range(3):
        told = doctor(company)
        assert (told.unwell, told.code) == ({}, 0), told.text
        assert len(LINE.findall(told.text)) == 17


# ---- policy ----------------------------------------------------------------------------------------------------------


@contextmanager
def own_policies(company: Company, folder: Path) -> Iterator[Path]:
    """The stack's OPA on a copy of the policies, and back on the checkout's at the end."""
    copy = copied(folder)
    again = ("docker", "compose", "up", "-d", "--no-deps", "--wait", "policy")
    run(*again, environment={**company.environment, "DESKWORLD_POLICIES": str(copy)})
    try:
        yield copy
    finally:
        run(*again, environment=company.environment)


HOLD = "ap/routing/hold.rego"
BREAKING = {
    "a rule without a value": (HOLD, "\ndecision := \n", r"ap/routing/hold\.rego:19: unexpected eof"),
    "a name that nobody gave": (HOLD, "\nnobody := anybody\n", r"hold\.rego:18: var anybody is unsafe"),
    "a function that is not there": (HOLD, "\nx if nobody(3)\n", r"hold\.rego:18: undefined function"),
    "data that is no JSON": (DATA.as_posix(), ",\n", r"ap/data/data\.json:\d+: Extra data"),
}


@pytest.fixture(scope="module")
def policies(company: Company, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with own_policies(company, tmp_path_factory.mktemp("policies")) as copy:
        yield copy


@pytest.mark.parametrize("what", BREAKING)
def test_an_edit_that_opa_does_not_load_is_named_by_file_and_line_while_opa_calls_itself_healthy(
    company: Company, policies: Path, what: str
) -> None:
    name, text, said = BREAKING[what]
    file = policies / name
    sound = file.read_text()
    file.write_text(sound + text)
    try:
        found, next_step = doctor(company, DESKWORLD_POLICIES=str(policies)).the_one("policy")
        assert httpx.get(f"{company.stack['policy']}/health", trust_env=False).status_code == 200
    finally:
        file.write_text(sound)
    assert "policy not loaded" in found
    assert re.search(said, found), found
    assert "opa check --strict" in next_step
    assert doctor(company, DESKWORLD_POLICIES=str(policies)).unwell == {}


def test_policies_that_load_and_are_not_those_in_force_are_told_with_the_command_that_reads_them(
    company: Company, tmp_path: Path
) -> None:
    edited = copied(tmp_path)
    (edited / DATA).write_text((edited / DATA).read_text().replace('"ap-1"', '"ap-2"'))
    found, next_step = doctor(company, DESKWORLD_POLICIES=str(edited)).the_one("policy")
    assert found.endswith(f"decides by other sources than {edited}: {DATA}")
    assert "docker compose up -d --force-recreate policy" in next_step


# ---- ports -----------------------------------------------------------------------------------------------------------


def test_a_port_where_another_program_answers_is_told_from_a_sick_service(company: Company) -> None:
    identity = str(company.ports["IDENTITY"])
    found, next_step = doctor(company, DESKWORLD_PORT_AGENT_DOOR=identity).the_one("agent door")
    assert f"something else than agent door answers at http://127.0.0.1:{identity}" in found
    assert "the port is taken by another program" in next_step


def test_ports_that_compose_would_not_get_are_told_with_their_holder(company: Company, tmp_path: Path) -> None:
    told = doctor(company, DESKWORLD_PORT_DESK="9", DESKWORLD_STATE=str(tmp_path))
    assert told.code == 0, told.text
    assert re.search(
        rf"port taken: {company.ports['POLICY']}, which Compose wants for policy, is held by \S", told.text
    )
    assert "set DESKWORLD_PORT_POLICY in" in told.text


# ---- identity --------------------------------------------------------------------------------------------------------


def test_a_stack_that_calls_its_issuer_by_another_name_is_a_mismatch(company: Company, tmp_path: Path) -> None:
    named = f"http://localhost:{company.ports['IDENTITY']}/realms/deskworld"
    found, next_step = doctor(company, "--stack", with_doors(company, tmp_path, issuer=named)).unwell["identity"]
    assert found == f"issuer mismatch: identity calls itself {company.stack['issuer']}, and the stack says {named}"
    assert "KC_HOSTNAME" in next_step


def test_a_service_that_trusts_another_issuer_is_named(company: Company) -> None:
    again = ("docker", "compose", "up", "-d", "--no-deps", "--wait", "erp")
    run(*again, environment={**company.environment, "DESKWORLD_PORT_IDENTITY": "1"})
    try:
        found, next_step = doctor(company).unwell["sign-in"]  # and the desk is not well without the ERP
        assert "ERP does not take the token of " in found
        assert f"OIDC_ISSUER and OIDC_JWKS_URL with {company.stack['issuer']}" in next_step
    finally:
        run(*again, environment=company.environment)
    assert doctor(company).unwell == {}


def test_a_client_without_its_audience_is_named(company: Company) -> None:
    with keycloak(company) as ask:
        (client,) = ask("GET", "/clients", params={"clientId": "desk"})
        mappers = f"/clients/{client['id']}/protocol-mappers/models"
        (mapper,) = [one for one in ask("GET", mappers) if one["name"] == "audience erp"]
        ask("DELETE", f"{mappers}/{mapper['id']}")
        try:
            found, next_step = doctor(company).the_one("desk's sign-in")
            assert found == "wrong audience: the token of desk is for nobody, and should be for erp"
            assert "infra/keycloak/realm.json" in next_step
        finally:
            ask("POST", mappers, json=mapper)
    assert doctor(company).unwell == {}


@contextmanager
def keycloak(company: Company) -> Iterator[Any]:
    """Keycloak's administration of the realm."""
    base = company.stack["issuer"].removesuffix("/realms/deskworld")
    form = {"grant_type": "password", "client_id": "admin-cli", "username": "admin"}
    with httpx.Client(timeout=30, trust_env=False) as http:
        signed_in = http.post(
            f"{base}/realms/master/protocol/openid-connect/token", data=form | {"password": "loopback-keycloak-admin"}
        )
        headers = {"Authorization": f"Bearer {signed_in.raise_for_status().json()['access_token']}"}

        def ask(method: str, path: str, **options: Any) -> Any:
            url = f"{base}/admin/realms/deskworld{path}"
            answer = http.request(method, url, headers=headers, **options).raise_for_status()
            return answer.json() if answer.content else None

        yield ask


# ---- mail ------------------------------------------------------------------------------------------------------------


MAIL = {"SMTP", "submission", "IMAP", "mail arrives"}


def test_mail_that_one_server_takes_and_another_shows_does_not_arrive(company: Company, tmp_path: Path) -> None:
    """Two whole mail servers, as where a port leads to a stack that was left running."""
    other = mail_server(tmp_path)
    with running(other):
        smtp = {"host": "127.0.0.1", "port": other.ports[0]}
        found, next_step = doctor(company, "--stack", with_doors(company, tmp_path, smtp=smtp)).the_one("mail arrives")
    assert f"was taken at 127.0.0.1:{other.ports[0]}, and not seen at 127.0.0.1:{company.ports['IMAP']}" in found
    assert "are both doors of the same mail server?" in next_step


def test_a_mail_server_that_stands_still_and_one_that_is_gone_are_told_apart(company: Company) -> None:
    company.compose("pause", "mail")
    try:
        still = doctor(company).unwell
    finally:
        company.compose("unpause", "mail")
    assert set(still) >= MAIL  # and the desk, which cannot hear it
    assert "said nothing within" in still["SMTP"][0]
    company.compose("stop", "mail")
    try:
        gone = doctor(company).unwell
    finally:
        company.compose("up", "-d", "--no-deps", "--wait", "mail")
    assert set(gone) >= MAIL
    assert "nothing listens at" in gone["SMTP"][0]
    until_unwell(company, set())  # the desk hears of its mailbox again within seconds
    assert doctor(company).unwell == {}
