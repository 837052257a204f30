"""Every part of the company is killed in the middle of a campaign: it comes back, and no case is lost."""

import asyncio
import os
import secrets
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.support.processes import kill, restarted, status_of

from deskworld import bundle, run
from deskworld.doors.http import HttpDoor
from deskworld.doors.stream import DeskStream
from deskworld.stack import embedded
from deskworld.values.campaign import Settings
from deskworld.worlds import WORLDS

pytestmark = pytest.mark.e2e
PARTS = ("erp", "mail", "desk", "policy", "postgres", "identity")
BACK_SECONDS = 60


@pytest.mark.parametrize(("rules", "repetitions"), [("off", 2), ("on", 3)])
async def test_no_case_is_lost_whoever_is_killed(tmp_path: Path, rules: str, repetitions: int) -> None:
    settings = Settings.model_validate({"agent": "oracle", "rules": rules, "repetitions": repetitions, "parallel": 16})
    in_flight: list[int] = []
    begun, last = asyncio.Event(), [0]

    def tell(progress: run.Progress) -> None:
        last[0] = progress.in_flight
        if progress.done >= 3:
            begun.set()

    async with embedded.started(f"killed-{rules}") as stack:
        playing = asyncio.create_task(
            run.campaign(settings, worlds=WORLDS, stack=stack, runs=tmp_path, nonce=secrets.token_hex(8), tell=tell)
        )
        await asyncio.wait([playing, asyncio.create_task(begun.wait())], return_when=asyncio.FIRST_COMPLETED)
        folder = Path(stack.folder or "")
        for part in PARTS:
            in_flight.append(last[0])
            pid = status_of(folder)[part]["pid"]
            kill(pid)
            await asyncio.to_thread(restarted, folder, part, than=pid, within=BACK_SECONDS)
        done, verdicts = await playing
    assert [(one.scenario, one.seed, one.broken, one.checks) for one in verdicts if not one.passed] == []
    assert done.passed == done.runs
    assert all(in_flight), f"the campaign was over too soon: {dict(zip(PARTS, in_flight, strict=True))}"
    for case in bundle.read_bundle(Path(done.bundle)).cases():
        assert case.evidence is not None
        assert case.evidence.erp is not None
        applied = [one["key"] for one in case.evidence.erp["commands"] if one["outcome"] == "applied"]
        assert len(applied) == len(set(applied)) == 1


async def test_a_decision_that_was_made_and_never_sent_is_asked_of_the_same_person_again(tmp_path: Path) -> None:
    """The ERP stands still from the moment a decision is asked for; the desk dies once it is made, and the ERP too."""
    settings = Settings.model_validate({"agent": "oracle", "scenarios": ["duplicate"]})
    heard: list[str] = []
    made = asyncio.Event()
    async with embedded.started("killed-between") as stack:
        folder = Path(stack.folder or "")
        pids = {part: status_of(folder)[part]["pid"] for part in ("erp", "desk")}

        def on_row(row: dict[str, Any]) -> None:
            heard.append(row["kind"])
            if heard.count("decision.requested") == 1 and row["kind"] == "decision.requested":
                os.kill(pids["erp"], signal.SIGSTOP)
            if row["kind"] == "decision.made" and not made.is_set():
                kill(pids["desk"])
                kill(pids["erp"])
                made.set()

        stage = HttpDoor("desk stage", stack.desk_stage, secret=stack.secrets.desk_stage)
        listening = DeskStream(stage, on_row=on_row, on_view=lambda _: None, on_broken=heard.append)
        await listening.open()
        try:
            done, verdicts = await run.campaign(
                settings,
                worlds=WORLDS,
                stack=stack,
                runs=tmp_path,
                nonce=secrets.token_hex(8),
                tell=lambda _: None,
            )
        finally:
            await listening.close()
            await stage.close()
    assert made.is_set()
    assert "decision.needs-decider" in heard
    assert [(one.broken, one.checks) for one in verdicts if not one.passed] == []
    assert done.passed == 1
