"""The controls read and cite everything, and decide without a thought."""

import pytest
from tests.support import agent as desk
from tests.support.agent import CASE, INVOICE, ORDER, VENDOR, Json, Office, take, turn

from deskworld.agents.controls import CONTROLS

DECIDES = {
    "approve-everything": "approve-variance",
    "hold-everything": "hold",
    "reject-everything": "reject",
}


async def worked(name: str, *turns: Json) -> Office:
    office = Office(tools=desk.documents(of=desk.invoice(exceptions=[desk.exception("NO_PO", masked=("m-1",))])))
    await take(office, CONTROLS[name], *turns)
    assert [end["how"] for end in office.ended] == ["COMPLETED"] * len(turns)
    return office


@pytest.mark.parametrize(("name", "action"), DECIDES.items())
async def test_it_proposes_its_one_action_and_cites_every_record(name: str, action: str) -> None:
    office = await worked(name, turn())
    (made,) = office.made("propose_resolution")
    assert made["action"] == action
    assert made.get("settles") == ([CASE, "m-1"] if action == "approve-variance" else None)
    read = {call["tool"] for call in office.calls} - {"propose_resolution"}
    assert read == {tool for tool in desk.documents() if tool not in desk.MOVES}


async def test_every_record_with_an_id_is_cited() -> None:
    ids = [f"0190f3a0-0000-7000-8000-00000000000{nth}" for nth in range(6)]
    office = Office(tools=desk.documents())
    for tool, named in zip(("get_invoice", "get_vendor", "get_receipts"), ids, strict=False):
        office.tools[tool] = desk.ok({"id": named}, named, "a-handle-1")
    await take(office, CONTROLS["hold-everything"], turn())
    assert office.made("propose_resolution")[0]["citations"] == ids[:3]
    assert not {INVOICE, ORDER, VENDOR} & set(office.made("propose_resolution")[0]["citations"])


@pytest.mark.parametrize(("name", "action"), DECIDES.items())
async def test_when_its_action_was_declined_it_has_nothing_else(name: str, action: str) -> None:
    told = turn(desk.decided("declined", action), declined=[desk.declined(action)])
    assert (await worked(name, told)).made("propose_resolution") == []


@pytest.mark.parametrize("name", DECIDES)
async def test_a_decision_that_was_carried_out_is_the_end(name: str) -> None:
    assert (await worked(name, turn(desk.decided("applied", "hold"), held=True))).calls == []


async def test_hold_everything_keeps_what_is_held() -> None:
    office = await worked("hold-everything", turn(desk.rechecked("receipt"), held=True))
    assert [call["tool"] for call in office.calls] == ["keep_hold"]


async def test_mute_says_nothing() -> None:
    assert (await worked("mute", turn())).calls == []


async def test_echo_answers_each_input_with_its_own_text() -> None:
    office = await worked("echo", turn(desk.answered("Are you there?"), desk.noted("Hello."), desk.stopped()))
    assert [made["text"] for made in office.made("note_case")] == ["Are you there?", "Hello.", "disabled"]
    assert [call["tool"] for call in office.calls] == ["note_case"] * 3
