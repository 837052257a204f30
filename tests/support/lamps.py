"""The toy world as a ground for campaigns: several lamps, and a company in which some seeds go wrong."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.toy_world import FILE, toy_world

from deskworld import run
from deskworld.values.campaign import Settings
from deskworld.values.case import Case
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.stack import Stack
from deskworld.values.verdict import Check, Finding
from deskworld.world import World

NOWHERE = Stack.model_validate(
    {
        "schema": "deskworld/stack/1",
        "id": "toy",
        "kind": "given",
        **dict.fromkeys(("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy"), "http://127.0.0.1:9"),
        "issuer": "http://127.0.0.1:9/realms/toy",
        **{name: {"host": "127.0.0.1", "port": 9} for name in ("smtp", "submission", "imap")},
        "secrets": {"erp_stage": "-", "desk_stage": "-", "agent_client": "-", "counterparty_mailbox": "-"},
    }
)
Fails = Callable[[Case], bool]


def lamp(name: str, **changes: str) -> str:
    text = FILE.replace("name: lamp-is-off", f"name: {name}")
    text = text.replace("why: A lamp", f"why: The lamp {name}")
    for key, value in changes.items():
        text = text.replace(f"{key}: {'lamps' if key == 'category' else 'development'}", f"{key}: {value}")
    return text


def lamps(folder: Path, *, fails: Fails = lambda _: False, files: dict[str, str] | None = None) -> World:
    """Lamps `lamp-is-off` and those of `files`; a run fails where `fails` says so of its case."""
    folder.mkdir(parents=True, exist_ok=True)
    world = toy_world(folder)
    for name, text in (files or {}).items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")

    def dark(case: Case, record: Record, evidence: Evidence) -> Check:
        wrong = (Finding(expected="dark", seen="bright"),) if fails(case) else ()
        return Check(family="correct", name="dark", findings=wrong, cause="model" if wrong else None)

    return replace(world, checks=(*world.checks, dark))


async def played(
    world: World, runs: Path, *, tell: Callable[[run.Progress], None] = lambda _: None, **given: Any
) -> run.Done:
    """`given`: settings, and `resume`."""
    resume = given.pop("resume", None)
    return await run.campaign(
        Settings.model_validate({"world": "toy", "agent": "none", **given}),
        worlds={"toy": world},
        stack=NOWHERE,
        runs=runs,
        nonce="n",
        tell=tell,
        resume=resume,
    )
