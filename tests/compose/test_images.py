"""What our images are made of."""

import json
import re
from typing import Any

import pytest
from tests.compose.conftest import Company, run
from tests.support.servers import ROOT

PARTS = ("erp", "desk", "agent")
PYTHON_OF_THE_IMAGES = (3, 13)
LARGEST = 250_000_000
BYTES_OF = "{{json .}}"


def about(part: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("docker", "image", "inspect", "-f", BYTES_OF, f"deskworld/{part}:0.1.0"))
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(part: str) -> dict[str, str]:
    """The pins that apply to Linux and the images' Python."""
    found = {}
    for line in (ROOT / "requirements" / f"{part}.txt").read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9_.-]+)==(\S+)(?: ; (.*?))?(?: \\)?$", line):
            name, version, marker = match.groups()
            if applies(marker):
                found[canonical(name)] = version
    return found


def applies(marker: str | None) -> bool:
    if not marker:
        return True
    from packaging.markers import Marker  # noqa: PLC0415 - comes with pytest

    dotted = ".".join(map(str, PYTHON_OF_THE_IMAGES))
    there = {"python_version": dotted, "python_full_version": f"{dotted}.0", "sys_platform": "linux"}
    return Marker(marker).evaluate(there)


@pytest.mark.parametrize("part", PARTS)
def test_an_image_holds_its_pins_and_nothing_else(company: Company, part: str) -> None:
    where = "/opt/venv/lib/python3.13/site-packages"
    listing = ("/usr/local/bin/python", "-m", "pip", "list", "--path", where, "--format", "json")
    said = json.loads(run("docker", "run", "--rm", "--network", "none", f"deskworld/{part}:0.1.0", *listing))
    assert {canonical(one["name"]): one["version"] for one in said} == pinned(part)


@pytest.mark.parametrize("part", PARTS)
def test_an_image_is_small(company: Company, part: str) -> None:
    assert about(part)["Size"] <= LARGEST


@pytest.mark.parametrize("part", [*PARTS, "identity"])
def test_an_image_says_whether_it_is_well_and_is_nobody_of_importance(company: Company, part: str) -> None:
    config = about(part)["Config"]
    assert config["Healthcheck"]["Test"]
    assert config["User"].split(":")[0] == "1000"
