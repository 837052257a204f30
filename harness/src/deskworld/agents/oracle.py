"""The oracle: plays the scenario's own moves through the agent door, as an agent would that knew the right answer."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from deskworld.agents.cast import Script
from deskworld.agents.grasp import read_until, settles_all
from deskworld.values.scenario import OracleMove
from deskworld_agent.door import OpenTurn
from deskworld_agent.wire import CallResult
from deskworld_agent.work import Act

log = logging.getLogger(__name__)
ANSWERS = frozenset({"answered", "reply"})


@dataclass(frozen=True, slots=True)
class Place:
    """How far the script was played: the index of the next move, and how many letters were ours."""

    next: int = 0
    letters: int = 0


Propose = Callable[[OpenTurn, Script, OracleMove], Awaitable[CallResult]]


def oracle(script: Callable[[str], Awaitable[Script | None]], propose: Propose | None = None) -> Act:
    """`propose`: another way to make the script's proposals, as agents do that must fail."""
    places: dict[str, Place] = {}

    async def act(turn: OpenTurn) -> None:
        known = await script(turn.case_id)
        if known is None:
            await _rest(turn)
            return
        place = settled_already(known.moves, places.get(turn.case_id, Place()), turn)
        places[turn.case_id] = place
        if place.next < len(known.moves) and _due(known.moves, place, turn):
            places[turn.case_id] = await _play(turn, known, place, propose or as_scripted)
        else:
            await _rest(turn)

    return act


def settled_already(moves: tuple[OracleMove, ...], place: Place, turn: OpenTurn) -> Place:
    """Skips what was done by the rules, or by an earlier turn, and goes back to a proposal that was overtaken."""
    declined = {one.action for one in turn.brief.declined}
    done = [nth for nth, move in enumerate(moves) if move.propose is not None and move.propose in declined]
    if done:
        place = replace(place, next=max(place.next, done[-1] + 1))
    decided = [told.said for told in turn.inputs if told.type == "decision"]
    if decided and decided[-1].get("outcome") == "stale":
        place = replace(place, next=_last_proposal(moves, place.next))
    while place.next < len(moves) and _done(moves[place.next], place, turn):
        place = replace(place, next=place.next + 1, letters=place.letters + (moves[place.next].write is not None))
    return place


def _last_proposal(moves: tuple[OracleMove, ...], before: int) -> int:
    return next((nth for nth in range(before - 1, -1, -1) if moves[nth].propose is not None), before)


def _done(move: OracleMove, place: Place, turn: OpenTurn) -> bool:
    """The rules write one letter at most, and hold; both show in the case as it stands."""
    if move.write is not None:
        return place.letters == 0 and (bool(turn.brief.open_letter) or any(t.type == "reply" for t in turn.inputs))
    return move.propose == "hold" and turn.brief.held


def _due(moves: tuple[OracleMove, ...], place: Place, turn: OpenTurn) -> bool:
    """Past a question goes on its answer, past a proposal its decline, past a hold what woke the case."""
    if turn.brief.open_question or turn.brief.open_letter:
        return any(told.type in ANSWERS and told.said.get("sender") != "stranger" for told in turn.inputs)
    before = moves[place.next - 1] if place.next else None
    if before is None or before.propose is None:
        return True
    if before.propose in {declined.action for declined in turn.brief.declined}:
        return True
    return turn.brief.held and any(told.type != "decision" for told in turn.inputs)


async def _play(turn: OpenTurn, known: Script, place: Place, propose: Propose) -> Place:
    """One move: each of them ends a turn. A move that was not taken is still to be made."""
    move = known.moves[place.next]
    answer = await _move(turn, known, move, propose)
    if not answer.ok:
        log.error("the oracle's move %s was %s: %s", move, answer.outcome, answer.reason)
        return place
    return replace(place, next=place.next + 1, letters=place.letters + (move.write is not None))


async def _move(turn: OpenTurn, known: Script, move: OracleMove, propose: Propose) -> CallResult:
    if move.ask is not None:
        named = {"po_number": move.against_po} if move.against_po else {}
        return await turn.persistently("ask_buyer", question=move.text, **named)
    if move.write is not None:
        return await turn.persistently("email_vendor", subject=move.subject or "A question", body=move.text)
    if move.keep is not None:
        return await turn.persistently("keep_hold", reason=move.keep)
    if move.wait is not None:
        return await turn.persistently("wait", reason=move.wait)
    return await propose(turn, known, move)


async def as_scripted(turn: OpenTurn, known: Script, move: OracleMove) -> CallResult:
    citations = await read_until(turn, known.facts, against_po=move.against_po) if move.cite else ()
    optional: dict[str, object] = {"amount": move.amount, "against_po": move.against_po}
    if move.settles == "all":
        optional["settles"] = settles_all(await turn.persistently("get_invoice"))
    return await turn.persistently(
        "propose_resolution",
        action=move.propose,
        citations=list(citations),
        rationale="The scenario's own answer.",
        **{name: value for name, value in optional.items() if value is not None},
    )


async def _rest(turn: OpenTurn) -> None:
    """Nothing of the script is left or due: what was held stays held, what is awaited is awaited."""
    if all(told.type == "decision" and told.said.get("outcome") == "applied" for told in turn.inputs):
        return
    if turn.brief.open_question or turn.brief.open_letter:
        await turn.persistently("wait", reason="An answer is awaited.")
    elif turn.brief.held:
        await turn.persistently("keep_hold", reason="Nothing that came changes it.")
