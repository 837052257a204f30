"""When is a case settled? A pure predicate over what was seen; no quiet periods, no timers.

settled ⇔ nothing is in motion in the case and its siblings
        ∧ what we know of each case reaches the view that says so
        ∧ every move that we made has its row (or its door's true refusal)
        ∧ no move of the script is due, and none can still fire
        ∧ (RESOLVED ∨ ON_HOLD ∨ NEEDS_PERSON ∨ it is nobody's to work on, and somebody is waited for, who will not act)
"""

from collections.abc import Callable, Mapping
from typing import Any

from deskworld.values.record import Move, Settled
from deskworld.world import Seen, World

DECISION_ENDS = frozenset({"command.applied", "command.refused", "decision.needs-decider", "proposal.withdrawn"})
RESTING = frozenset({"RESOLVED", "ON_HOLD", "NEEDS_PERSON"})
WORKED_ON = "INVESTIGATING"


Conjunct = Callable[[Seen, World], str | None]
"""What stands against settling, in words; None when this conjunct holds."""


def settled(seen: Seen, world: World, conjuncts: tuple[Conjunct, ...] | None = None) -> Settled | None:
    """The reason for settling, or None. `blocked` says what stands against it.

    `conjuncts`: those of the predicate, unless a proof asks what becomes of it without one of them.
    """
    if blocked(seen, world, conjuncts) is not None:
        return None
    view = seen.views[seen.seeded.case_id]
    if view.state in RESTING:
        return Settled(because=view.state.lower().replace("_", "-"), state=view.state)
    whom = ", ".join(sorted(str(item["kind"]) for item in view.waiting_on))
    return Settled(because=f"waiting on {whom}, and nobody will act", state=view.state)


def blocked(seen: Seen, world: World, conjuncts: tuple[Conjunct, ...] | None = None) -> str | None:
    """The first conjunct that does not hold, in words; None when the case is settled."""
    return next((why for holds in conjuncts or CONJUNCTS if (why := holds(seen, world)) is not None), None)


def watched(seen: Seen) -> frozenset[str]:
    """The case, its siblings, and every case that was opened for the same subject since."""
    return frozenset((seen.seeded.case_id, *seen.seeded.siblings, *seen.views))


def arrived(move: Move, seen: Seen) -> bool:
    """Whether the timeline shows the move, or its door truly refused it and nobody waits for it any more.

    The second half matters: a refusal can reach us before the row that explains it.
    """
    if sum(_shows(row, move) for row in seen.rows) >= move.nth:
        return True
    return move.refused and not any(
        item.get("id") == move.row for view in seen.views.values() for item in view.waiting_on
    )


def _shows(row: Mapping[str, Any], move: Move) -> bool:
    kind, data = row["kind"], row["data"]
    if move.kind == "answer":
        return bool(kind == "question.answered" and data["question_id"] == move.row)
    if move.kind == "mail":
        return kind in {"mail.received", "mail.set-aside"} and data["message_id"] == move.row
    if move.kind == "redelivery":
        return bool(kind == "event.ignored" and data["event_id"] == move.row)
    if move.kind == "goods":
        cause = data["event_cause"] if kind == "event.received" else None
        return bool(cause and cause["kind"] == "receipt" and move.row and cause["id"] == move.row)
    if data.get("decision_id") != move.row or row["seq"] <= move.after:
        return False
    declined = kind == "decision.made" and data["verdict"] == "decline"
    return declined or kind in DECISION_ENDS


def all_heard(seen: Seen, _: World) -> str | None:
    heard: dict[str, int] = {}
    for row in seen.rows:
        if row["case_id"] is not None:
            heard[row["case_id"]] = max(heard.get(row["case_id"], 0), row["seq"])
    for case_id in sorted(watched(seen)):
        view = seen.views.get(case_id)
        if view is None:
            return f"case {case_id} has not been heard of"
        if heard.get(case_id, 0) < view.seq:
            return f"case {case_id}: row {view.seq} has not been heard"
        if heard.get(case_id, 0) > view.seq:
            return f"case {case_id}: its view is older than its rows"
    return None


def nothing_in_motion(seen: Seen, _: World) -> str | None:
    for case_id, view in sorted(seen.views.items()):
        for item in view.in_motion:
            return f"case {case_id}: in motion: {item['kind']} {item.get('id', '')}".rstrip()
    return None


def moves_arrived(seen: Seen, _: World) -> str | None:
    for move in seen.moves:
        if not arrived(move, seen):
            return f"our {move.kind} {move.row} has no row yet"
    return None


def nothing_due(seen: Seen, world: World) -> str | None:
    due = world.due(seen)
    return f"the script is about to move: {due[0].rule}" if due else None


def nothing_under_way(seen: Seen, world: World) -> str | None:
    return world.awaits(seen)


def at_an_end(seen: Seen, _: World) -> str | None:
    view = seen.views.get(seen.seeded.case_id)
    if view is None:
        return "the case has not been heard of"
    if view.state == WORKED_ON:
        return f"state {view.state}: somebody is still to move it"
    if view.state in RESTING or view.waiting_on:
        return None
    return f"state {view.state}, and nobody is waited for"


CONJUNCTS: tuple[Conjunct, ...] = (
    all_heard,
    nothing_in_motion,
    moves_arrived,
    nothing_due,
    nothing_under_way,
    at_an_end,
)
