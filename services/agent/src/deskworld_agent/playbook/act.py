"""A turn of the playbook: read, decide, make the move; when it is refused, decide again without it."""

import logging
from dataclasses import replace

from deskworld_agent.door import OpenTurn
from deskworld_agent.playbook import news, reading
from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import name
from deskworld_agent.playbook.decide import decide
from deskworld_agent.playbook.moves import Ask, Keep, Move, Propose, Stop, Wait, Write
from deskworld_agent.playbook.notes import Memory, Notes
from deskworld_agent.wire import CallResult
from deskworld_agent.work import Act

log = logging.getLogger(__name__)
MOVES_AT_MOST = 6


def playbook() -> Act:
    """An agent with a memory of its own."""
    memory = Memory()

    async def act(turn: OpenTurn) -> None:
        told = news.read(turn.inputs)
        notes = _noted(memory.of(turn.case_id), told)
        if told.only_carried_out:
            memory.keep(turn.case_id, notes)
            return
        file = await reading.read(turn, CaseFile(brief=turn.brief, news=told, notes=notes))
        for _ in range(MOVES_AT_MOST):
            move = decide(file)
            if _stands(move, notes):
                break
            answer = await _make(turn, move)
            if answer is None or answer.ok:
                notes = _remembered(notes, move)
                break
            log.info("case %s: %s was %s: %s", turn.case_id, name(move), answer.outcome, answer.reason)
            file = replace(file, tried=file.tried | {name(move)})
        memory.keep(turn.case_id, notes)

    return act


def _noted(notes: Notes, told: news.News) -> Notes:
    """What the inputs add to what is remembered: an order that was refused, a letter that gives orders."""
    if told.reply is not None and told.reply.instructs and not told.reply.stranger:
        notes = replace(notes, instructed=True)
    if told.outcome is not None:
        notes = replace(notes, proposed=None)
    if told.outcome is not None and told.outcome.outcome == "refused":
        notes = replace(notes, refused=notes.refused | {told.outcome.action})
    return notes


def _stands(move: Move, notes: Notes) -> bool:
    """The same proposal is waiting for its decision already."""
    open_one = notes.proposed
    return isinstance(move, Propose) and open_one is not None and _what(move) == _what(open_one)


def _what(proposal: Propose) -> tuple[str, str | None, str | None]:
    return proposal.action, proposal.amount, proposal.against_po


def _remembered(notes: Notes, move: Move) -> Notes:
    match move:
        case Ask(about=about, order_number=order_number):
            return replace(notes, asked=about, order_named=order_number)
        case Write():
            return replace(notes, letters=notes.letters + 1)
        case Propose():
            return replace(notes, proposed=move)
    return notes


async def _make(turn: OpenTurn, move: Move) -> CallResult | None:
    """None where the move is to leave the case to a person."""
    match move:
        case Ask(question=question, order_number=order_number):
            named = {"po_number": order_number} if order_number else {}
            return await turn.persistently("ask_buyer", question=question, **named)
        case Write(subject=subject, body=body):
            return await turn.persistently("email_vendor", subject=subject, body=body)
        case Keep(reason=reason):
            return await turn.persistently("keep_hold", reason=reason)
        case Wait(reason=reason):
            return await turn.persistently("wait", reason=reason)
        case Stop(reason=reason):
            await turn.call("note_case", text=reason)
            return None
        case Propose():
            return await _propose(turn, move)


async def _propose(turn: OpenTurn, move: Propose) -> CallResult:
    optional = {"amount": move.amount, "settles": list(move.settles) or None, "against_po": move.against_po}
    return await turn.persistently(
        "propose_resolution",
        action=move.action,
        citations=list(move.citations),
        rationale=move.rationale,
        **{key: value for key, value in optional.items() if value is not None},
    )
