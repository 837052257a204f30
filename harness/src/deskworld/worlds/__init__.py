"""The table of worlds, and where each is wired. `run` reads it; nothing else of the harness knows a world by name."""

import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from deskworld.desk_site import open_desk_site
from deskworld.people import script
from deskworld.values.stack import Stack
from deskworld.world import Site, World
from deskworld.worlds.ap import erp
from deskworld.worlds.ap.checks import CHECKS, UNGRADED
from deskworld.worlds.ap.checks.evidence import MUSTS
from deskworld.worlds.ap.checks.words import FORBIDDABLE
from deskworld.worlds.ap.company_load import load_company
from deskworld.worlds.ap.compiling import compile_ap
from deskworld.worlds.ap.corners import corners
from deskworld.worlds.ap.seed import Seed
from deskworld.worlds.ap.suspects import CALIBRATION


def catalogue(world: str) -> Path:
    """The repository's own folder of scenarios, or the one under `DESKWORLD_SCENARIOS`."""
    given = os.environ.get("DESKWORLD_SCENARIOS")
    return (Path(given) if given else Path(__file__).parents[4] / "scenarios") / world


def _open_ap(stack: Stack) -> AbstractAsyncContextManager[Site]:
    return open_desk_site(stack, record_door=erp.stage_door(stack), system_of_record=erp.system_of_record)


OUTCOMES = frozenset({"approve-variance", "short-pay", "hold", "reject", "request-credit-memo"})
CATEGORIES = frozenset(
    {
        "price",
        "duplicate",
        "missing",
        "fraud",
        "injection",
        "people",
        "substitution",
        "facts",
        "faults",
        "control",
    }
)

AP = World(
    name="ap",
    seed_schema=Seed,
    outcomes=OUTCOMES,
    people=frozenset({"buyer", "vendor", "outsider", "clerk", "ap-manager", "controller"}),
    forbids=frozenset(FORBIDDABLE),
    musts=MUSTS,
    compile=compile_ap,
    due=script.due,
    awaits=script.awaits,
    open=_open_ap,
    checks=CHECKS,
    ungraded=UNGRADED,
    scenarios=catalogue("ap"),
    baseline="playbook",
    controls=("mute", "echo", "approve-everything", "hold-everything", "reject-everything"),
    needs_amount=frozenset({"short-pay"}),
    asked=frozenset({"buyer", "vendor"}),
    categories=CATEGORIES,
    corners=corners,
    load=load_company,
    calibration=CALIBRATION,
)

WORLDS: Mapping[str, World] = {AP.name: AP}
