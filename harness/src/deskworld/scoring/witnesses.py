"""Is there enough to judge by? A witness that was not heard is never the same as one with nothing to say."""

from collections.abc import Iterator
from itertools import chain

from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.timeline import name_of, of_kind

WITNESSES = ("erp", "mail", "policy", "identity")


def missing(record: Record, evidence: Evidence | None) -> str | None:
    """What could not be heard, in words; None when every witness spoke."""
    if record.seeded is None:
        return "the situation was never seeded"
    if evidence is None:
        return "no evidence was collected"
    watched = (record.seeded.case_id, *record.seeded.siblings)
    return next(chain(_timelines(watched, evidence), _witnesses(evidence), _replays(evidence)), None)


def _timelines(watched: tuple[str, ...], evidence: Evidence) -> Iterator[str]:
    for case_id in watched:
        found = [timeline for timeline in evidence.timelines if timeline.case_id == case_id]
        if len(found) != 1 or not found[0].rows:
            yield f"the desk's timeline of case {case_id[-8:]}"


def _witnesses(evidence: Evidence) -> Iterator[str]:
    for name in WITNESSES:
        if getattr(evidence, name) is None:
            yield f"the {name} witness"


def _replays(evidence: Evidence) -> Iterator[str]:
    replays = {(replay.case_id, replay.seq): replay for replay in evidence.policy or ()}
    for timeline in evidence.timelines:
        for row in of_kind(timeline.rows, "policy.asked"):
            replay = replays.get((timeline.case_id, row["seq"]))
            if replay is None or replay.replayed is None:
                yield f"the policy's answer to the stored input of {name_of(row)}"
