"""A turn in our hands, and a case brought to its end through it."""

from collections.abc import Mapping
from typing import Any

from tests.support.office import Case, Office

from deskworld_kit.ids import new_id


async def claimed(office: Office, case: Case) -> dict[str, Any]:
    """The turn as it was given, with the id of the case's invoice."""
    await case.until("rules.ran")
    asked = {"agent": "conformance", "wait": 30}
    answer = await office.ask("agent_door", "POST", "/turns/claim", await office.agent_token(), json=asked)
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    assert turn["case_id"] == case.case_id, "another case on this stack waited for an agent"
    about = await office.ask("erp", "GET", f"/match-exceptions/{case.case_id}", await office.sign_in("emma.lind"))
    return {**turn, "invoice_id": about.json()["invoice_id"]}


async def call(office: Office, turn: Mapping[str, Any], tool: str, **args: Any) -> dict[str, Any]:
    told = {"call_id": new_id(), "tool": tool, "args": args}
    answer = await office.ask("agent_door", "POST", f"/turns/{turn['turn_id']}/calls", turn["token"], json=told)
    assert answer.json()["outcome"] == "OK", answer.text
    found: dict[str, Any] = answer.json()
    return found


async def proposed(office: Office, case: Case, turn: Mapping[str, Any]) -> None:
    """To pay as billed, and the turn is over."""
    read = [await call(office, turn, name) for name in ("get_invoice", "get_purchase_order")]
    cited = [form for one in read for form in one["ids"]]
    why = "Four per cent over the order's price."
    wanted = {"action": "approve-variance", "citations": cited, "rationale": why, "settles": [case.case_id]}
    await call(office, turn, "propose_resolution", **wanted)
    await ended(office, turn)


async def put_on_hold(office: Office, turn: Mapping[str, Any]) -> None:
    """Proposed, and the turn is over: what any case can come to."""
    read = [await call(office, turn, name) for name in ("get_invoice", "get_vendor")]
    cited = [form for one in read for form in one["ids"]]
    await call(office, turn, "propose_resolution", action="hold", citations=cited, rationale="Nobody goes on with it.")
    await ended(office, turn)


async def ended(office: Office, turn: Mapping[str, Any]) -> None:
    told = {"how": "COMPLETED", "usage": []}
    await office.ask("agent_door", "POST", f"/turns/{turn['turn_id']}/end", turn["token"], json=told)


async def finished(office: Office, case: Case, turn: Mapping[str, Any]) -> None:
    await proposed(office, case, turn)
    await office.sign_in("anna.keller")
    assert (await case.decide("anna.keller"))["outcome"] == "applied"
