"""docs/permissions.md, read; and the routes that the doors really have."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount
from tests.support.repository import ROOT

from deskworld_desk.agent_door.app import agent_door
from deskworld_desk.agent_door.mcp_gate import mcp_routes
from deskworld_desk.stage_door import stage as desk_stage
from deskworld_desk.workbench.app import office as desk_office
from deskworld_desk.workbench.pages.app import pages
from deskworld_desk.workbench.pages.sessions import BASE
from deskworld_erp.app import office as erp_office
from deskworld_erp.invoicing.tolerances import load_tolerances
from deskworld_erp.stage_door import stage as erp_stage
from deskworld_kit.telemetry.metrics import Metrics, at_the_stage

TABLE = ROOT / Path("docs/permissions.md")
ROLES = ("buyer", "clerk", "ap-manager", "controller", "auditor")
OTHERS = ("nobody", "desk", "agent", "turn", "another turn", "erp-stage", "desk-stage", "a person's, altered")
DOORS = {"ERP office": "erp", "ERP stage": "erp_stage", "Desk office": "desk", "Workbench pages": "desk",
         "Desk stage": "desk_stage", "Agent door": "agent_door"}  # fmt: skip
ON_BEHALF = "/stage/as/{username}/"


@dataclass(frozen=True)
class Row:
    """`people`: yes, own or –, by role. `others`: who else comes in."""

    door: str
    method: str
    path: str
    people: dict[str, str]
    others: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def lets_in(self, who: str) -> str:
        """yes, own or –."""
        if "everybody" in self.others:
            return "yes"
        return self.people.get(who, "yes" if who in self.others else "–")


def table() -> list[Row]:
    found, door = [], ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("## "):
            door = line[3:]
        if not line.startswith("| `"):
            continue
        route, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        method, _, path = route.strip("`").partition(" ")
        marks = dict(zip(ROLES, cells[:5], strict=True))
        others = frozenset(one.strip() for one in cells[5].split(",")) - {"–"}
        found.append(Row(door, method, path, marks, others))
    return found


def routes() -> dict[str, set[str]]:
    """`METHOD /path` by door, from the applications themselves, whether they are described or not."""

    async def nobody() -> dict[str, str]:
        return {}

    desk: Any = SimpleNamespace(worlds={"ap": SimpleNamespace(hear=None)})
    anything: Any = _Anything()
    bench: Any = pages(anything)
    doors = {
        "ERP office": erp_office(anything, anything),
        "ERP stage": erp_stage(anything, "secret"),
        "Desk office": desk_office(desk, anything, "secret", nobody, Starlette()),
        "Desk stage": desk_stage(desk, "secret", nobody),
        "Agent door": agent_door(anything, anything, nobody, mcp_routes(anything, "issuer")),
    }
    for stage in ("ERP stage", "Desk stage"):
        at_the_stage(Metrics(), {"stage": doors[stage]}, "secret")
    found = {name: set(_named(app.routes)) for name, app in doors.items()}
    found["Workbench pages"] = {name.replace(" ", f" {BASE}", 1) for name in _named(bench.routes)}
    return found


def _named(found: Iterable[Any]) -> Iterator[str]:
    for route in found:
        if hasattr(route, "effective_candidates"):
            yield from _named(route.effective_candidates())
        elif isinstance(route, Mount):
            assert route.path == BASE, f"{route.path} is mounted, and nobody says who may come in"
        else:
            # a HEAD is a GET without its body
            methods = set(getattr(route, "methods", None) or {"ANY"}) - {"HEAD"}
            yield from (f"{method} {route.path}" for method in methods)


class _Anything:
    """What a door is built with and does not look at before somebody asks."""

    tolerances = load_tolerances().values

    def __getattr__(self, name: str) -> "_Anything":
        return _Anything()

    def __call__(self, *_: object, **__: object) -> "_Anything":
        return _Anything()

    def items(self) -> list[Any]:
        return []


def rows_of(door: str) -> list[Row]:
    return [row for row in table() if row.door == door]
