"""What the script's people do, given what was seen. Pure: deciding is here, doing is in `doing`.

Triggers: a question to somebody, a decision that was routed to somebody, a letter that arrived outside; and for what
happens once: the case is open, its command was carried out, it is on hold.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from deskworld.values.case import Happens, Part
from deskworld.values.realm import holders
from deskworld.values.record import MailSeen, Move, MoveKind
from deskworld.values.scenario import When
from deskworld.world import Seen


def due(seen: Seen) -> tuple[Move, ...]:
    """Every move that the script makes now and has not made; each has a key that it is made under once."""
    made = {move.key for move in seen.moves}
    moves = (*_answers(seen), *_decisions(seen), *_letters(seen), *_happenings(seen))
    return tuple(move for move in moves if move.key not in made)


def awaits(seen: Seen) -> str | None:
    """A letter that a server took for somebody of the script and that has not reached their mailbox yet: they may
    answer it, and whether it came is part of what a run is judged by."""
    reached = {mail.message_id for mail in seen.mail}
    for name, part in seen.case.script.items():
        letters = [row["data"] for row in seen.rows if row["kind"] == "mail.sent" and _went_to(row["data"], part)]
        for nth, letter in enumerate(letters, start=1):
            if letter["message_id"] not in reached:
                answers = _ready(seen, part) and part.says.answer(nth) is not None
                will = "who will answer" if answers else "who will not answer"
                return f"letter {letter['message_id']} is on its way to the {name}, {will}"
    return None


def _answers(seen: Seen) -> Iterator[Move]:
    asked: dict[str, int] = {}
    for row in seen.rows:
        if row["kind"] != "question.asked":
            continue
        who = row["data"]["to"]
        asked[who] = asked.get(who, 0) + 1
        part = _part_of(seen, who)
        text = part.says.answer(asked[who]) if part and _ready(seen, part) else None
        if text is not None:
            question = row["data"]["question_id"]
            yield Move(
                key=f"answer:{question}",
                kind="answer",
                who=who,
                rule=f"{who} answers question {asked[who]}",
                row=question,
                at=0.0,
                said=text,
            )


def _decisions(seen: Seen) -> Iterator[Move]:
    requested: dict[str, Mapping[str, Any]] = {}
    closed = {row["data"].get("decision_id") for row in seen.rows if row["kind"] == "proposal.withdrawn"}
    for row in seen.rows:
        if row["kind"] == "decision.requested":
            requested[row["data"]["decision_id"]] = row["data"]
            yield from _decides(seen, row["data"], after=row["seq"])
        elif row["kind"] == "decision.needs-decider" and row["data"]["decision_id"] not in closed:
            yield from _decides(
                seen, requested[row["data"]["decision_id"]], after=row["seq"], again=f":again:{row['seq']}"
            )


def _decides(seen: Seen, request: Mapping[str, Any], *, after: int, again: str = "") -> Iterator[Move]:
    who = request["user"] or _by_role(seen, request["role"])
    part = _part_of(seen, who) or seen.case.script.get(request["role"]) or Part(identity=who)
    if part.decides == "silent":
        return
    decline = next((one for one in part.declines if one.action == request["action"]), None)
    verdict = "decline" if decline else "approve"
    yield Move(
        key=f"decision:{request['decision_id']}{again}",
        kind="decision",
        who=who,
        rule=f"{who} {verdict}s {request['action']}",
        row=request["decision_id"],
        after=after,
        at=0.0,
        verdict=verdict,
        said=decline.words if decline else None,
        reason=decline.reason if decline else None,
    )


def _letters(seen: Seen) -> Iterator[Move]:
    for part in seen.case.script.values():
        if not _ready(seen, part):
            continue
        # one whose delivery was not acknowledged is delivered again: the same Message-ID is the same letter
        mine = {mail.message_id: mail for mail in seen.mail if mail.recipient == part.identity}
        for nth, mail in enumerate(mine.values(), start=1):
            text = part.says.answer(nth)
            if text is not None:
                yield _reply(seen, part, mail, nth, text)


def _reply(seen: Seen, part: Part, mail: MailSeen, nth: int, text: str) -> Move:
    domain = part.identity.partition("@")[2]
    # a Message-ID of its own for each letter answered, and the same one however often the script is asked
    name = hashlib.sha256(f"{seen.case.tag}:{mail.message_id}".encode()).hexdigest()[:20]
    return Move(
        key=f"mail:{mail.message_id}",
        kind="mail",
        who=part.identity,
        rule=f"{part.identity} answers letter {nth}",
        row=f"<{name}@{domain}>",
        at=0.0,
        said=text,
        answers=mail,
    )


KINDS: Mapping[str, MoveKind] = {"redelivery": "redelivery", "mail": "mail", "goods": "goods"}
TRIGGERS: Mapping[When, Callable[[Mapping[str, Any]], bool]] = {
    "opened": lambda row: row["kind"] == "case.opened",
    "applied": lambda row: row["kind"] == "command.applied",
    "held": lambda row: row["kind"] == "case.moved" and row["data"]["to"] == "ON_HOLD",
}


def _happenings(seen: Seen) -> Iterator[Move]:
    for one in seen.case.happens:
        trigger = _trigger(seen, one.when)
        if trigger is not None:
            yield _happening(seen, one, trigger)


def _happening(seen: Seen, one: Happens, trigger: Mapping[str, Any]) -> Move:
    """What the system of record makes happen has a row that only its door can name."""
    body = {"exception_id": seen.seeded.case_id} if one.kind == "redelivery" else one.body
    return Move(
        key=f"happens:{one.name}",
        kind=KINDS[one.kind],
        who=one.who,
        rule=f"{one.name.replace('-', ' ')} ({one.kind}) once the case is {one.when}",
        row=_own_message_id(seen, one) if one.kind == "mail" else "",
        after=trigger["seq"],
        at=0.0,
        said=one.text,
        subject=one.subject,
        nth=one.nth,
        body=body,
    )


def _trigger(seen: Seen, when: When) -> Mapping[str, Any] | None:
    """The row of the followed case that says that the time has come.

    What ends a hold comes days later: never in the middle of a turn, where two runs could not be compared.
    """
    if when == "held" and any(view.in_motion for view in seen.views.values()):
        return None
    own = (row for row in seen.rows if row["case_id"] == seen.seeded.case_id)
    return next((row for row in own if TRIGGERS[when](row)), None)


def _own_message_id(seen: Seen, one: Happens) -> str:
    name = hashlib.sha256(f"{seen.case.tag}:{one.name}".encode()).hexdigest()[:20]
    return f"<{name}@{one.who.partition('@')[2]}>"


def _ready(seen: Seen, part: Part) -> bool:
    """Somebody who answers late does so once the case is on hold."""
    return not part.late or _trigger(seen, "held") is not None


def _part_of(seen: Seen, identity: str) -> Part | None:
    return next((part for part in seen.case.script.values() if part.identity == identity), None)


def _by_role(seen: Seen, role: str) -> str:
    """The same person of a role for the same case seed, so that a run can be repeated."""
    people = holders(role)
    return people[seen.case.seed % len(people)]


def _went_to(letter: Mapping[str, Any], part: Part) -> bool:
    return any(one["address"] == part.identity and one["outcome"] == "accepted" for one in letter["recipients"])
