"""A case that needs a person has three ways out: resumed with a note, proposed on by a person, closed."""

from datetime import timedelta
from typing import Any

import pytest
from tests.support.desk_ap import order
from tests.support.desk_inside import Inside, person

from deskworld_desk.cases.deadlines import move_office_time
from deskworld_desk.cases.exits import close_case, note_case, resume_case
from deskworld_desk.cases.states import State
from deskworld_desk.decisions.by_person import propose
from deskworld_kit import chain
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

HOLD = {"action": "hold", "citations": [], "rationale": "Goods are on their way."}
APPROVE = {"action": "approve-variance", "citations": [], "rationale": "The buyer agreed by phone."}


async def needs_person(core: Inside, *, rules: str = "on", **changes: Any) -> dict[str, Any]:
    ids = await core.opened(rules=rules, **changes)
    case_id = ids["exception_id"]
    if rules == "on":
        await move_office_time(core.desk, case_id, to=None, ahead=timedelta(days=3))
    else:
        await core.sql("UPDATE inputs SET dropped_at = now() WHERE case_id = $1", case_id)
        async with core.desk.dockets.of_case(case_id) as docket:
            docket.move(docket.cases[case_id], State.NEEDS_PERSON, "a turn ended without a move", None)
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"
    return ids


async def test_resumed_with_a_note_the_agent_goes_on_and_is_told_why_the_rules_stopped(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    seen = (await core.view(case_id))["seq"]
    await resume_case(core.desk, case_id, person("emma.lind"), "The buyer is back on Monday.", seen=seen)
    view = await core.view(case_id)
    assert (view["state"], view["stopped"]) == ("INVESTIGATING", "person")
    assert await core.untold(case_id) == ["rules-stopped:PRICE_VARIANCE:person", "note"]
    noted, stopped = (await core.rows(case_id, "person.noted", "rules.ran"))[-2:]
    assert noted["data"]["by"]["username"] == "emma.lind"
    assert (stopped["data"]["reason"], stopped["cause"]) == ("person", noted["seq"])
    assert chain.verify(await core.rows(case_id)) is None


async def test_a_case_that_was_the_agents_is_resumed_with_the_note_alone(core: Inside) -> None:
    case_id = (await needs_person(core, rules="off"))["exception_id"]
    await resume_case(core.desk, case_id, person("grace.hall"), "Try again.", seen=None)
    assert await core.untold(case_id) == ["note"]
    assert (await core.view(case_id))["stopped"] == "disabled"


async def test_a_case_whose_budget_is_spent_is_resumed_once_that_was_raised(core: Inside) -> None:
    case_id = (await needs_person(core, rules="off"))["exception_id"]
    await core.sql("UPDATE cases SET turns = 12 WHERE id = $1", case_id)
    with pytest.raises(Problem, match="BUDGET_SPENT"):
        await resume_case(core.desk, case_id, person("grace.hall"), "Try again.", seen=None)
    await core.sql("INSERT INTO case_budgets (case_id, turns, input_tokens) VALUES ($1, 13, 200000)", case_id)
    await resume_case(core.desk, case_id, person("grace.hall"), "Try again.", seen=None)


async def test_closed_the_case_is_at_its_end_and_what_comes_later_is_ignored(core: Inside) -> None:
    ids = await needs_person(core)
    case_id = ids["exception_id"]
    await close_case(core.desk, case_id, person("grace.hall"), "Settled by phone, booked by hand.", seen=None)
    view = await core.view(case_id)
    assert view["state"] == "RESOLVED"
    assert view["resolved_by"] == {"kind": "person", "id": "grace.hall", "decision_id": None}
    cause = {"kind": "receipt", "id": "r", "decision_id": None}
    await core.hear("match-exception.rechecked", **ids, invoice_version=2, cause=cause)
    assert (await core.rows(case_id))[-1]["kind"] == "event.ignored"


@pytest.mark.parametrize("by", ["anna.keller", "kira.stone"])
async def test_buyers_and_auditors_take_no_case_up(core: Inside, by: str) -> None:
    case_id = (await needs_person(core))["exception_id"]
    for refused in (
        resume_case(core.desk, case_id, person(by), "Go on.", seen=None),
        propose(core.desk, case_id, person(by), HOLD, seen=None),
        close_case(core.desk, case_id, person(by), "Done.", seen=None),
    ):
        with pytest.raises(Problem, match="NOT_AUTHORISED"):
            await refused
    with pytest.raises(Problem, match="NOT_AUTHORISED"):
        await close_case(core.desk, case_id, person("emma.lind"), "Done.", seen=None)


async def test_a_case_that_works_has_no_such_exit(core: Inside) -> None:
    case_id = (await core.opened())["exception_id"]
    for refused in (
        resume_case(core.desk, case_id, person("grace.hall"), "Go on.", seen=None),
        propose(core.desk, case_id, person("grace.hall"), HOLD, seen=None),
        close_case(core.desk, case_id, person("grace.hall"), "Done.", seen=None),
    ):
        with pytest.raises(Problem, match="NO_PERSON_NEEDED"):
            await refused


async def test_who_acts_on_a_view_that_is_out_of_date_is_told_so(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    seen = (await core.view(case_id))["seq"]
    await note_case(core.desk, case_id, person("anna.keller"), "I am away until Monday.")
    with pytest.raises(Problem, match="CASE_CHANGED") as told:
        await close_case(core.desk, case_id, person("grace.hall"), "Done.", seen=seen)
    assert told.value.values == {"seq": seen + 1, "seen": seen}


async def test_a_note_reaches_the_agent_that_works_the_case(core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    await note_case(core.desk, case_id, person("anna.keller"), "We agreed 10.40 in March.")
    assert await core.untold(case_id) == ["rules-stopped:PRICE_VARIANCE:disabled", "note"]
    theirs = (await core.opened())["exception_id"]
    await note_case(core.desk, theirs, person("anna.keller"), "We agreed 10.40 in March.")
    assert await core.untold(theirs) == []
    with pytest.raises(Problem, match="NOT_FOUND"):
        await note_case(core.desk, new_id(), person("anna.keller"), "?")


async def test_a_person_proposes_and_another_decides(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    routed = await propose(core.desk, case_id, person("emma.lind"), HOLD, seen=None)
    assert (routed.role, routed.user) == ("clerk", None)
    (made,) = (await core.rows(case_id, "proposal.made"))[-1:]
    assert (made["data"]["proposer"], made["actor"]) == ("person", {"type": "person", "id": "emma.lind"})
    assert made["data"]["citations"], "what the desk read for it is the evidence"
    with pytest.raises(Problem, match="NOT_THE_DECIDER"):
        await core.decide(routed.decision_id, "emma.lind")
    assert (await core.decide(routed.decision_id, "felix.moreau")).state == "APPLIED"
    view = await core.view(case_id)
    assert (view["state"], view["stopped"]) == ("ON_HOLD", "person")


async def test_a_persons_proposal_that_is_declined_needs_a_person_again(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    routed = await propose(core.desk, case_id, person("emma.lind"), HOLD, seen=None)
    await core.decide(routed.decision_id, "felix.moreau", "decline", words="No goods are coming.")
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"
    assert await core.untold(case_id) == []


async def test_a_persons_proposal_that_the_erp_refuses_needs_a_person_again(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    routed = await propose(core.desk, case_id, person("emma.lind"), HOLD, seen=None)
    core.erp.refuse = (403, "NOT_AUTHORISED")
    try:
        assert (await core.decide(routed.decision_id, "felix.moreau")).state == "REFUSED"
    finally:
        core.erp.refuse = None
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"


async def test_a_persons_proposal_on_a_record_that_changes_needs_a_person_again(core: Inside) -> None:
    ids = await needs_person(core)
    await propose(core.desk, ids["exception_id"], person("emma.lind"), HOLD, seen=None)
    await core.hear("invoice.changed", invoice_id=ids["invoice_id"], version=9, status="EXCEPTION")
    view = await core.view(ids["exception_id"])
    assert (view["state"], view["waiting_on"]) == ("NEEDS_PERSON", [])
    assert (await core.rows(ids["exception_id"], "proposal.withdrawn"))[-1]["data"]["why"] == "stale"


async def test_what_the_policy_refuses_a_person_is_on_record_with_its_reasons(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    cited = {**APPROVE, "citations": ["PO-9999"]}
    with pytest.raises(Problem, match="UNGROUNDED_CITATION") as refused:
        await propose(core.desk, case_id, person("grace.hall"), cited, seen=None)
    assert (refused.value.status, refused.value.values["reasons"][0]["code"]) == (422, "UNGROUNDED_CITATION")
    last = (await core.rows(case_id))[-1]
    assert (last["kind"], last["data"]["effect"]) == ("policy.asked", "refuse")
    assert (await core.view(case_id))["state"] == "NEEDS_PERSON"


async def test_nobody_is_asked_to_decide_their_own_proposal(core: Inside) -> None:
    core.erp.documents["/purchase-orders/PO-1"] = {**order(), "buyer": "emma.lind"}
    try:
        case_id = (await needs_person(core))["exception_id"]
        with pytest.raises(Problem, match="PROPOSER_DECIDES"):
            await propose(core.desk, case_id, person("emma.lind"), APPROVE, seen=None)
    finally:
        core.erp.documents["/purchase-orders/PO-1"] = order()
    assert (await core.view(case_id))["waiting_on"] == []


async def test_what_cannot_be_understood_or_read_is_no_proposal(core: Inside) -> None:
    case_id = (await needs_person(core))["exception_id"]
    with pytest.raises(Problem, match="rationale"):
        await propose(core.desk, case_id, person("grace.hall"), {"action": "hold", "citations": []}, seen=None)
    core.erp.away = True
    try:
        with pytest.raises(Problem) as away:
            await propose(core.desk, case_id, person("grace.hall"), HOLD, seen=None)
    finally:
        core.erp.away = False
    assert away.value.status == 503
