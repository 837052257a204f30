"""OPA itself, of the version that the stack names: out of the stack's image, off the path, or built by Go."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import yaml
from tests.support.repository import ROOT

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
IMAGE = str(COMPOSE["services"]["policy"]["image"])
VERSION = IMAGE.partition(":")[2].partition("-")[0]
FOLDER = ROOT / "build" / "opa"
BUILD = ROOT / "infra" / "offline" / "images" / "opa" / "build.sh"
LOOK_SECONDS, BUILD_SECONDS = 60, 900
NONE = "none"
"""OPA=none says that there is none, and that this is known."""


class NoOpa(Exception):
    """There is no OPA here; the text says where it was looked for."""


class PassedOver(Exception):
    """Why one source of OPA does not count."""


@dataclass(frozen=True, slots=True)
class Opa:
    program: Path
    origin: str

    def run(self, *arguments: str | Path, within: float = 300) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False, timeout=within)


@cache
def found(*, build: bool) -> Opa:
    """The first that runs and has the version. `build`: also with Go, which takes minutes once. Raises NoOpa."""
    return find(os.environ, build=build)


def find(environment: Mapping[str, str], *, build: bool, folder: Path = FOLDER) -> Opa:
    """Raises NoOpa."""
    path = environment.get("PATH", "")
    given = environment.get("OPA")
    if given == NONE:
        raise NoOpa("OPA=none says that there is none here")
    tried: list[str] = []
    for name, look in _looks(given, path, folder, build=build):
        try:
            return _proven(look(), name)
        except PassedOver as why:
            tried.append(f"{name}: {why}")
    raise NoOpa(f"no OPA {VERSION} here ({'; '.join(tried)})")


def _looks(given: str | None, path: str, folder: Path, *, build: bool) -> Iterator[tuple[str, Callable[[], Path]]]:
    if given:
        yield f"OPA={given}", lambda: Path(given)
        return
    yield f"image {IMAGE}", lambda: _from_image(path, folder)
    yield "opa on the path", lambda: _program("opa", path)
    yield "built by Go", lambda: _built(path, folder / VERSION, build=build)


def _proven(program: Path, name: str) -> Opa:
    try:
        said = subprocess.run([program, "version"], capture_output=True, text=True, check=False, timeout=LOOK_SECONDS)
    except OSError as error:
        raise PassedOver(f"{program} does not run: {error.strerror}") from error
    if f"Version: {VERSION}\n" not in said.stdout:
        first = (said.stdout or said.stderr).partition("\n")[0]
        raise PassedOver(f"{program} is another one ({first or 'it says nothing'})")
    return Opa(program, name)


def _program(name: str, path: str) -> Path:
    found_there = shutil.which(name, path=path)
    if found_there is None:
        raise PassedOver(f"there is no {name}")
    return Path(found_there)


def _from_image(path: str, folder: Path) -> Path:
    """The binary is static, so that it runs outside its image too."""
    docker = _program("docker", path)
    image = _said(docker, "image", "inspect", "--format", "{{.Id}}", IMAGE).removeprefix("sha256:")[:12]
    program = folder / image / "opa"
    if not program.exists():
        container = _said(docker, "create", "--network", "none", IMAGE)
        fresh = folder / image / f"fresh-{uuid4()}"
        fresh.parent.mkdir(parents=True, exist_ok=True)
        try:
            _said(docker, "cp", f"{container}:/opa", fresh)
        finally:
            _said(docker, "rm", container)
        fresh.replace(program)
    return program


def _built(path: str, folder: Path, *, build: bool) -> Path:
    program = folder / "opa"
    if not program.exists():
        _program("go", path)
        if not build:
            raise PassedOver("not built yet (`make policies` does)")
        folder.mkdir(parents=True, exist_ok=True)
        _said(BUILD, folder, VERSION, within=BUILD_SECONDS)
    return program


def _said(*command: str | Path, within: float = LOOK_SECONDS) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=within)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PassedOver(f"{Path(command[0]).name} {command[1]}: {error}") from error
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise PassedOver(f"{Path(command[0]).name} {command[1]}: {last or f'status {done.returncode}'}")
    return done.stdout.strip()
