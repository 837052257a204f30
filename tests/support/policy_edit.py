"""A stack's policies as a copy that a test may change, and a case whose policy changes before its evidence is read."""

import asyncio
import json
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from tests.support.policy import POLICIES

from deskworld import bundle, run
from deskworld.values.campaign import Settings
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.world import Site, World
from deskworld.worlds import AP
from deskworld_kit import clock

DATA = Path("ap") / "data" / "data.json"
WITHIN = 20.0
Edit = Callable[[], Awaitable[None]]


def copied(folder: Path) -> Path:
    """Readable by everybody: OPA is nobody in particular."""
    copy = Path(shutil.copytree(POLICIES, folder / "policies"))
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy


def numbers(policies: Path, **changes: Any) -> None:
    """Changes what stands in the policies' data."""
    file = policies / DATA
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


async def until_in_force(stack: Stack, **wanted: Any) -> None:
    """Until the running server answers with these numbers."""
    deadline = clock.monotonic() + WITHIN
    seen: dict[str, Any] = {}
    async with httpx.AsyncClient(trust_env=False) as http:
        while seen != wanted:
            assert clock.monotonic() < deadline, f"awaited {wanted} for {WITHIN} s; last seen {seen}"
            answer = (await http.get(f"{stack.policy}/v1/data/ap/data")).json()
            seen = {name: answer["result"].get(name) for name in wanted}
            await clock.pause(0.05)


async def played(stack: Stack, scenario: str, runs: Path, edit: Edit) -> tuple[Verdict, Evidence]:
    """One case, settled; then the edit; then the evidence is collected and graded."""
    done, verdicts = await asyncio.wait_for(
        run.campaign(
            Settings(shared=True, scenarios=(scenario,), agent="oracle", timeout=60.0, stall=30.0),
            worlds={"ap": replace(AP, open=_edited(AP, edit))},
            stack=stack,
            runs=runs,
            nonce=secrets.token_hex(8),
            tell=lambda progress: None,
        ),
        120,
    )
    (stored,) = bundle.read_bundle(Path(done.bundle)).cases()
    assert stored.evidence is not None, verdicts[0].broken
    return verdicts[0], stored.evidence


def _edited(world: World, edit: Edit) -> Any:
    @asynccontextmanager
    async def opened(stack: Stack) -> AsyncIterator[Site]:
        async with world.open(stack) as site:
            yield _EditsFirst(site, edit)

    return opened


class _EditsFirst:
    def __init__(self, site: Site, edit: Edit) -> None:
        self._site = site
        self._edit = edit
        self.stage, self.follow, self.act, self.open_cases = site.stage, site.follow, site.act, site.open_cases

    async def collect(self, record: Record) -> Evidence:
        await self._edit()
        return await self._site.collect(record)


def asked(evidence: Evidence) -> list[dict[str, Any]]:
    return [row["data"] for one in evidence.timelines for row in one.rows if row["kind"] == "policy.asked"]


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.passed}
