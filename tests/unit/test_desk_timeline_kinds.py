"""The timeline's kinds are a closed set, each with the fields that the page of doors gives it."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from deskworld_desk.timeline.kinds import KINDS, CaseMoved, EventReceived, ToolCalled

DOORS = Path(__file__).parents[2] / "docs" / "doors.md"


def _rows_of_the_page() -> dict[str, set[str]]:
    """Kind → field names, from the table under `## Timeline`."""
    section = DOORS.read_text().split("\n## Timeline\n", 1)[1].split("\n## ", 1)[0]
    found: dict[str, set[str]] = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 2 or cells[0] in {"kind", "---"}:
            continue
        kinds, fields = cells[0].split(" · "), cells[1]
        # the last row lists three kinds and their fields, in the same order
        groups = fields.split(" · ") if len(kinds) > 1 else [fields]
        for kind, group in zip(kinds, groups, strict=True):
            found[kind] = _names(group)
    return found


def _names(fields: str) -> set[str]:
    flat = re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)", "", re.sub(r"\[\{[^\]]*\}\]", "", fields))
    return {re.match(r"[a-z_]+", part.strip()).group() for part in flat.split(",") if part.strip()}  # type: ignore[union-attr]


def test_the_kinds_are_those_of_the_page_of_doors() -> None:
    assert set(KINDS) == set(_rows_of_the_page())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_has_the_fields_of_the_page_of_doors(kind: str) -> None:
    own = {field.alias or name for name, field in KINDS[kind].model_fields.items()}
    assert own == _rows_of_the_page()[kind]


def test_a_row_says_from_where_a_case_moved() -> None:
    moved = CaseMoved(from_="INVESTIGATING", to="RESOLVED", why="resolved by command")
    assert moved.model_dump(by_alias=True) == {"from": "INVESTIGATING", "to": "RESOLVED", "why": "resolved by command"}


def test_a_field_that_the_kind_does_not_have_is_refused() -> None:
    with pytest.raises(ValidationError):
        EventReceived.model_validate({"event_id": "e", "type": "t", "subject": "s", "event_cause": None, "more": 1})


def test_a_fourth_outcome_of_a_tool_is_refused() -> None:
    with pytest.raises(ValidationError):
        ToolCalled.model_validate(
            {"turn_id": "t", "call_id": "c", "tool": "wait", "arguments": {}, "outcome": "MAYBE", "code": None,
             "detail": None, "ids": [], "result_digest": None}
        )  # fmt: skip
