"""A person at the terminal in somebody's place: what is typed is done, and nothing that is shown acts."""

import io
from typing import cast

import pytest
from rich.console import Console
from tests.support.agent import Office, documents, ok, stopped, take, turn

from deskworld.commands.playing_by_hand import Terminal, asked, at_the_terminal
from deskworld.values.record import Move


def terminal(typed: str) -> tuple[Terminal, io.StringIO]:
    shown = io.StringIO()
    return Terminal(Console(file=shown, width=400), io.StringIO(typed).readline), shown


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


def test_a_question_is_shown_as_it_was_asked() -> None:
    move = Move(key="answer:q", kind="answer", who="anna.keller", rule="anna answers", row="q", at=0.0, said="Yes.")
    rows = ({"kind": "question.asked", "data": {"question_id": "q", "text": "Did you agree 10.40?"}},)
    assert "Did you agree 10.40?" in asked(move, cast("tuple[dict[str, object], ...]", rows))
    assert asked(move, ()) == "anna answers"
