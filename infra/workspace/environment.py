"""Makes .venv from the hashed pins and the workspace's members; does nothing when it is as it should be.

Runs on a bare Python: standard library only, no ensurepip, a pip that may be managed by the system. Which index pip
asks, and how, is its user's configuration alone.
"""

import argparse
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / "deskworld.json"
HARNESS = ENVIRONMENT / "bin" / "harness"
PINS = {"run": ("run",), "dev": ("run", "dev")}  # what an environment of each kind holds
MEMBERS = sorted([*ROOT.glob("services/*/pyproject.toml"), *ROOT.glob("harness/pyproject.toml")])
PIP_OTHER_PYTHON = (22, 3)  # the first pip that installs into an environment that is not its own


class SetupFailed(Exception):
    """.venv could not be made; the message says what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="setup", description=__doc__)
    parser.add_argument("kind", choices=PINS)
    kind = parser.parse_args().kind
    lock = os.open(ROOT, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second finds the work done
    try:
        if ready(kind):
            return 0
        build(kind)
    except SetupFailed as error:
        sys.stderr.write(f"setup: {error}\n")
        return 1
    finally:
        os.close(lock)
    return 0


def ready(kind: str) -> bool:
    made = stamp()
    holds = PINS.get(made.get("kind", ""), ())
    return kind in holds and made.get("content") == content() and PYTHON.exists() and HARNESS.exists()


def build(kind: str) -> None:
    """Raises SetupFailed."""
    began = time.monotonic()
    say(f"making .venv with Python {sys.version.split()[0]} from requirements/{kind}.txt; this is done once")
    pip = create(clear=not mendable())
    STAMP.write_text(json.dumps({"home": home()}))
    # of what tests are held against little is ever imported, and that is compiled then
    compiled = ["--no-compile"] if kind == "dev" else []
    # the pins are complete: there is nothing to resolve
    install(pip, ["--no-deps", "--require-hashes", *compiled, "-r", str(ROOT / "requirements" / f"{kind}.txt")])
    editable = [flag for member in MEMBERS for flag in ("--editable", str(member.parent))]
    install(pip, ["--no-deps", "--no-build-isolation", *editable])
    STAMP.write_text(json.dumps({"home": home(), "kind": kind, "content": content()}))
    say(f"ready in {time.monotonic() - began:.1f} s")


def mendable() -> bool:
    """Whether what is there can be installed over: it was made here, and by this Python."""
    same = (ENVIRONMENT / "lib" / "python{}.{}".format(*sys.version_info)).is_dir()
    return not ENVIRONMENT.exists() or (same and stamp().get("home", home()) == home())


def create(*, clear: bool) -> list[str]:
    """An environment without pip, and the command that installs into it."""
    if pip_version() >= PIP_OTHER_PYTHON:
        venv.create(ENVIRONMENT, symlinks=True, clear=clear)
        return [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupFailed(
            f"{sys.executable} has neither pip {'.'.join(map(str, PIP_OTHER_PYTHON))} or newer nor ensurepip.\n"
            "       Install one of them (Debian: apt-get install python3-pip), or name another Python: make PYTHON=..."
        )
    venv.create(ENVIRONMENT, symlinks=True, clear=clear, with_pip=True)
    return [str(PYTHON), "-m", "pip"]


def install(pip: list[str], arguments: list[str]) -> None:
    quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
    # a configuration that says --user or --require-hashes is meant for other installs than this one
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_HASHES": "0"}
    command = [*pip, "install", *quiet, *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise SetupFailed(
            f"pip ended with status {done.returncode}; its words stand above.\n"
            "       It uses your own pip configuration (pip config list). Once it works: the same command again."
        )


def pip_version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in importlib.metadata.version("pip").split(".")[:2])
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return (0,)


def stamp() -> dict[str, str]:
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def home() -> str:
    """An environment that was made elsewhere, or by another Python, is made anew."""
    return f"{ROOT} {sys.base_prefix} {sys.version}"


def content() -> str:
    """Names what the environment is made from; times of files say nothing in a fresh clone."""
    seen = hashlib.sha256(home().encode())
    for file in [Path(__file__), *sorted((ROOT / "requirements").glob("*.txt")), *MEMBERS]:
        seen.update(file.name.encode() + file.read_bytes())
    return seen.hexdigest()


def say(text: str) -> None:
    sys.stderr.write(f"setup: {text}\n")


if __name__ == "__main__":
    sys.exit(main())
