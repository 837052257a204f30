"""What holds of docker-compose.yml and the image recipes, as far as it can be seen without an engine."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.repository import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = re.compile(r"deskworld/[a-z]+:0\.1\.0")
RECIPES = sorted((ROOT / "infra" / "images").glob("*.Dockerfile"))


def offline_tags() -> set[str]:
    listing = [ROOT / "infra" / "offline" / "images.sh", "--list"]
    said = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    return {line.split()[1] for line in said.splitlines()}


def bases() -> set[str]:
    return {found for recipe in RECIPES for found in re.findall(r"^ARG BASE=(\S+)", recipe.read_text(), re.MULTILINE)}


def test_every_image_is_ours_or_one_that_the_offline_folder_makes_under_the_same_tag() -> None:
    named = {service["image"] for service in SERVICES.values()} | bases()
    assert {tag for tag in named if not OURS.fullmatch(tag)} <= offline_tags()


def test_the_offline_folder_makes_no_image_that_nobody_names() -> None:
    named = {service["image"] for service in SERVICES.values()} | bases()
    versions = (ROOT / "infra" / "offline" / "versions.env").read_text()
    unnamed = {tag for tag in offline_tags() - named if not tag.startswith("debian:")}
    assert unnamed == set(), versions


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_container_may_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert str(service.get("user", "1000:1000")).split(":")[0] != "0"


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_port_is_published_on_the_loopback_unless_somebody_says_otherwise(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert re.fullmatch(r"\$\{DESKWORLD_ADDRESS:-127\.0\.0\.1\}:\$\{DESKWORLD_PORT_[A-Z_]+:-81\d\d\}:\d+", port), (
            port
        )


def test_each_published_port_is_another() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    numbers = [found for port in ports for found in re.findall(r":-(81\d\d)\}", port)]
    assert len(numbers) == len(set(numbers)) == 10


def test_a_secret_without_env_file_is_one_that_a_service_knows_for_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    defaults = re.findall(r"\$\{DESKWORLD_SECRET_[A-Z_]+:-([^}]*)\}", text)
    assert len(defaults) >= 10
    assert [value for value in defaults if "loopback" not in value] == []


def test_a_service_that_holds_a_secret_knows_where_it_is_published() -> None:
    for name in ("erp", "desk", "mail", "identity"):
        assert SERVICES[name]["environment"]["DESKWORLD_PUBLISHED"] == "${DESKWORLD_ADDRESS:-127.0.0.1}"


def test_nothing_asks_a_registry_or_a_newer_engine() -> None:
    files = [*RECIPES, ROOT / "docker-compose.yml", *(ROOT / "infra" / "offline").rglob("Dockerfile")]
    asking = re.compile(r"^# *syntax=|pull_policy: always|@sha256:|start_interval|<<'?EOF|--pull\b", re.MULTILINE)
    assert [(str(path), asking.findall(path.read_text())) for path in files if asking.search(path.read_text())] == []


def test_the_agent_stands_on_its_own_network_alone() -> None:
    assert SERVICES["agent"]["networks"] == ["agents"]
    on_agents = {name for name, service in SERVICES.items() if "agents" in service.get("networks", [])}
    assert on_agents == {"agent", "desk", "token"}
    assert COMPOSE["networks"]["agents"]["internal"]
    assert COMPOSE["networks"]["office"]["internal"]


def test_a_stage_door_listens_backstage_alone() -> None:
    for name in ("erp", "desk"):
        hosts = {bind.split(":")[0] for bind in SERVICES[name]["environment"][f"{name.upper()}_STAGE_BIND"].split(",")}
        assert hosts == {"127.0.0.1", f"{name}-backstage"}


def test_a_script_of_the_stack_waits_for_nothing_by_the_clock() -> None:
    """But for a health check that found all well: it spares the machine the next look for a while."""
    scripts = [
        path
        for folder in ("mail", "postgres", "keycloak", "images")
        for path in Path(ROOT / "infra" / folder).iterdir()
    ]
    waits = re.compile(r"^(?!.*test -e /tmp/well|.*-e \"\$WELL\").*\bsleep\s+[\d$]", re.MULTILINE)
    assert [str(path) for path in scripts if waits.search(path.read_text())] == []
