"""The small company of real programs as a stack that the harness plays on, and its books at the end."""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from tests.soak.compose import books, mailboxes
from tests.support.company_stack import stack_of
from tests.support.desk import Company, company_of_real_programs
from tests.support.outlasted import wrong_in
from tests.support.servers import LOGINS

from deskworld import run
from deskworld.values.campaign import Campaign, Settings
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld.worlds import WORLDS
from deskworld_desk.cases.matters import in_motion, open_rows
from deskworld_desk.cases.states import State
from deskworld_desk.cases.tables import Case
from deskworld_kit.database import Database
from deskworld_kit.sessions import lean_database

SIDE_BY_SIDE = 32
PATIENT = 600.0
"""Seconds that a case may take, or stay silent: the ERP asks after a desk that is killed again and again every ten
seconds only, and a kill may meet it each time."""
BUNDLES = Path("build/soak-desk")


@dataclass(slots=True)
class Pace:
    """How far the campaign is that is being played."""

    now: run.Progress = field(default_factory=lambda: run.Progress(planned=0, done=0, passed=0, in_flight=0))
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, progress: run.Progress) -> None:
        self.now = progress
        self.moved.set()


@dataclass(slots=True)
class Playground:
    """`kept`: the desk's database, read as its owner beside the desk."""

    company: Company
    stack: Stack
    kept: Database
    pace: Pace = field(default_factory=Pace)
    played: list[tuple[Campaign, tuple[Verdict, ...]]] = field(default_factory=list)

    async def campaign(self, seed: int, *, repetitions: int, label: str, agent: str = "oracle") -> None:
        """The catalogue so many times, 32 cases side by side."""
        settings = Settings.model_validate(
            {"agent": agent, "parallel": SIDE_BY_SIDE, "repetitions": repetitions, "seed": seed, "label": label,
             "timeout": PATIENT, "stall": PATIENT, "shared": True}
        )  # fmt: skip
        self.played.append(
            await run.campaign(
                settings,
                worlds=WORLDS,
                stack=self.stack,
                runs=BUNDLES,
                nonce=secrets.token_hex(8),
                tell=self.pace.tell,
            )
        )

    async def motions(self) -> Counter[str]:
        """What is in motion as the rows say, by kind: true also while no desk runs."""
        async with self.kept.transaction() as session:
            cases = (await session.scalars(select(Case).where(Case.state != State.RESOLVED))).all()
            rows = await open_rows(session, [case.id for case in cases], sorted({case.record_id for case in cases}))
        return Counter(
            motion.kind
            for case in cases
            for motion in in_motion(State(case.state), [row for row in rows if row.case_id == case.id])
        )

    async def count(self, statement: str) -> int:
        async with self.kept.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            return int(await driver.fetchval(statement))

    async def books(self, *, again: int) -> books.Books:
        imap = self.stack.imap
        boxes = {
            name: await mailboxes.box(imap, login, LOGINS[login])
            for name, login in (("counterparties", "counterparties"), ("staff", "staff"), ("desk", "desk"))
        }
        return await books.read(self.stack, boxes, [Path(done.bundle) for done, _ in self.played], again=again)

    def failed(self) -> list[str]:
        return [
            f"{one.scenario} seed {one.seed} did not pass ({one.cause}): {'; '.join(wrong)}"
            for _, verdicts in self.played
            for one in verdicts
            if (wrong := wrong_in(one))
        ]


@asynccontextmanager
async def playground() -> AsyncIterator[Playground]:
    async with company_of_real_programs() as company:
        kept = lean_database(f"postgresql+asyncpg://postgres@/desk?host={company.home}")
        try:
            yield Playground(company, stack_of(company), kept)
        finally:
            await kept.close()
