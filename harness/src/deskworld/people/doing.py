"""Doing what the script says, as that person, through that person's door."""

from deskworld.doors import mail
from deskworld.doors.http import HttpDoor, Refusal
from deskworld.doors.identity import People
from deskworld.errors import PersonSlipped
from deskworld.values.record import Move

CLOSED = frozenset({"DECISION_CLOSED", "QUESTION_CLOSED"})
"""True refusals: somebody or something was quicker. Any other refusal says that the script is wrong."""
DESK_ADDRESS = "ap@deskworld.example"


async def do(move: Move, *, desk: HttpDoor, people: People, outside: mail.Outside) -> Move:
    """The move with what the door answered. Raises DoorFailed, PersonSlipped."""
    if move.kind == "mail":
        return await _write(move, outside)
    try:
        token = await people.token(move.who)
        done = await (_answer(move, desk, token) if move.kind == "answer" else _decide(move, desk, token))
    except Refusal as refusal:
        if refusal.code not in CLOSED:
            raise PersonSlipped(f"{move.rule}: {refusal.what}") from refusal
        return move.model_copy(update={"done": refusal.code, "refused": True})
    return move.model_copy(update={"done": done})


async def _answer(move: Move, desk: HttpDoor, token: str) -> str:
    await desk.post(f"/questions/{move.row}/answer", {"text": move.said}, token=token, key=move.row)
    return "answered"


async def _decide(move: Move, desk: HttpDoor, token: str) -> str:
    body = {"verdict": move.verdict, "words": move.said, "reason": move.reason}
    given = {key: value for key, value in body.items() if value is not None}
    answer = await desk.post(f"/decisions/{move.row}", given, token=token, key=move.row)
    return str(answer["outcome"])


async def _write(move: Move, outside: mail.Outside) -> Move:
    subject = f"Re: {move.answers.subject}" if move.answers else move.subject
    if subject is None or move.said is None:
        raise PersonSlipped(f"{move.rule}: there is no letter to answer and no subject, or nothing to say")
    letter = mail.letter(
        message_id=move.row,
        sender=move.who,
        recipient=DESK_ADDRESS,
        subject=subject,
        text=move.said,
        answers=move.answers,
    )
    await outside.send(letter, sender=move.who, recipient=DESK_ADDRESS)
    return move.model_copy(update={"done": "handed in"})
