"""A decision is on record before its command goes out, and carried out once with the decider's own token, or not."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.desk_ap import exception
from tests.support.desk_inside import Inside, person
from tests.support.policy import documents

from deskworld_desk.agent_door.calls import Asked, call_tool
from deskworld_desk.agent_door.core_tools import tools_of
from deskworld_desk.decisions.carrying import find_out, resume_decisions
from deskworld_desk.decisions.deciding import Said, decide
from deskworld_desk.turns.claiming import Client, claim
from deskworld_kit import chain
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

APPROVE = Said("approve", None, None)


async def two_held(core: Inside) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Two exceptions of one invoice, of each of which the rules ask a clerk for a hold."""
    invoice_id, first, second = new_id(), new_id(), new_id()
    core.erp.put(invoice_id, exception("NO_RECEIPT", id=first), exception("QTY_OVER_RECEIPT", id=second))
    await core.raised(invoice_id, first, "NO_RECEIPT")
    await core.raised(invoice_id, second, "QTY_OVER_RECEIPT")
    return (
        invoice_id,
        {"exception_id": first, **await core.asked(first)},
        {"exception_id": second, **await core.asked(second)},
    )


async def test_a_decision_posted_while_another_is_in_flight_is_stale_and_withdrawn_a_row_each(core: Inside) -> None:
    invoice_id, first, second = await two_held(core)
    async with core.holding():
        flying = asyncio.create_task(core.decide(first["decision_id"], "emma.lind"))
        await core.erp.in_hand.wait()
        assert [one["kind"] for one in (await core.view(first["exception_id"]))["in_motion"]] == ["decision"]
        late = await core.decide(second["decision_id"], "felix.moreau")
    assert late.state == "STALE"
    made, withdrawn = (await core.rows(second["exception_id"], "decision.made", "proposal.withdrawn"))[-2:]
    assert (made["kind"], withdrawn["data"]["why"], withdrawn["cause"]) == ("decision.made", "stale", made["seq"])
    assert (await flying).state == "APPLIED"
    assert set(core.erp.commands) >= {first["decision_id"]}
    assert second["decision_id"] not in core.erp.commands
    await core.quiet()
    again = await core.asked(second["exception_id"])
    assert again["decision_id"] != second["decision_id"], "the rules propose again"
    assert core.erp.documents[f"/invoices/{invoice_id}"]["version"] == 2


async def test_a_decision_that_settles_a_sibling_closes_it_with_that_cause(core: Inside) -> None:
    invoice_id, first, second = await two_held(core)
    await core.decide(first["decision_id"], "emma.lind")
    cause = {"kind": "command", "id": first["decision_id"], "decision_id": first["decision_id"]}
    closed = await core.hear(
        "match-exception.resolved", exception_id=second["exception_id"], invoice_id=invoice_id, cause=cause
    )
    view, rows = await core.view(second["exception_id"]), await core.rows(second["exception_id"])
    assert (view["state"], view["resolved_by"]) == ("RESOLVED", cause)
    received, withdrawn, moved = rows[-3:]
    assert (received["data"]["event_id"], received["data"]["event_cause"]) == (closed, cause)
    assert (withdrawn["data"]["why"], withdrawn["cause"]) == ("settled", received["seq"])
    assert (moved["data"]["to"], moved["cause"]) == ("RESOLVED", received["seq"])


async def test_a_case_that_the_erp_closes_from_outside_asks_nobody_any_more(core: Inside) -> None:
    ids = await core.opened()
    asked = await core.asked(ids["exception_id"])
    await core.hear("match-exception.resolved", **ids, cause={"kind": "command", "id": "k", "decision_id": None})
    view = await core.view(ids["exception_id"])
    assert (view["state"], view["waiting_on"], view["in_motion"]) == ("RESOLVED", [], [])
    (withdrawn,) = await core.rows(ids["exception_id"], "proposal.withdrawn")
    assert withdrawn["data"]["why"] == "closed"
    with pytest.raises(Problem, match="DECISION_CLOSED"):
        await core.decide(asked["decision_id"], "anna.keller")


async def test_a_re_check_before_the_change_that_it_belongs_to_does_not_keep_a_decision_from_being_stale(
    core: Inside,
) -> None:
    """The ERP tells of the re-check first, and then that the invoice has that version."""
    ids = await core.opened()
    first = await core.asked(ids["exception_id"])
    cause = {"kind": "receipt", "id": "r", "decision_id": None}
    core.erp.documents[f"/invoices/{ids['invoice_id']}"]["version"] = 2
    await core.hear("match-exception.rechecked", **ids, invoice_version=2, cause=cause)
    await core.hear("invoice.changed", invoice_id=ids["invoice_id"], version=2, status="EXCEPTION")
    await core.quiet()
    assert (await core.rows(ids["exception_id"], "proposal.withdrawn"))[0]["data"]["why"] == "stale"
    assert (await core.asked(ids["exception_id"]))["decision_id"] != first["decision_id"]


async def test_no_token_is_ever_stored(core: Inside) -> None:
    core.erp.tokens.clear()
    case_id = (await core.opened())["exception_id"]
    decision_id = (await core.asked(case_id))["decision_id"]
    core.erp.refuse = (401, "UNAUTHENTICATED")
    try:
        assert (await core.decide(decision_id, "anna.keller")).state == "NEEDS_DECIDER"
    finally:
        core.erp.refuse = None
    assert (await core.decide(decision_id, "anna.keller")).state == "APPLIED"
    async with core.desk.db.transaction() as session:
        tables = await session.scalars(text("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'"))
        for table in tables.all():
            found = await session.scalar(text(f'SELECT count(*) FROM "{table}" AS t WHERE t::text LIKE :token'), {
                "token": f"%{core.token}%"
            })  # fmt: skip
            assert found == 0, table
    assert core.erp.tokens == {core.token}


async def test_a_token_that_ran_out_first_leaves_the_decision_with_the_same_person(core: Inside) -> None:
    case_id = (await core.opened())["exception_id"]
    decision_id = (await core.asked(case_id))["decision_id"]
    core.erp.refuse = (401, "UNAUTHENTICATED")
    try:
        assert (await core.decide(decision_id, "anna.keller")).state == "NEEDS_DECIDER"
    finally:
        core.erp.refuse = None
    (asked,) = await core.rows(case_id, "decision.needs-decider")
    assert asked["data"]["whom"]["username"] == "anna.keller"
    (waiting,) = (await core.view(case_id))["waiting_on"]
    assert (waiting["kind"], waiting["whom"]["user"]) == ("decision", "anna.keller")
    for by, verdict, code in (
        ("grace.hall", "approve", "NOT_THE_DECIDER"),
        ("anna.keller", "decline", "DECISION_CLOSED"),
    ):
        with pytest.raises(Problem, match=code):
            await core.decide(decision_id, by, verdict, **({"words": "No."} if verdict == "decline" else {}))
    assert (await core.decide(decision_id, "anna.keller")).state == "APPLIED"
    assert list(core.erp.commands).count(decision_id) == 1
    assert chain.verify(await core.rows(case_id)) is None


@pytest.mark.parametrize("applied", [True, False])
async def test_a_crash_between_the_two_transactions_is_settled_by_asking_the_erp(
    core: Inside, *, applied: bool
) -> None:
    case_id = (await core.opened())["exception_id"]
    decision_id = (await core.asked(case_id))["decision_id"]
    made = await decide(core.desk, decision_id, person("anna.keller"), APPROVE)
    assert (made.state, made.order is not None) == ("MADE", True)
    if applied:
        core.erp.commands[decision_id] = {"amount": "1040.00", "status": "APPROVED", "version": 2}
    await resume_decisions(core.desk)
    assert await core.desk.unsettled.take() == decision_id
    outcome = await find_out(core.desk, decision_id)
    assert outcome.state == ("APPLIED" if applied else "NEEDS_DECIDER")
    kinds = [row["kind"] for row in await core.rows(case_id)]
    assert kinds.count("command.applied") == int(applied)
    assert kinds.count("decision.needs-decider") == int(not applied)
    assert (await find_out(core.desk, decision_id)).state == outcome.state, "asked once more it is the same"


async def test_what_the_erp_tells_of_a_command_waits_for_its_answer_and_comes_after_it(core: Inside) -> None:
    ids = await core.opened()
    case_id = ids["exception_id"]
    decision_id = (await core.asked(case_id))["decision_id"]
    async with core.holding():
        flying = asyncio.create_task(core.decide(decision_id, "anna.keller"))
        await core.erp.in_hand.wait()
        cause = {"kind": "command", "id": decision_id, "decision_id": decision_id}
        await core.hear("match-exception.resolved", **ids, cause=cause)
        assert {one["kind"] for one in (await core.view(case_id))["in_motion"]} == {"decision", "event"}
    await flying
    rows = await core.rows(case_id, "command.applied", "event.received", "case.moved")
    assert [row["kind"] for row in rows][-3:] == ["command.applied", "event.received", "case.moved"]
    view = await core.view(case_id)
    assert (view["state"], [one["kind"] for one in view["in_motion"]]) == ("RESOLVED", ["echo"])
    await core.hear(
        "invoice.changed", invoice_id=ids["invoice_id"], version=2, status="APPROVED", decision_id=decision_id
    )
    assert (await core.view(case_id))["in_motion"] == []


async def test_a_command_that_was_carried_out_after_all_is_learned_from_the_erps_own_event(core: Inside) -> None:
    """Its answer was lost, the ERP did not know the key yet, and the case waited on its decider once more."""
    ids = await core.opened()
    decision_id = (await core.asked(ids["exception_id"]))["decision_id"]
    await decide(core.desk, decision_id, person("anna.keller"), APPROVE)
    assert (await find_out(core.desk, decision_id)).state == "NEEDS_DECIDER"
    core.erp.commands[decision_id] = {"amount": "1040.00", "status": "APPROVED", "version": 2}
    cause = {"kind": "command", "id": decision_id, "decision_id": decision_id}
    await core.hear("match-exception.resolved", **ids, cause=cause)
    assert await core.desk.unsettled.take() == decision_id
    await find_out(core.desk, decision_id)
    view = await core.view(ids["exception_id"])
    assert (view["state"], view["resolved_by"]) == ("RESOLVED", cause)
    assert len(await core.rows(ids["exception_id"], "command.applied")) == 1


async def test_a_proposal_says_where_it_comes_from(core: Inside) -> None:
    case_id = (await core.opened())["exception_id"]
    decision_id = (await core.asked(case_id))["decision_id"]
    found = await core.sql(
        "SELECT provenance FROM proposals p JOIN decisions d ON d.proposal_id = p.id WHERE d.id = $1", decision_id
    )
    said = found[0]["provenance"]
    assert (said["proposer"], said["by"], said["agent"]) == ("rules", None, None)
    assert (said["reader"], said["build"], said["policy_revision"]) == ("lexicon", "tests", "ap-1")
    assert said["digests"]["rules"] == chain.digest(documents()["ap"]["resolution"]["table"])
    assert len(said["digests"]["policy"]) == 64
    assert (said["model"], said["digests"]["playbook"]) == (None, None)


async def test_an_agents_proposal_says_what_the_agent_said_of_itself(core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    client = Client("tester", "agent", model="openai:gpt-5", playbook="a-digest")
    turn = None
    while turn is None or turn.case_id != case_id:
        turn = await claim(core.desk, client, wait=5, gone=gone)
        assert turn is not None
    tools = {"ap": tools_of(core.desk.worlds["ap"])}
    await call_tool(core.desk, turn.turn_id, Asked("c-1", "get_invoice", {}), tools)
    proposed = {"action": "hold", "citations": ["invoice-1"], "rationale": "Goods are on their way."}
    made = await call_tool(core.desk, turn.turn_id, Asked("c-2", "propose_resolution", proposed), tools)
    assert made["outcome"] == "OK", made
    found = await core.sql(
        "SELECT provenance FROM proposals p JOIN decisions d ON d.proposal_id = p.id WHERE d.id = $1",
        made["result"]["decision_id"],
    )
    said = found[0]["provenance"]
    assert (said["proposer"], said["agent"], said["model"]) == ("agent", "tester", "openai:gpt-5")
    assert said["digests"]["playbook"] == "a-digest"
