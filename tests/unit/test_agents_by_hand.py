"""A person at the terminal in somebody's place: what is typed is done, and nothing that is shown acts."""

import asyncio
import io
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.support.agent import Office, documents, ok, stopped, take, turn
from tests.support.harness import compiled

from deskworld.commands.playing_by_hand import at_the_terminal
from deskworld.commands.seats import Seat
from deskworld.commands.terminal import Lines, Terminal
from deskworld.values.case import Part, Seeded, Voice
from deskworld.values.record import Move
from deskworld.world import Seen
from deskworld.worlds import AP

CASE = "c-1"


def terminal(typed: str) -> tuple[Terminal, io.StringIO]:
    shown, lines = io.StringIO(), io.StringIO(typed)

    async def read() -> str:
        return lines.readline()

    return Terminal(Console(file=shown, width=400), read), shown


async def test_a_tool_and_its_arguments_are_typed_and_an_empty_line_ends_the_turn() -> None:
    desk = Office(tools={**documents(), "note_case": ok({"seq": 3})})
    typed, shown = terminal('get_invoice\nnote_case {"text": "seen"}\n\n')
    await take(desk, at_the_terminal(typed), turn())
    assert desk.made("note_case") == [{"text": "seen"}]
    assert len(desk.ended) == 1
    assert "0190-invoice" in shown.getvalue()


@pytest.mark.parametrize("typed", ["note_case {\n", "note_case [1]\n"])
async def test_arguments_that_are_none_are_said_and_asked_again(typed: str) -> None:
    desk = Office(tools=documents())
    hand, shown = terminal(typed)
    await take(desk, at_the_terminal(hand), turn())
    assert desk.calls == []
    assert "JSON" in shown.getvalue() or "object" in shown.getvalue()


async def test_an_escape_sequence_in_what_the_desk_tells_does_not_reach_the_terminal() -> None:
    hand, shown = terminal("\n")
    await take(Office(), at_the_terminal(hand), turn({**stopped("NO_PO"), "summary": "\x1b[2J\u202eevil"}))
    assert "evil" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()
    assert "\u202e" not in shown.getvalue()


async def test_lines_come_one_by_one_from_a_pipe_however_they_were_written() -> None:
    theirs, ours = os.pipe()
    read = Lines(theirs)
    try:
        os.write(ours, b"first\nsec")
        assert await read() == "first\n"
        os.write(ours, "ond \u20ac\nlast".encode())
        os.close(ours)
        assert [await read() for _ in range(4)] == ["second \u20ac\n", "last", "", ""]
    finally:
        os.close(theirs)


async def test_lines_of_a_file_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "typed").write_text("one\n\n")
    with (tmp_path / "typed").open() as file:
        read = Lines(file.fileno())
        assert [await read() for _ in range(3)] == ["one\n", "\n", ""]


def seen(*rows: dict[str, Any], script: dict[str, Part]) -> Seen:
    case = compiled("price-variance-small").model_copy(update={"script": script, "happens": ()})
    return Seen(case=case, seeded=Seeded(records={}, exceptions=(), case_id=CASE), rows=rows)


QUESTION = {
    "seq": 2,
    "case_id": CASE,
    "kind": "question.asked",
    "data": {"question_id": "q", "to": "anna", "text": "?"},
}
DECISION = {
    "seq": 2, "case_id": CASE, "kind": "decision.requested",
    "data": {"decision_id": "d", "proposal_id": "p", "user": "anna", "role": "buyer", "action": "hold"},
}  # fmt: skip


def test_who_sits_in_a_silent_persons_place_is_asked_all_the_same() -> None:
    seat = Seat(AP, "buyer")
    [move] = seat.world.due(seen(QUESTION, script={"buyer": Part(identity="anna")}))
    assert (move.kind, move.row, seat.is_mine(move), seat.is_scripted(move)) == ("answer", "q", True, False)
    assert AP.due(seen(QUESTION, script={"buyer": Part(identity="anna")})) == ()


def test_who_sits_in_a_place_is_asked_once_and_others_stay_as_scripted() -> None:
    spoken = {"buyer": Part(identity="anna", says=Voice(said=("Yes.",)))}
    [move] = Seat(AP, "buyer").world.due(seen(QUESTION, script=spoken))
    assert move.said == "Yes."
    silent = {"buyer": Part(identity="anna", decides="silent")}
    assert Seat(AP, "vendor").world.due(seen(QUESTION, DECISION, script=silent)) == ()
    [move] = Seat(AP, "decider").world.due(seen(QUESTION, DECISION, script=silent))
    assert (move.kind, move.row) == ("decision", "d")


async def test_what_a_move_answers_is_shown_once_its_row_is_there() -> None:
    seat = Seat(AP, "buyer")
    move = Move(key="answer:q", kind="answer", who="anna", rule="anna answers", row="q", at=0.0, said="Yes.")
    asked = asyncio.create_task(seat.asked(move))
    assert not asked.done()
    seat.world.due(seen(QUESTION, script={}))
    assert await asked == ("question.asked", QUESTION["data"])
