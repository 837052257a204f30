"""The page that says who can do what names every route that there is, once, and no other."""

from collections import Counter

import pytest
from tests.support.permissions import DOORS, ON_BEHALF, ROLES, routes, rows_of, table

ROUTES = routes()


@pytest.mark.parametrize("door", DOORS)
def test_every_route_of_a_door_has_a_row_and_every_row_a_route(door: str) -> None:
    behalf = {name for name in ROUTES[door] if ON_BEHALF in name}
    named = Counter(row.name for row in rows_of(door))
    assert set(named) == (ROUTES[door] - behalf) | ({f"ANY {ON_BEHALF}…"} if behalf else set())
    assert set(named.values()) == {1}


def test_on_behalf_of_a_person_stands_what_the_office_has_and_no_more() -> None:
    behalf = {name.replace(ON_BEHALF, "/") for name in ROUTES["ERP stage"] if ON_BEHALF in name}
    apart = {"GET /openapi.json", "GET /health", "GET /docs", "GET /docs/style.css"}
    assert behalf == ROUTES["ERP office"] - apart


def test_a_cell_says_yes_own_or_nothing_and_others_are_known() -> None:
    known = {"everybody", "desk", "agent", "turn", "erp-stage", "desk-stage", "webhook"}
    for row in table():
        assert set(row.people) == set(ROLES)
        assert set(row.people.values()) <= {"yes", "own", "–"}, row
        assert row.others <= known, row
        assert "everybody" not in row.others or set(row.people.values()) == {"yes"}, row


def test_a_form_is_open_to_whom_the_api_is_open() -> None:
    """The page of a case and the API are two ways to one thing: nobody gets by the one what the other refuses."""
    api = {row.name.replace("/unmatched-mail", "/mail"): row.people for row in rows_of("Desk office")}
    pages = {row.name.replace(" /workbench", " "): row for row in rows_of("Workbench pages")}
    same = {name: row.people for name, row in pages.items() if name in api and "everybody" not in row.others}
    assert len(same) > 20
    assert {name: api[name] for name in same if name != "GET /"} == {
        name: marks for name, marks in same.items() if name != "GET /"
    }
