"""A row is served as it was hashed, and a chain of rows shows every change."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from deskworld_desk.timeline.kinds import Actor, Entry, PersonNoted, QuestionAsked
from deskworld_desk.timeline.kinds import Person as By
from deskworld_desk.timeline.rows import Row, make_row
from deskworld_kit import chain

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
ANNA = By(username="anna.keller", sub="7f0c")
ODD = "NUL \x00, half a character \ud800, Grüße, \u2028 and </script>"


def chained(*entries: Entry) -> list[Row]:
    rows: list[Row] = []
    before = chain.GENESIS
    for seq, entry in enumerate(entries, start=1):
        actor = Actor(type="person", id="anna.keller")
        row = make_row(case_id="c", seq=seq, prev_hash=before, entry=entry, actor=actor, cause=None, at=NOON)
        before = row.hash
        rows.append(row)
    return rows


def notes(*texts: str) -> list[dict[str, Any]]:
    return [json.loads(row.text) for row in chained(*(PersonNoted(by=ANNA, text=text) for text in texts))]


def test_rows_written_one_after_the_other_are_a_chain() -> None:
    assert chain.verify(notes("one", "two", "three")) is None


def test_any_text_comes_back_as_it_was_hashed() -> None:
    (row,) = notes(ODD)
    assert row["data"]["text"] == ODD
    assert chain.verify([row]) is None


def test_the_stored_text_is_ascii_so_that_any_database_takes_it() -> None:
    (row,) = chained(PersonNoted(by=ANNA, text=ODD))
    assert row.text.isascii()
    assert "\x00" not in row.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", "2026-05-04T12:00:01.000000+00:00"),
        ("cause", 1),
        ("kind", "flag.cleared"),
        ("case_id", "d"),
        ("format", 2),
    ],
)
def test_a_changed_field_breaks_the_chain(field: str, value: object) -> None:
    rows = notes("one", "two", "three")
    rows[1][field] = value
    assert chain.verify(rows) == 1


def test_a_row_that_is_left_out_or_swapped_breaks_the_chain() -> None:
    rows = notes("one", "two", "three")
    assert chain.verify([rows[0], rows[2]]) == 1
    assert chain.verify([rows[1], rows[0], rows[2]]) == 0


def test_the_time_of_a_row_always_has_microseconds_and_an_offset() -> None:
    asked = QuestionAsked(question_id="q", to="anna.keller", text="Agreed?", turn_id=None)
    assert json.loads(chained(asked)[0].text)["at"] == "2026-05-04T12:00:00.000000+00:00"
