"""`make policies`: formatted, strictly checked, tested and covered, by OPA itself; without OPA it fails."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.opa import NoOpa, Opa, found
from tests.support.policy import POLICIES

FLOOR = 95.0
"""Per cent of the policies' lines; their tests do not count."""


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    trouble: str
    said: str = ""


def main() -> int:
    try:
        opa = found(build=True)
    except NoOpa as error:
        sys.stderr.write(f"{error}\nnext: `make offline-images`, or put OPA on the path, or install Go\n")
        return 1
    sys.stdout.write(f"OPA: {opa.origin}\n")
    steps = gate(opa, POLICIES)
    for step in steps:
        sys.stdout.write(f"{'FAILED' if step.trouble else 'passed'} {step.name}: {step.said}\n".replace(": \n", "\n"))
        sys.stdout.write("".join(f"       {line}\n" for line in step.trouble.splitlines()))
    return 1 if any(step.trouble for step in steps) else 0


def gate(opa: Opa, policies: Path) -> tuple[Step, ...]:
    return (
        _quiet(opa, "opa fmt --list --fail", "fmt", "--list", "--fail", policies),
        _quiet(opa, "opa check --strict", "check", "--strict", policies),
        *_tested(opa, policies),
    )


def _quiet(opa: Opa, name: str, *command: str | Path) -> Step:
    """What has nothing to say when all is well."""
    done = opa.run(*command)
    return Step(name, (done.stdout + done.stderr).strip() or (f"status {done.returncode}" if done.returncode else ""))


def _tested(opa: Opa, policies: Path) -> tuple[Step, ...]:
    done = opa.run("test", policies)
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        return (Step("opa test", said or f"status {done.returncode}"),)
    report = opa.run("test", "--coverage", "--format=json", policies)
    return Step("opa test", "", said.rpartition("\n")[2]), covered(json.loads(report.stdout))


def covered(report: Mapping[str, Any]) -> Step:
    """Of OPA's own report: every line of the policies but for their tests, against the floor."""
    files = {name: one for name, one in report["files"].items() if not name.endswith("_test.rego")}
    hit = sum(one.get("covered_lines", 0) for one in files.values())
    missed = [
        f"{name}:{line}"
        for name, one in files.items()
        for lines in one.get("not_covered", ())
        for line in range(lines["start"]["row"], lines["end"]["row"] + 1)
    ]
    share = 100 * hit / (hit + len(missed)) if hit else 0.0
    said = f"{hit} of {hit + len(missed)} lines, {share:.1f} %, at least {FLOOR:.0f} %"
    trouble = "\n".join(f"not covered: {one}" for one in missed) or "nothing was covered"
    return Step("opa test --coverage", trouble if share < FLOOR else "", said)


if __name__ == "__main__":
    sys.exit(main())
