"""Why the rules stop is one of a closed set; each of its reasons is met here, and told to the agent."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from tests.support.desk_ap import billed
from tests.support.desk_inside import Inside, Post, person
from tests.support.policy import POLICIES

from deskworld_desk.cases.exits import resume_case
from deskworld_desk.cases.rules import due_rules
from deskworld_desk.cases.states import State
from deskworld_desk.letters.reading import read_joined
from deskworld_desk.letters.tables import Mail
from deskworld_desk.letters.writing import queue_letter
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.timeline.kinds import StopReason
from deskworld_desk.world import LetterDraft
from deskworld_embedded.policy.app import policy_app
from deskworld_kit import clock
from deskworld_kit.ids import new_id

SUBSTITUTED: dict[str, Any] = {"lines": [billed(item="BOLT-M8-A2")]}


async def unhandled(core: Inside, _: Path) -> str:
    return str((await core.opened("NO_PO"))["exception_id"])


async def conflict(core: Inside, folder: Path) -> str:
    """Two rows of the table say something about the same facts."""
    copy = Path(shutil.copytree(POLICIES, folder / "policies"))
    table = copy / "ap" / "resolution" / "table" / "data.json"
    table.write_text(table.read_text().replace('"at_most": "10.00"', '"at_most": "90.00"').replace(
        '"above": "10.00"', '"above": "1.00"'
    ))  # fmt: skip
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=policy_app(copy)), base_url="http://test") as http:
        return str((await core.under(PolicyClient(http)).opened())["exception_id"])


async def exhausted(core: Inside, _: Path) -> str:
    """Three letters went to the vendor before, and the table has one more to write."""
    ids = await core.opened("ITEM_SUBSTITUTED", rules="off", **SUBSTITUTED)
    case_id = str(ids["exception_id"])
    async with core.desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        for _number in range(3):
            draft = LetterDraft(("ap@muster.example",), "Which order?", "Please name it.", {})
            queue_letter(docket, core.desk, case, draft, to_kind="vendor", turn_id="t", cause=case.seq)
    await core.quiet()
    await core.sql("UPDATE letters SET state = 'UNSENT', awaited = false WHERE case_id = $1", case_id)
    await given_back_to_the_rules(core, case_id)
    return case_id


async def given_back_to_the_rules(core: Inside, case_id: str) -> None:
    """A run of the rules on a case as it stands."""
    await core.sql("UPDATE cases SET owner = 'rules', stopped = NULL WHERE id = $1", case_id)
    async with core.desk.dockets.of_case(case_id) as docket:
        due_rules(docket, core.desk, docket.cases[case_id], why="opened", cause=None)
    await core.quiet()


async def refused(core: Inside, _: Path) -> str:
    case_id = str((await core.opened())["exception_id"])
    core.erp.refuse = (403, "NOT_AUTHORISED")
    try:
        await core.decide((await core.asked(case_id))["decision_id"], "anna.keller")
    finally:
        core.erp.refuse = None
    return case_id


async def declined(core: Inside, _: Path) -> str:
    case_id = str((await core.opened("NO_RECEIPT"))["exception_id"])
    await core.decide((await core.asked(case_id))["decision_id"], "emma.lind", "decline", words="They are here.")
    await core.quiet()
    return case_id


async def rechecked(core: Inside, _: Path) -> str:
    ids = await core.opened("NO_RECEIPT")
    await core.decide((await core.asked(ids["exception_id"]))["decision_id"], "emma.lind")
    assert (await core.view(ids["exception_id"]))["state"] == "ON_HOLD"
    cause = {"kind": "bank-change", "id": "b", "decision_id": None}
    await core.hear("match-exception.rechecked", **ids, invoice_version=3, cause=cause)
    return str(ids["exception_id"])


async def reply(core: Inside, _: Path) -> str:
    """The vendor answers something else than what the rules asked for."""
    return await answered_by_letter(core, "We will look into it.")


async def unread(core: Inside, _: Path) -> str:
    """The reader broke on the vendor's answer."""

    class Broken:
        name = "broken"

        async def read(self, text: str) -> Any:
            raise RuntimeError(text)

    broken = replace(core, desk=replace(core.desk, reader=Broken()))
    return await answered_by_letter(broken, "It was out of stock.")


async def answered_by_letter(core: Inside, words: str) -> str:
    case_id = str((await core.opened("ITEM_SUBSTITUTED", **SUBSTITUTED))["exception_id"])
    assert (await core.view(case_id))["state"] == "AWAITING_ANSWER"
    async with core.desk.dockets.of_case(case_id) as docket:
        raw = f"From: ap@muster.example\r\nSubject: Re\r\n\r\n{words}\r\n".encode()
        docket.session.add(
            Mail(
                id=new_id(), uidvalidity=1, uid=docket.cases[case_id].seq + clock.now().microsecond, raw=raw,
                size=len(raw), digest=new_id(), state="JOINED", received_at=clock.now(), case_id=case_id,
                sender="known", joined_by="reference", seq=docket.cases[case_id].seq,
            )
        )  # fmt: skip
    await read_joined(core.desk, case_id)
    await core.quiet()
    return case_id


async def stale(core: Inside, _: Path) -> str:
    """The invoice has a newer version than whatever the rules can read of it."""
    ids = await core.opened()
    await core.hear("invoice.changed", invoice_id=ids["invoice_id"], version=7, status="EXCEPTION")
    await core.quiet()
    return str(ids["exception_id"])


async def resumed_by_a_person(core: Inside, _: Path) -> str:
    case_id = str((await core.opened())["exception_id"])
    async with core.desk.dockets.of_case(case_id) as docket:
        docket.move(docket.cases[case_id], State.NEEDS_PERSON, "overdue", None)
    await resume_case(core.desk, case_id, person("emma.lind"), "Go on.", seen=None)
    return case_id


async def failed(core: Inside, _: Path) -> str:
    core.erp.away = True
    try:
        return str((await core.opened())["exception_id"])
    finally:
        core.erp.away = False


async def unsent(core: Inside, _: Path) -> str:
    nobody = replace(core, post=Post("550 no such user"))
    return str((await nobody.opened("ITEM_SUBSTITUTED", **SUBSTITUTED))["exception_id"])


async def disabled(core: Inside, _: Path) -> str:
    return str((await core.opened(rules="off"))["exception_id"])


Stopping = Callable[[Inside, Path], Awaitable[str]]
REASONS: dict[str, Stopping] = {
    "unhandled": unhandled,
    "conflict": conflict,
    "exhausted": exhausted,
    "refused": refused,
    "declined": declined,
    "rechecked": rechecked,
    "reply": reply,
    "unread": unread,
    "stale": stale,
    "person": resumed_by_a_person,
    "failed": failed,
    "unsent": unsent,
    "disabled": disabled,
}


def test_the_reasons_are_a_closed_set_and_each_is_met_here() -> None:
    assert set(REASONS) == set(get_args(StopReason))


@pytest.mark.parametrize("reason", REASONS)
async def test_the_rules_stop_for_this_reason_and_the_agent_is_told(core: Inside, tmp_path: Path, reason: str) -> None:
    case_id = await REASONS[reason](core, tmp_path)
    view = await core.view(case_id)
    assert (view["stopped"], view["state"]) == (reason, "INVESTIGATING")
    case = await core.case(case_id)
    assert case.owner == "agent"
    stop = [row for row in await core.rows(case_id, "rules.ran") if row["data"]["outcome"] == "stop"][-1]
    assert stop["data"]["reason"] == reason
    assert f"rules-stopped:{case.reason}:{reason}" in await core.untold(case_id)


async def test_a_case_that_the_agent_has_never_goes_back_to_the_rules(core: Inside, tmp_path: Path) -> None:
    case_id = await unhandled(core, tmp_path)
    runs = len(await core.rows(case_id, "rules.ran"))
    record = (await core.view(case_id))["invoice_id"]
    cause = {"kind": "revision", "id": "r", "decision_id": None}
    await core.hear(
        "match-exception.rechecked", exception_id=case_id, invoice_id=record, invoice_version=2, cause=cause
    )
    await core.hear("invoice.changed", invoice_id=record, version=2, status="EXCEPTION")
    await core.quiet()
    assert len(await core.rows(case_id, "rules.ran")) == runs


async def test_what_the_rules_established_is_told_with_why_they_stopped(core: Inside) -> None:
    case_id = str((await core.opened("DUPLICATE"))["exception_id"])
    told = await core.sql("SELECT payload FROM inputs WHERE case_id = $1", case_id)
    assert told[0]["payload"]["facts"] == [{"fact": "original", "value": "none"}]
