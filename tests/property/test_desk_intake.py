"""Events of the ERP in any order and number: a case is opened once and comes to the same end."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.desk_inside import Inside, desk_inside, event

from deskworld_kit import chain
from deskworld_kit.ids import new_id

Json = dict[str, Any]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def desk() -> AsyncIterator[Inside]:
    async with desk_inside() as inside:
        yield inside


def history(*, resolved: bool) -> list[Json]:
    """What the ERP tells of one invoice with two exceptions: somebody else holds it, a credit note and goods come, a
    command of somebody else's settles one exception or both."""
    invoice_id, price, quantity = new_id(), new_id(), new_id()

    def about(kind: str, version: int, case_id: str, **data: Any) -> Json:
        return event(kind, exception_id=case_id, invoice_id=invoice_id, invoice_version=version, **data)

    def changed(version: int, status: str) -> Json:
        return event("invoice.changed", invoice_id=invoice_id, version=version, status=status)

    def cause(kind: str) -> Json:
        return {"kind": kind, "id": new_id(), "decision_id": None}

    told = [
        about("match-exception.raised", 1, price),
        about("match-exception.raised", 1, quantity, reason="QTY_OVER_RECEIPT"),
        changed(2, "ON_HOLD"),
        about("match-exception.rechecked", 3, price, cause=cause("credit-note"), holds=[{"id": "h"}]),
        about("match-exception.rechecked", 3, quantity, cause=cause("credit-note")),
        changed(3, "ON_HOLD"),
        about("match-exception.rechecked", 4, price, cause=cause("receipt")),
        about("match-exception.resolved", 4, quantity, cause=cause("receipt")),
        changed(4, "EXCEPTION"),
    ]
    if resolved:
        told += [about("match-exception.resolved", 5, price, cause=cause("command")), changed(5, "APPROVED")]
    return told


async def hear(desk: Inside, told: Sequence[Json]) -> None:
    for one in told:
        await desk.hear(one["type"].removeprefix("deskworld.erp."), event_id=one["id"], **one["data"])
    await desk.quiet()


async def ends(desk: Inside, told: Sequence[Json]) -> dict[str, Any]:
    """What must not depend on the order."""
    found = {}
    for case_id in dict.fromkeys(one["data"]["exception_id"] for one in told if one["type"].endswith("raised")):
        case, rows = await desk.case(case_id), await desk.rows(case_id)
        assert chain.verify(rows) is None
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        heard = [row["data"]["event_id"] for row in rows if row["kind"] == "event.received"]
        assert len(heard) == len(set(heard)), "an event was taken twice"
        assert [row["kind"] for row in rows].count("case.opened") == 1
        assert not [one["kind"] for one in (await desk.view(case_id))["in_motion"] if one["kind"] in {"event", "rules"}]
        closed = case.resolved_by and case.resolved_by["id"]
        # of a case that is closed only that counts: what came after is ignored
        left = None if closed else (case.held, case.record_version, case.record_status, case.memory)
        found[case.reason] = (case.state, closed, left)
    return found


@st.composite
def orders(draw: st.DrawFn) -> tuple[bool, list[int]]:
    """Each event at least once, in any order, some of them again and again."""
    resolved = draw(st.booleans())
    places = list(range(11 if resolved else 9))
    again = draw(st.lists(st.sampled_from(places), max_size=6))
    return resolved, draw(st.permutations([*places, *again]))


@given(orders())
@settings(max_examples=settings().max_examples // 4)
async def test_any_order_and_number_of_events_comes_to_the_same_end(
    desk: Inside, order: tuple[bool, list[int]]
) -> None:
    resolved, places = order
    told = history(resolved=resolved)
    await hear(desk, [told[place] for place in places])
    got = await ends(desk, told)
    assert got["QTY_OVER_RECEIPT"] == ("RESOLVED", told[7]["data"]["cause"]["id"], None)
    if resolved:
        assert got["PRICE_VARIANCE"] == ("RESOLVED", told[9]["data"]["cause"]["id"], None)
    else:
        _, closed, left = got["PRICE_VARIANCE"]
        assert (closed, left) == (None, (False, 4, "EXCEPTION", {"credit": "received"}))


async def test_what_a_case_was_told_before_it_was_opened_is_on_its_timeline(desk: Inside) -> None:
    told = history(resolved=True)
    await hear(desk, [told[9], told[6], told[0]])
    rows = await desk.rows(told[0]["data"]["exception_id"], "event.received", "case.opened", "case.moved")
    said = [row["data"].get("event_id") or row["kind"] for row in rows]
    assert said == [told[0]["id"], "case.opened", told[6]["id"], told[9]["id"], "case.moved"]


async def test_an_old_credit_note_does_not_pass_for_the_one_that_is_awaited(desk: Inside) -> None:
    """The ERP's word of a credit note from before the request overtakes nothing: nothing is paid on it."""
    told = history(resolved=False)
    await hear(desk, [told[0]])
    case_id = told[0]["data"]["exception_id"]
    await desk.sql(
        'UPDATE cases SET memory = \'{"credit": "requested"}\', memory_versions = \'{"credit": 4}\', '
        "rechecked_version = 4 WHERE id = $1",
        case_id,
    )
    await hear(desk, [told[3]])
    case = await desk.case(case_id)
    assert case.memory == {"credit": "requested"}
    assert (await desk.rows(case_id, "event.ignored"))[-1]["data"]["why"] == "old-version"


@pytest.mark.parametrize("first", [0, 9])
async def test_the_opening_and_the_closing_event_at_the_same_moment_leave_no_case_open(
    desk: Inside, first: int
) -> None:
    told = history(resolved=True)
    pair = [told[first], told[9 - first]]
    await asyncio.gather(*(hear(desk, [one]) for one in pair))
    assert (await desk.case(told[0]["data"]["exception_id"])).state == "RESOLVED"
