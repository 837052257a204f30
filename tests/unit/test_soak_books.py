"""The books that the compose soak reads at its end: right ones have no finding, whatever is lost or twice has one."""

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from tests.soak.compose.books import Subject, findings
from tests.support.histories.right import RIGHT

from deskworld.values.chain import GENESIS, hash_of

Boxes = dict[str, Counter[str]]
Books = tuple[Subject, Boxes]
DELIVERED = {"delivered_at": "2026-03-01T08:00:00Z", "dead_at": None}


def books(name: str) -> Books:
    """A right history, as ERP, desk and mail server tell it afterwards."""
    played = RIGHT[name]()
    evidence = played.evidence
    erp = copy.deepcopy(dict(evidence.erp or {}))
    for event in erp["outbox"]:
        event["delivery"] = dict(DELIVERED)
    [timeline] = evidence.timelines
    case = {"view": copy.deepcopy(dict(timeline.view)), "timeline": copy.deepcopy([dict(row) for row in timeline.rows])}
    moves = tuple(move.model_copy(update={"done": "handed in"}) for move in played.record.moves)
    record = played.record.model_copy(update={"moves": moves})
    told = Counter(row["data"]["message_id"] for row in case["timeline"] if row["kind"] == "mail.received")
    sent = Counter(row["data"]["message_id"] for row in case["timeline"] if row["kind"] == "mail.sent")
    subject = Subject("v-1", {"cases": [case]}, erp, record)
    return subject, {"counterparties": sent, "staff": Counter(), "desk": told}


def rows(subject: Subject) -> list[dict[str, Any]]:
    timeline: list[dict[str, Any]] = subject.desk["cases"][0]["timeline"]
    return timeline


def again(subject: Subject, kind: str) -> None:
    """The row of that kind stands a second time at the end, in a chain that holds."""
    timeline = rows(subject)
    timeline.append(copy.deepcopy(next(row for row in timeline if row["kind"] == kind)))
    before = GENESIS
    for seq, row in enumerate(timeline, start=1):
        row.update(seq=seq, prev_hash=before)
        before = row["hash"] = hash_of(row)


@pytest.mark.parametrize("name", RIGHT)
def test_right_books_have_no_finding(name: str) -> None:
    assert list(findings(*books(name))) == []


def test_a_letter_that_was_handed_in_again_after_a_kill_is_no_finding() -> None:
    subject, boxes = books("no-po")
    assert list(findings(subject, {**boxes, "counterparties": boxes["counterparties"] + boxes["counterparties"]})) == []


def lost_case(of: Books) -> None:
    of[0].desk["cases"].clear()


def broken_chain(of: Books) -> None:
    rows(of[0])[1]["data"]["reason"] = "another"


def lost_row(of: Books) -> None:
    rows(of[0]).pop(2)


def open_case(of: Books) -> None:
    of[0].desk["cases"][0]["view"]["state"] = "AWAITING_ANSWER"


def moving_case(of: Books) -> None:
    of[0].desk["cases"][0]["view"]["in_motion"] = [{"kind": "decision", "id": "d"}]


def command_lost_by_the_erp(of: Books) -> None:
    of[0].erp["commands"].clear()


def command_lost_by_the_audit(of: Books) -> None:
    of[0].erp["audit"][:] = [row for row in of[0].erp["audit"] if not row["decision_id"]]


def command_booked_twice(of: Books) -> None:
    of[0].erp["audit"].append(dict(next(row for row in of[0].erp["audit"] if row["decision_id"])))


def command_carried_out_twice(of: Books) -> None:
    of[0].erp["commands"].append(dict(of[0].erp["commands"][0]))


def command_told_twice(of: Books) -> None:
    again(of[0], "command.applied")


def decision_lost(of: Books) -> None:
    of[0].erp["commands"].clear()
    of[0].erp["audit"][:] = [row for row in of[0].erp["audit"] if not row["decision_id"]]
    timeline = rows(of[0])
    timeline[:] = [row for row in timeline if row["kind"] != "command.applied"]


def event_not_delivered(of: Books) -> None:
    of[0].erp["outbox"][0]["delivery"]["delivered_at"] = None


def event_given_up(of: Books) -> None:
    of[0].erp["outbox"][0]["delivery"]["dead_at"] = "2026-03-01T08:04:00Z"


def event_taken_twice(of: Books) -> None:
    again(of[0], "event.received")


def letter_lost(of: Books) -> None:
    of[1]["counterparties"].clear()


def letter_sent_again_and_again(of: Books) -> None:
    of[1]["counterparties"] += of[1]["counterparties"] + of[1]["counterparties"]


def letter_told_twice(of: Books) -> None:
    again(of[0], "mail.sent")


def reply_lost(of: Books) -> None:
    of[1]["desk"].clear()


def reply_told_twice(of: Books) -> None:
    again(of[0], "mail.received")


WRONG: dict[Callable[[Books], None], str] = {
    lost_case: "never became a case",
    broken_chain: "is not one chain",
    lost_row: "is not one chain",
    open_case: "has not ended: AWAITING_ANSWER",
    moving_case: "is still in motion",
    command_lost_by_the_erp: "carried out: desk",
    command_lost_by_the_audit: "carried out: desk",
    command_booked_twice: "was carried out 2 times, says the ERP's audit",
    command_carried_out_twice: "was carried out 2 times, says the ERP's commands",
    command_told_twice: "was carried out 2 times, says the desk",
    decision_lost: "was made, and nothing became of it",
    event_not_delivered: "was not delivered",
    event_given_up: "was not delivered",
    event_taken_twice: "was taken 2 times",
    letter_lost: "is in its mailbox 0 times",
    letter_sent_again_and_again: "is in its mailbox 3 times",
    letter_told_twice: "is told of 2 times",
    reply_lost: "is not in the desk's mailbox",
    reply_told_twice: "the desk tells of it 2 times",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_whatever_is_lost_or_comes_twice_is_found(wrong: Callable[[Books], None]) -> None:
    of = books("no-po")
    wrong(of)
    assert [one for one in findings(*of) if WRONG[wrong] in one]
