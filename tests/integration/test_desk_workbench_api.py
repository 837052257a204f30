"""What people do at the workbench, over its API: each answer is held against what the door declares."""

import pytest
from tests.support.desk_inside import ROLES, Inside, person
from tests.support.workbench_api import Api, api, asked_decision

from deskworld_desk.decisions.deciding import may_decide
from deskworld_desk.decisions.tables import Decision, Proposal
from deskworld_kit.ids import new_id

__all__ = ["api"]
NOBODY = "0190a000-0000-7000-8000-00000000dead"


async def of_vendor(core: Inside, vendor_id: str, count: int, reason: str = "PRICE_VARIANCE") -> list[str]:
    """Cases of one vendor, for the agent, in the order in which they were opened."""
    cases = []
    for _ in range(count):
        case_id = new_id()
        told = {"exception_id": case_id, "invoice_id": new_id(), "vendor_id": vendor_id, "reason": reason}
        await core.hear("match-exception.raised", **told)
        cases.append(case_id)
    await core.quiet()
    return cases


# the worklist --------------------------------------------------------------------------------------------------------


async def test_the_worklist_is_read_page_by_page_and_does_not_shift_when_cases_come(api: Api, core: Inside) -> None:
    vendor_id = await core._without_rules()
    cases = await of_vendor(core, vendor_id, 5)
    seen, cursor = [], ""
    for _ in range(3):
        page = await api.get(f"/worklist?vendor_id={vendor_id}&limit=2{cursor}")
        seen += [view["case_id"] for view in page["cases"]]
        await of_vendor(core, vendor_id, 1)
        cursor = f"&cursor={page['next']}"
    assert seen == cases[::-1], "newest first, none twice, none missed"
    assert page["next"] is None


async def test_the_worklist_is_narrowed_by_state_reason_record_and_party(api: Api, core: Inside) -> None:
    vendor_id = await core._without_rules()
    dear, odd = [(await of_vendor(core, vendor_id, 1, reason))[0] for reason in ("PRICE_VARIANCE", "UOM_MISMATCH")]

    async def found(query: str) -> list[str]:
        return [view["case_id"] for view in (await api.get(f"/worklist?vendor_id={vendor_id}&{query}"))["cases"]]

    assert await found("reason=UOM_MISMATCH") == [odd]
    assert await found("state=RESOLVED") == []
    assert sorted(await found("state=INVESTIGATING&state=ON_HOLD")) == sorted([dear, odd])
    invoice_id = (await api.get(f"/cases/{dear}"))["invoice_id"]
    assert await found(f"invoice_id={invoice_id}") == [dear]
    assert await found("reason=%00") == []


@pytest.mark.parametrize("query", ["cursor=bm9uZQ", "cursor=%00", "state=BORED", "limit=0", "limit=201"])
async def test_a_worklist_that_is_asked_for_wrongly_is_refused(api: Api, query: str) -> None:
    answer = await api.ask("GET", f"/worklist?{query}", by="anna.keller")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_what_waits_for_a_person_is_what_that_person_may_decide(api: Api, core: Inside) -> None:
    """The worklist asks the database; the rule is one of the desk's own. They agree for everybody."""
    changes = (
        "role = 'ap-manager', \"user\" = NULL",
        "role = 'clerk', \"user\" = NULL",
        "state = 'NEEDS_DECIDER', by_sub = 'sub-ines.vogel', by_username = 'ines.vogel'",
        "state = 'WITHDRAWN'",
        "role = 'controller', \"user\" = NULL",
    )
    for change in (*changes, None):
        _, decision_id = await asked_decision(core)
        if change is not None:
            await core.sql(f"UPDATE decisions SET {change} WHERE id = $1", decision_id)
    by_controller = "UPDATE proposals SET provenance = (provenance::jsonb || $2::jsonb)::json WHERE id = "
    of_decision = "(SELECT proposal_id FROM decisions WHERE id = $1)"
    await core.sql(by_controller + of_decision, decision_id, '{"by_sub": "sub-anna.keller"}')
    pairs = await every_decision(core)
    for username in ROLES:
        expected = {decision.id for decision, proposal in pairs if may_decide(decision, proposal, person(username))}
        open_ones = {decision.id for decision, _ in pairs if decision.state in {"OPEN", "NEEDS_DECIDER"}}
        listed = {one["decision_id"] for one in (await api.get("/worklist", by=username))["decisions"]}
        assert listed == expected & open_ones, username


async def every_decision(core: Inside) -> list[tuple[Decision, Proposal]]:
    rows = await core.sql("SELECT id, proposal_id FROM decisions")
    async with core.desk.db.transaction() as session:
        return [
            (await session.get_one(Decision, row["id"]), await session.get_one(Proposal, row["proposal_id"]))
            for row in rows
        ]


async def test_cases_of_which_something_waits_for_me_are_found(api: Api, core: Inside) -> None:
    case_id, _ = await asked_decision(core)
    mine = {view["case_id"] for view in (await api.get("/worklist?mine=true&limit=200", by="anna.keller"))["cases"]}
    others = await api.get("/worklist?mine=true&limit=200", by="kira.stone")
    assert case_id in mine
    assert others["cases"] == []


# notes, feedback, and what was seen ----------------------------------------------------------------------------------


async def test_a_note_stands_on_the_record_and_is_told_to_the_agent(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    noted = await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="They called.", seen=seen)
    assert noted.status_code == 201
    (row,) = await core.rows(case_id, "person.noted")
    assert (row["seq"], row["data"]["by"]["username"]) == (noted.json()["seq"], "emma.lind")
    assert "note" in await core.untold(case_id)


async def test_nobody_notes_on_what_they_have_not_seen_and_is_told_what_came(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    path, seen = f"/cases/{case_id}/notes", (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(path, by="emma.lind", text="First.", seen=seen)
    values = await api.refused(409, "CASE_CHANGED", path, by="grace.hall", text="Second.", seen=seen)
    assert [(one["kind"], one["actor"]["id"]) for one in values["changed"]] == [("person.noted", "emma.lind")]
    assert (values["seen"], values["seq"]) == (seen, values["changed"][-1]["seq"])
    again = await api.post(path, by="grace.hall", text="Second.", seen=values["seq"])
    assert again.status_code == 201
    await api.refused(409, "CASE_CHANGED", path, by="grace.hall", text="Third.", seen=10_000)
    assert len(await core.rows(case_id, "person.noted")) == 2


async def test_rows_that_change_nothing_for_a_person_stand_in_nobodys_way(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(f"/cases/{case_id}/feedback", by="emma.lind", about=case_id, text="Good.")
    assert (await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="On.", seen=seen)).status_code == 201


async def test_feedback_is_about_the_case_its_turns_or_its_decisions_and_about_nothing_else(
    api: Api, core: Inside
) -> None:
    case_id, decision_id = await asked_decision(core)
    other, _ = await asked_decision(core)
    path = f"/cases/{case_id}/feedback"
    for about in (case_id, decision_id):
        assert (await api.post(path, by="anna.keller", about=about, text="Right.")).status_code == 201
    await api.refused(400, "INVALID_REQUEST", path, by="anna.keller", about=other, text="Right.")
    rows = await core.rows(case_id, "feedback.given")
    assert [row["data"]["about"] for row in rows] == [case_id, decision_id]
    (requested,) = await core.rows(case_id, "decision.requested")
    assert [row["cause"] for row in rows] == [None, requested["seq"]]


@pytest.mark.parametrize("what", ["notes", "feedback", "resume", "proposals", "close"])
async def test_an_auditor_reads_and_writes_nothing(api: Api, core: Inside, what: str) -> None:
    body = {"text": "x", "about": NOBODY, "note": "x", "reason": "x", "rationale": "x", "action": "hold", "seen": 1}
    takes = {"notes": ("text",), "feedback": ("text", "about"), "resume": ("note", "seen"),
             "proposals": ("rationale", "action", "seen"), "close": ("reason", "seen")}[what]  # fmt: skip
    sent = {name: body[name] for name in takes}
    await api.refused(403, "NOT_AUTHORISED", f"/cases/{NOBODY}/{what}", by="kira.stone", **sent)
    await api.refused(404, "NOT_FOUND", f"/cases/{NOBODY}/{what}", by="grace.hall", **sent)


# deciding and answering ----------------------------------------------------------------------------------------------


async def test_a_decider_reads_what_changes_for_whom_how_much_and_where_it_comes_from(api: Api, core: Inside) -> None:
    case_id, decision_id = await asked_decision(core)
    page = await api.get(f"/decisions/{decision_id}", by="anna.keller")
    assert (page["mine"], page["case_id"], page["state"]) == (True, case_id, "OPEN")
    labels = dict(page["in_words"]["lines"])
    assert {"For whom", "How much is paid", "Settles"} <= set(labels)
    assert page["provenance"]["proposer"] == "rules"
    assert all(one["read"] for one in page["citations"])
    assert not (await api.get(f"/decisions/{decision_id}", by="grace.hall"))["mine"]
    await core.sql("UPDATE proposals SET unread = json_build_array(citations ->> 0) WHERE id = $1", page["proposal_id"])
    warned = await api.get(f"/decisions/{decision_id}", by="anna.keller")
    assert [one["read"] for one in warned["citations"]].count(False) == 1
    assert "name what nobody on this case read" in warned["in_words"]["warnings"][0]


async def test_who_decides_on_what_they_have_not_seen_is_told_what_came_and_decides_again(
    api: Api, core: Inside
) -> None:
    case_id, decision_id = await asked_decision(core)
    path, seen = f"/decisions/{decision_id}", (await api.get(f"/cases/{case_id}"))["seq"]
    noted = await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="It is a swindle.")
    values = await api.refused(409, "CASE_CHANGED", path, by="anna.keller", verdict="approve", seen=seen)
    assert [one["kind"] for one in values["changed"]] == ["person.noted"]
    assert await core.rows(case_id, "decision.made") == []
    said = await api.post(path, by="anna.keller", verdict="approve", seen=noted.json()["seq"])
    assert said.json()["outcome"] == "applied"
    again = await api.post(path, by="anna.keller", verdict="approve", seen=seen)
    assert again.json() == said.json(), "the same again is answered the same, whatever was seen"
    assert len(await core.rows(case_id, "decision.made")) == 1


async def test_a_decision_of_another_verdict_comes_too_late(api: Api, core: Inside) -> None:
    _, decision_id = await asked_decision(core)
    path = f"/decisions/{decision_id}"
    await api.post(path, by="anna.keller", verdict="decline", words="No.")
    await api.refused(409, "DECISION_CLOSED", path, by="anna.keller", verdict="approve")
    await api.refused(403, "NOT_THE_DECIDER", path, by="grace.hall", verdict="approve")


async def test_a_question_is_read_by_all_and_answered_once_by_the_person_asked(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    question_id = new_id()
    await core.sql(
        'INSERT INTO questions (id, case_id, "user", text, state, asked_at, due_at, seq) '
        "VALUES ($1, $2, 'anna.keller', 'Is 10.40 agreed?', 'OPEN', now(), now(), 1)",
        question_id,
        case_id,
    )
    shown = await api.get(f"/questions/{question_id}")
    assert (shown["whom"]["user"], shown["state"], shown["answer"]) == ("anna.keller", "OPEN", None)
    listed = (await api.get("/worklist", by="anna.keller"))["questions"]
    assert question_id in {one["question_id"] for one in listed}
    path = f"/questions/{question_id}/answer"
    await api.refused(403, "NOT_THE_BUYER", path, by="grace.hall", text="Yes.")
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="Ask them.")
    await api.refused(409, "CASE_CHANGED", path, by="anna.keller", text="Yes.", seen=seen)
    assert (await api.post(path, by="anna.keller", text="Yes.", seen=seen + 1)).status_code == 200
    assert (await api.post(path, by="anna.keller", text="Yes.", seen=seen)).status_code == 200, "the same again"
    await api.refused(409, "QUESTION_CLOSED", path, by="anna.keller", text="No.")
    assert (await api.get(f"/questions/{question_id}"))["answer"] == "Yes."
