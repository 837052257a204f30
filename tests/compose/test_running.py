"""The stack at work: well, small, apart, and refusing what must not be."""

import json
import re
import subprocess

import pytest
from tests.compose.conftest import Company, run
from tests.support.servers import ROOT

MEMORY = 2_000_000_000
UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def containers(company: Company) -> dict[str, str]:
    lines = company.compose("ps", "-a", "--format", "json").splitlines()
    return {one["Service"]: one["ID"] for one in map(json.loads, lines)}


def test_everything_that_runs_is_well(company: Company) -> None:
    lines = company.compose("ps", "--format", "json").splitlines()
    assert {one["Service"]: one["Health"] for one in map(json.loads, lines)} == dict.fromkeys(
        ("agent", "desk", "erp", "identity", "mail", "policy", "postgres", "token"), "healthy"
    )


def test_all_of_it_takes_less_than_two_gigabytes(company: Company) -> None:
    names = containers(company).values()
    said = run("docker", "stats", "--no-stream", "--format", "{{.MemUsage}}", *names)
    used = sum(float(number) * UNITS[unit] for number, unit in re.findall(r"^([\d.]+)([KMG]iB)", said, re.MULTILINE))
    assert 0 < used <= MEMORY


def test_nobody_is_root_and_nobody_writes_but_where_it_must(company: Company) -> None:
    for service, container in containers(company).items():
        (about,) = json.loads(run("docker", "inspect", container))
        assert about["Config"]["User"].split(":")[0] not in ("", "0", "root"), service
        assert about["HostConfig"]["ReadonlyRootfs"], service
        assert about["HostConfig"]["CapDrop"] == ["ALL"], service
        published = [one for ports in about["HostConfig"]["PortBindings"].values() for one in ports]
        assert {one["HostIp"] for one in published} <= {"127.0.0.1"}, service


def test_a_service_opens_its_own_database_alone(company: Company) -> None:
    for role, other in (("erp_service", "desk"), ("desk_service", "erp")):
        address = f"postgresql://{role}:loopback-{role.partition('_')[0]}-database@127.0.0.1/{other}"
        with pytest.raises(AssertionError, match="permission denied for database"):
            company.inside("postgres", "psql", address, "-c", "select 1")


@pytest.mark.parametrize("part", ["erp", "desk"])
def test_a_service_published_elsewhere_refuses_default_secrets(company: Company, part: str) -> None:
    environment = {**company.environment, "DESKWORLD_ADDRESS": "0.0.0.0"}
    command = ("docker", "compose", "run", "--rm", "--no-deps", "-T", part)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    said = done.stderr + done.stdout
    assert f"setting {part.upper()}_STAGE_SECRET: a default secret is for the loopback only" in said


@pytest.mark.parametrize("service", ["mail", "identity"])
def test_mail_and_identity_published_elsewhere_refuse_them_too(company: Company, service: str) -> None:
    environment = {**company.environment, "DESKWORLD_ADDRESS": "0.0.0.0"}
    command = ("docker", "compose", "run", "--rm", "--no-deps", "-T", service)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "for the loopback only" in done.stderr + done.stdout
