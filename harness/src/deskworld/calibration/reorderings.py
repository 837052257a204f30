"""Changes that say the same: the order of what has none, and neighbours on a timeline that do not depend on each other.

Whether two timelines say the same is for their normal form to say, not for this module.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from deskworld.calibration.mending import Json
from deskworld.calibration.mutants import Edit, Mutation, swap_rows
from deskworld.scoring import normalise
from deskworld.values.evidence import CaseTimeline

SETS = ("ids", "read", "citations", "settles")
LISTS = ("orders", "receipts", "invoices", "credit_notes", "commands", "audit", "outbox")


def reorderings(evidence: Json) -> Iterator[Mutation]:
    """Candidates: `says_the_same` tells of which neighbours it is true."""
    yield Mutation("timelines", "the other way round", partial(_turned, keys=("timelines",)))
    for name in ("mail", "policy", "set_aside"):
        yield Mutation(name, "the other way round", partial(_turned, keys=(name,)))
    for name in LISTS:
        yield Mutation(f"erp.{name}", "the other way round", partial(_turned, keys=("erp", name)))
    yield Mutation("every object", "its keys the other way round", _keys_turned)
    yield Mutation("sets of ids", "the other way round", _sets_turned)
    for nth, timeline in enumerate(evidence["timelines"]):
        for place in range(len(timeline["rows"]) - 1):
            kinds = " and ".join(row["kind"] for row in timeline["rows"][place : place + 2])
            yield Mutation(kinds, "change places", partial(swap_rows, nth=nth, place=place))


def says_the_same(evidence: Json, swap: Edit, tag: str) -> bool:
    """The normal form, and nothing before its cause: a form that renames cannot see that a row came too soon."""
    swapped = json.loads(json.dumps(evidence))
    swap(swapped)
    rows = [row for timeline in swapped["timelines"] for row in timeline["rows"]]
    if any(row["cause"] is not None and row["cause"] >= row["seq"] for row in rows):
        return False
    if _order_of_acts(swapped) != _order_of_acts(evidence):
        return False
    return bool(_form(swapped, tag) == _form(evidence, tag))


def _order_of_acts(evidence: Json) -> list[Json]:
    """What an agent was told and did, and what people did, in its order: a fact that the normal form does not keep."""
    rows = [row for timeline in evidence["timelines"] for row in timeline["rows"]]
    return [row["data"] for row in rows if row["actor"]["type"] in {"agent", "person"} or row["kind"] == "agent.told"]


def _form(evidence: Json, tag: str) -> Any:
    return normalise([CaseTimeline.model_validate(one) for one in evidence["timelines"]], tag)


def _turned(evidence: Json, *, keys: tuple[str, ...]) -> None:
    holder: Any = evidence
    for key in keys[:-1]:
        holder = holder[key]
    if holder.get(keys[-1]) is not None:
        holder[keys[-1]].reverse()


def _keys_turned(evidence: Json) -> None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(one) for one in value] if isinstance(value, list) else value

    evidence.update(turned(dict(evidence)))


def _sets_turned(evidence: Json) -> None:
    for timeline in evidence["timelines"]:
        for row in timeline["rows"]:
            for name in SETS:
                if isinstance(row["data"].get(name), list):
                    row["data"][name].reverse()
