"""What people said of a campaign's runs: their classes of failures, and how far the review is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from deskworld.values.report import Agreement, Remark, Review
from deskworld.values.verdict import CauseClass

Entry = Mapping[str, Any]
REVIEWED, CLASSED = "reviewed", "classed"
CLASSES: tuple[CauseClass, ...] = ("model", "our system", "scorer", "infrastructure")
"""What a person may put a failure into."""


def classes(entries: Iterable[Entry]) -> dict[int, CauseClass]:
    """By the run's index; who spoke last counts."""
    return {index: one["cause"] for one in entries if one["what"] == CLASSED for index in one["runs"]}


def review(entries: Sequence[Entry], kept: Iterable[int]) -> Review:
    """`kept`: the runs that there is something to review of. A model's remarks never count as a person's."""
    remarks = tuple(_remark(one) for one in entries if one["what"] == REVIEWED)
    people = {one.index: one for one in remarks if one.model is None}
    runs = set(kept)
    return Review(
        kept=len(runs),
        reviewed=len(runs & set(people)),
        agreed=sum(one.agrees for one in people.values()),
        disagreed=sum(not one.agrees for one in people.values()),
        remarks=remarks,
        models=tuple(_agreement(name, remarks, people) for name in sorted({one.model for one in remarks if one.model})),
    )


def _remark(one: Entry) -> Remark:
    return Remark.model_validate({name: one[name] for name in Remark.model_fields if name in one})


def _agreement(model: str, remarks: Iterable[Remark], people: Mapping[int, Remark]) -> Agreement:
    own = {one.index: one for one in remarks if one.model == model}
    both = set(own) & set(people)
    return Agreement(
        model=model,
        reviewed=len(own),
        both=len(both),
        agreed=sum(own[index].agrees == people[index].agrees for index in both),
    )
