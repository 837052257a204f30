"""Small histories for the harness's pure parts: a case, what was seeded, and rows as the desk writes them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deskworld import catalogue
from deskworld.compiler import compile_case
from deskworld.values.case import Case, Seeded
from deskworld.values.record import View
from deskworld.values.scenario import Scenario
from deskworld.world import Seen
from deskworld.worlds import AP

TAG = "abcdefghij"
CASE = "0197a000-0000-7000-8000-000000000001"


def scenario(name: str) -> Scenario:
    return catalogue.load(AP.scenarios / f"{name}.yaml")


def compiled(name: str, seed: int = 7, **changes: Any) -> Case:
    case = compile_case(scenario(name), seed=seed, tag=TAG, rules="on", world=AP)
    return case.model_copy(update=changes)


def seeded() -> Seeded:
    return Seeded(records={}, exceptions=(), case_id=CASE)


def row(seq: int, kind: str, *, case_id: str = CASE, **data: Any) -> dict[str, Any]:
    return {"case_id": case_id, "seq": seq, "kind": kind, "data": data}


def view(
    seq: int,
    state: str,
    *,
    case_id: str = CASE,
    in_motion: tuple[Mapping[str, Any], ...] = (),
    waiting_on: tuple[Mapping[str, Any], ...] = (),
) -> View:
    return View(
        case_id=case_id,
        reason="PRICE_VARIANCE",
        state=state,
        seq=seq,
        in_motion=tuple(dict(item) for item in in_motion),
        waiting_on=tuple(dict(item) for item in waiting_on),
    )


def seen(case: Case, *rows: Mapping[str, Any], views: tuple[View, ...] = (), **more: Any) -> Seen:
    start = Seen(case=case, seeded=seeded(), rows=tuple(rows), views={one.case_id: one for one in views})
    return replace(start, **more)
