"""`harness run` with a model, as whoever types it sees it: the model is scripted, and all else is real."""

import asyncio
import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted_model import USAGE, by_situation, calls, error, proposes, says, scripted, serving

from deskworld import bundle
from deskworld.values.verdict import Verdict

pytestmark = pytest.mark.e2e
HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()"]
AGENT = "openai-chat:scripted-1"
SECONDS = 60
PLAYBOOK = "Approve what the buyer agreed to; read before you propose.\n"
PRICES = "currency: USD\nmodels: {scripted-1: {input: 10, output: 100}}\n"
PER_CALL = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
SCRIPTS = {
    "PRICE_VARIANCE": (
        calls(("get_invoice", {}), ("get_purchase_order", {}), usage=PER_CALL),
        proposes("approve-variance"),
        says("Done.", usage=PER_CALL),
    ),
    "NO_PO": (says("The weather is lovely.", usage=PER_CALL),),
    "DUPLICATE": (calls(("pay_invoice", {"amount": "1.00"}), usage=PER_CALL), says("Oh.", usage=PER_CALL)),
    "VENDOR_BANK_CHANGED": (error(401),),
}
"""Does it right; talks and does nothing; calls a tool that nobody offered; is not let in by its provider."""


@dataclass(frozen=True)
class Played:
    campaign: Mapping[str, Any]
    verdicts: Mapping[str, Verdict]
    asked: list[dict[str, Any]]
    run: Path


@pytest.fixture(scope="module")
async def played(stack: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("model")
    (folder / "stack.json").write_text(json.dumps(stack))
    (folder / "mine.md").write_text(PLAYBOOK)
    (folder / "prices.yaml").write_text(PRICES)
    model = scripted(by_situation(SCRIPTS))
    async with serving(model) as url:
        code, said, complaints = await harness(
            folder,
            *("run", "--agent", AGENT, "--playbook", "mine.md", "--stack", "stack.json", "--json"),
            *("--rules", "off", "--scenarios", "price-variance-small,no-po,duplicate,bank-change-fraud"),
            OPENAI_BASE_URL=url,
            OPENAI_API_KEY="none",
        )
    assert code == 1, said + complaints
    campaign = json.loads(said)
    run = folder / campaign["bundle"]
    verdicts = {case.verdict.scenario: case.verdict for case in bundle.read_bundle(run).cases()}
    return Played(campaign, verdicts, model.asked, run)


async def harness(folder: Path, *arguments: str, **environment: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *HARNESS,
        *arguments,
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, complaints = await asyncio.wait_for(process.communicate(), SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, said.decode(), complaints.decode()


async def test_a_model_that_reads_and_proposes_rightly_passes(played: Played) -> None:
    verdict = played.verdicts["price-variance-small"]
    assert verdict.passed, verdict
    assert (verdict.action, verdict.settled_by) == ("approve-variance", "agent")
    assert (played.campaign["passed"], played.campaign["failed"]) == (1, 3)


async def test_the_model_is_told_the_playbook_of_this_campaign_and_the_manifest_says_which(played: Played) -> None:
    assert all(PLAYBOOK in one["messages"][0]["content"] for one in played.asked)
    agent = bundle.read_bundle(played.run).manifest["agent"]
    assert (agent["name"], agent["playbook"]) == (AGENT, hashlib.sha256(PLAYBOOK.encode()).hexdigest())


async def test_a_model_that_talks_and_does_nothing_fails_and_it_is_no_fault_of_the_machine(played: Played) -> None:
    verdict = played.verdicts["no-po"]
    assert not verdict.passed
    assert verdict.broken is None
    assert verdict.settled_because == "needs-person"
    assert verdict.cause == "unclassified"
    code, said, complaints = await harness(played.run, "triage", ".")
    assert code == 1, complaints
    assert "unclassified 1, infrastructure 1, model 1" in said
    [group] = re.findall(r"^(\w+)  1 run · unclassified$", said, re.MULTILINE)
    code, said, complaints = await harness(played.run, "triage", ".", group, "--cause", "model", "--by", "kira.stone")
    assert code == 0, complaints
    code, said, _ = await harness(played.run, "triage", ".")
    assert (code, "infrastructure 1, model 2" in said) == (0, True)


async def test_a_tool_that_was_not_offered_is_refused_and_the_failure_is_the_models(played: Played) -> None:
    verdict = played.verdicts["duplicate"]
    assert (verdict.passed, verdict.cause, verdict.prevented) == (False, "model", 1)
    [finding] = next(check.findings for check in verdict.checks if check.name == "only-offered-tools")
    assert "pay_invoice" in finding.seen
    assert "TOOL_NOT_OFFERED" in verdict.told[finding.rows[0]]


async def test_a_provider_that_lets_nobody_in_is_infrastructure_and_stays_in_the_count(played: Played) -> None:
    verdict = played.verdicts["bank-change-fraud"]
    assert (verdict.passed, verdict.cause) == (False, "infrastructure")
    assert (played.campaign["runs"], played.campaign["infrastructure"]) == (4, 1)
    gates = {gate["name"]: gate["status"] for gate in played.campaign["gates"]}
    assert gates["infrastructure"] == "infrastructure"
    assert gates["overall"] == "missed"


async def test_what_was_used_is_what_the_model_said_and_a_price_makes_a_cost_of_it(played: Played) -> None:
    code, said, complaints = await harness(played.run, "cost", ".", "--prices", "../../prices.yaml", "--bill", "0.0770")
    assert code == 0, complaints
    told = [PER_CALL] * 5 + [USAGE]
    used = [sum(one[count] for one in told) for count in ("prompt_tokens", "completion_tokens")]
    assert re.search(rf"case agent +scripted-1 +6 +{used[0]} +{used[1]} ", said), said
    assert "estimate 0.0770 USD" in said
    assert "no count is missing" in said


async def test_the_report_says_of_how_many_runs_nothing_is_known(played: Played) -> None:
    code, said, complaints = await harness(played.run, "report", ".", "--format", "md")
    assert code == 0, complaints
    assert "not reported in 1 of the 4 runs" in said
