"""What is down fails closed; what was killed goes on from rows: no case lost, no command twice, no answer lost."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import httpx
import pytest
from tests.support.desk import Company, Seeded, address_of, heard, of, situation
from tests.support.desk_agent import turn_of
from tests.support.erp import run_sql
from tests.support.mailing import mailbox, send

from deskworld_kit import chain, clock
from deskworld_kit.ids import new_id

pytestmark = pytest.mark.slow
DESK = "ap@deskworld.example"
T = TypeVar("T")


async def applied(seeded: Seeded) -> int:
    return len([one for one in (await seeded.witness())["commands"] if one["outcome"] == "applied"])


async def restart(company: Company) -> None:
    company.desk.kill()
    await asyncio.to_thread(company.desk.start)


async def test_without_the_policy_the_rules_stop_and_every_tool_is_refused(company: Company) -> None:
    company.policy.kill()
    try:
        seeded = await company.seed()
        view, rows = await seeded.until("the stop", lambda view, _: view["stopped"] is not None)
        assert view["stopped"] == "failed"
        assert of(rows, "proposal.made") == []
        turn = await turn_of(seeded)
        read = await turn.call("get_invoice")
        assert (read["outcome"], read["code"]) == ("REFUSED", "POLICY_UNAVAILABLE")
        assert (await turn.propose("hold"))["code"] == "POLICY_UNAVAILABLE"
    finally:
        company.policy.start()
    assert (await turn.call("get_invoice"))["outcome"] == "OK"
    await turn.end()


async def test_without_the_erp_every_call_that_needs_it_has_failed_and_none_is_refused(
    company: Company,
) -> None:
    seeded = await company.seed(rules="off")
    turn = await turn_of(seeded)
    company.erp.kill()
    try:
        tried = [
            await turn.call("get_invoice"),
            await turn.propose("hold"),
            await turn.call("email_vendor", subject="Which order?", body="Please name the order."),
        ]
        assert {(one["outcome"], one["code"]) for one in tried} == {("FAILED", "ERP_UNAVAILABLE")}
    finally:
        await asyncio.to_thread(company.erp.start)
    await turn.call("get_invoice")
    assert (await turn.propose("hold", "invoice-1"))["outcome"] == "OK"
    await turn.end()


async def test_a_decision_made_while_the_erp_is_down_is_carried_out_once_it_is_back(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    company.erp.kill()
    deciding = asyncio.create_task(company.decide(asked["decision_id"], "anna.keller", verdict="approve"))
    view, _ = await _made(company, seeded)
    assert [motion["kind"] for motion in view["in_motion"]] == ["decision"]
    await asyncio.to_thread(company.erp.start)
    assert (await deciding).json()["outcome"] == "applied"
    await seeded.until_state("RESOLVED")
    assert await applied(seeded) == 1


async def test_a_desk_killed_between_decision_and_command_asks_the_same_person_again(company: Company) -> None:
    seeded = await company.seed()
    asked = await seeded.until_asked()
    company.erp.kill()
    deciding = asyncio.create_task(company.decide(asked["decision_id"], "anna.keller", verdict="approve"))
    await _made(company, seeded)
    company.desk.kill()
    await asyncio.wait([deciding])
    assert deciding.exception() is not None
    await asyncio.to_thread(company.erp.start)
    await asyncio.to_thread(company.desk.start)
    view, rows = await seeded.until("the question", lambda _, rows: bool(of(rows, "decision.needs-decider")))
    assert view["waiting_on"][0]["whom"]["user"] == "anna.keller"
    assert of(rows, "decision.needs-decider")[0]["data"]["decision_id"] == asked["decision_id"]
    assert await applied(seeded) == 0
    other = await company.decide(asked["decision_id"], "bruno.costa", verdict="approve")
    assert other.status_code == 403
    again = await company.decide(asked["decision_id"], "anna.keller", verdict="approve")
    assert again.json()["outcome"] == "applied"
    _, rows = await seeded.until_state("RESOLVED")
    assert await applied(seeded) == 1
    assert chain.verify(rows) is None


async def test_a_desk_killed_after_the_erp_applied_learns_it_from_the_erp(company: Company) -> None:
    """The decision stands as made, and the command is already in the ERP under its key."""
    seeded = await company.seed()
    asked = await seeded.until_asked()
    company.erp.kill()
    deciding = asyncio.create_task(company.decide(asked["decision_id"], "anna.keller", verdict="approve"))
    _, rows = await _made(company, seeded)
    company.desk.kill()
    await asyncio.wait([deciding])
    assert deciding.exception() is not None
    await asyncio.to_thread(company.erp.start)
    await _as_the_desk_would_have(company, seeded, asked["decision_id"], of(rows, "proposal.made")[0]["data"])
    await asyncio.to_thread(company.desk.start)
    _, rows = await seeded.until_state("RESOLVED")
    assert of(rows, "decision.needs-decider") == []
    assert len(of(rows, "command.applied")) == 1
    assert await applied(seeded) == 1


async def test_a_view_is_the_same_after_a_restart(company: Company) -> None:
    waiting, held, untold = (
        await company.seed(),
        await company.seed(bank_change=True, price="10.00"),
        await company.seed(rules="off"),
    )
    await waiting.until_asked()
    asked = await held.until_asked()
    await company.decide(asked["decision_id"], "emma.lind", verdict="approve")
    await held.until_state("ON_HOLD")
    await untold.until("the input", lambda view, _: bool(view["in_motion"]))
    before = [await company.view(one.case_id) for one in (waiting, held, untold)]
    await restart(company)
    assert [await company.view(one.case_id) for one in (waiting, held, untold)] == before
    turn = await turn_of(untold)
    await turn.end()


async def test_an_event_sent_while_the_desk_was_down_opens_the_case_once(company: Company) -> None:
    company.desk.kill()
    seeded = await _seed_without_the_desk(company)
    await asyncio.to_thread(company.desk.start)
    await seeded.until_asked()
    assert len(await seeded.rows("case.opened")) == 1


async def test_a_reply_that_came_while_the_desk_was_down_is_read(company: Company) -> None:
    seeded = await company.seed(rules="off", po_reference="PO-UNKNOWN", price="10.00")
    turn = await turn_of(seeded)
    await turn.call("email_vendor", subject="Which order?", body="Please name the order.")
    await turn.end()
    _, rows = await seeded.until("the letter", lambda _, rows: bool(of(rows, "mail.sent")))
    sent = of(rows, "mail.sent")[0]["data"]
    company.desk.kill()
    vendor = address_of(seeded.vendor_id)
    raw = (f"From: {vendor}\r\nSubject: Re\r\nMessage-ID: <down-{seeded.vendor_id}@v.example>\r\n"
           f"In-Reply-To: {sent['message_id']}\r\n\r\nIt was ordered by phone.\r\n").encode()  # fmt: skip
    await send(company.mail_doors, vendor, [DESK], raw)
    await asyncio.to_thread(company.desk.start)
    told = await turn_of(seeded)
    assert told.labels[0].startswith("reply:")
    await told.end()


async def test_a_lost_lease_is_offered_again_twice_and_then_needs_a_person(company: Company) -> None:
    """The lease ends while the desk is down, so that nobody has to wait for it."""
    seeded = await company.seed(rules="off")
    for attempt in (1, 2, 3):
        turn = await turn_of(seeded)
        assert turn.given["number"] == 1
        started = (await seeded.rows("turn.started"))[-1]["data"]
        assert started["attempt"] == attempt
        await _end_lease(company, turn.given["turn_id"])
        lost = await turn.post("calls", {"call_id": "late", "tool": "get_invoice", "args": {}})
        assert (lost.status_code, lost.json()["code"]) == (409, "LEASE_LOST")
    view, rows = await seeded.until_state("NEEDS_PERSON")
    assert [row["data"]["how"] for row in of(rows, "turn.ended")] == ["LEASE_LOST"] * 3
    assert view["in_motion"] == []


async def test_connections_that_break_at_any_moment_lose_no_case_and_carry_nothing_out_twice(company: Company) -> None:
    cutting = asyncio.create_task(_cut_connections(company, times=25))
    cases = await asyncio.gather(*(_settled_by_anna(company) for _ in range(6)))
    await cutting
    for seeded in cases:
        _, rows = await seeded.until_state("RESOLVED")
        assert chain.verify(rows) is None
        assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
        assert await applied(seeded) == len(of(rows, "command.applied")) == 1
    assert "background work broke" not in company.desk.log()


async def test_connections_that_break_send_no_letter_twice_and_lose_no_reply(company: Company) -> None:
    """The rules ask the vendor why another item came; the vendor answers at once."""
    cutting = asyncio.create_task(_cut_connections(company, times=25))
    cases = await asyncio.gather(*(_answered_by_the_vendor(company) for _ in range(4)))
    await cutting
    async with mailbox(company.mail_doors) as outside:
        for seeded, message_id in cases:
            said = lambda _, rows: bool(of(rows, "reading.made"))  # noqa: E731 - one line
            _, rows = await seeded.until("the reading of the answer", said)
            letters = [row for row in of(rows, "mail.sent") if row["data"]["to_kind"] == "vendor"]
            assert len(letters) == len(of(rows, "mail.received")) == len(of(rows, "reading.made")) == 1
            assert len(await outside.search("HEADER", "Message-ID", message_id)) == 1
            assert (await seeded.evidence())["set_aside"] == []


async def _answered_by_the_vendor(company: Company) -> tuple[Seeded, str]:
    seeded = await _again(partial(company.seed, item="BOLT-M8-A2", price="10.00"))
    written = lambda _, rows: bool(of(rows, "mail.sent"))  # noqa: E731 - one line
    _, rows = await _again(partial(seeded.until, "the letter", written))
    sent = of(rows, "mail.sent")[0]["data"]
    await send(company.mail_doors, address_of(seeded.vendor_id), [DESK], _answer_to(sent, seeded.vendor_id))
    return seeded, str(sent["message_id"])


def _answer_to(sent: dict[str, Any], vendor_id: str) -> bytes:
    lines = [f"From: {address_of(vendor_id)}", "Subject: Re", f"Message-ID: <cut-{vendor_id}@v.example>"]
    lines += [f"In-Reply-To: {sent['message_id']}", "", "BOLT-M8 is out of stock, so we shipped BOLT-M8-A2 instead."]
    return ("\r\n".join(lines) + "\r\n").encode()


async def _settled_by_anna(company: Company) -> Seeded:
    """Whoever meets an outage asks again."""
    seeded = await _again(company.seed)
    asked = await _again(seeded.until_asked)

    async def decide() -> None:
        answer = await company.decide(asked["decision_id"], "anna.keller", verdict="approve")
        assert answer.status_code == 200, answer.text

    await _again(decide)
    return seeded


async def _again(what: Callable[[], Awaitable[T]]) -> T:
    """A door says 503 while the database is away, and breaks off nothing else."""
    while True:
        try:
            return await what()
        except (AssertionError, httpx.HTTPError) as error:
            if isinstance(error, AssertionError) and "UNAVAILABLE" not in str(error):
                raise


async def _cut_connections(company: Company, *, times: int) -> None:
    for _ in range(times):
        statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'desk_service'"
        await run_sql(company.home, statement)
        await clock.pause(0.15)


async def _made(company: Company, seeded: Seeded) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Asked of the desk alone: the ERP is down."""
    return await seeded.until("the decision", lambda _, rows: bool(of(rows, "decision.made")))


async def _as_the_desk_would_have(company: Company, seeded: Seeded, key: str, proposal: dict[str, Any]) -> None:
    body = {"expected_version": proposal["invoice_version"], "settles": proposal["settles"], "decision_id": key}
    headers = {"Authorization": f"Bearer {await company.token('anna.keller')}", "Idempotency-Key": key}
    url = f"{company.erp.url('office')}/invoices/{seeded.record('invoice')['id']}/{proposal['action']}"
    answer = await company.http.post(url, json=body, headers=headers)
    assert answer.status_code == 200, answer.text


async def _seed_without_the_desk(company: Company) -> Seeded:
    vendor_id = new_id()
    answer = await company.ask("erp-stage", "POST", "/stage/situations", json=situation(vendor_id))
    assert answer.status_code == 201, answer.text
    return Seeded(company, vendor_id, answer.json())


async def _end_lease(company: Company, turn_id: str) -> None:
    """Moves the lease's end into the past and starts the desk again, which then looks at once."""
    company.desk.kill()
    statement = f"UPDATE turns SET lease_until = now() - interval '1 minute' WHERE id = '{turn_id}'"
    await run_sql(company.home, statement, database_name="desk")
    await asyncio.to_thread(company.desk.start)
    async with heard(company):
        pass
