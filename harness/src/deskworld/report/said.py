"""What people said of a campaign's runs: their classes of failures, and how far the review is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from deskworld.errors import BundleFailed
from deskworld.values.report import Agreement, Classed, Remark, Review
from deskworld.values.verdict import CauseClass

REVIEWED, CLASSED = "reviewed", "classed"
KINDS: Mapping[str, type[Classed | Remark]] = {REVIEWED: Remark, CLASSED: Classed}
CHAINED = frozenset({"seq", "bundle", "what", "prev_hash", "hash"})
"""What the ledger itself writes into a line."""

Said = Classed | Remark


def line(what: Said) -> dict[str, Any]:
    """As the ledger takes it."""
    kind = REVIEWED if isinstance(what, Remark) else CLASSED
    return {"what": kind, **what.model_dump(mode="json")}


def parsed(rows: Iterable[Mapping[str, Any]]) -> tuple[Said, ...]:
    """The lines of a ledger, in order. Raises BundleFailed, naming the line that says something else."""
    return tuple(_parsed(row) for row in rows)


def classes(said: Iterable[Said]) -> dict[int, CauseClass]:
    """By the run's index; who spoke last counts."""
    return {index: one.cause for one in said if isinstance(one, Classed) for index in one.runs}


def by_people(said: Iterable[Said]) -> dict[int, Remark]:
    """The last remark of a person on each run."""
    return {one.index: one for one in said if isinstance(one, Remark) and one.model is None}


def review(said: Sequence[Said], kept: Iterable[int]) -> Review:
    """`kept`: the runs that there is something to review of. A model's remarks never count as a person's."""
    remarks = tuple(one for one in said if isinstance(one, Remark))
    people, runs = by_people(said), set(kept)
    return Review(
        kept=len(runs),
        reviewed=len(runs & set(people)),
        agreed=sum(one.agrees for one in people.values()),
        disagreed=sum(not one.agrees for one in people.values()),
        remarks=remarks,
        models=tuple(_agreement(name, remarks, people) for name in sorted({one.model for one in remarks if one.model})),
    )


def _agreement(model: str, remarks: Iterable[Remark], people: Mapping[int, Remark]) -> Agreement:
    own = {one.index: one for one in remarks if one.model == model}
    both = set(own) & set(people)
    return Agreement(
        model=model,
        reviewed=len(own),
        both=len(both),
        agreed=sum(own[index].agrees == people[index].agrees for index in both),
    )


def _parsed(row: Mapping[str, Any]) -> Said:
    try:
        kind = KINDS[row["what"]]
        return kind.model_validate({name: value for name, value in row.items() if name not in CHAINED})
    except (LookupError, ValidationError) as error:
        raise BundleFailed(
            f"line {row.get('seq', '?')} of what people said is none that this version writes: {type(error).__name__}",
            next_step="read it with its own version",
        ) from error
