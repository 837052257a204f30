"""What managers and controllers do at the workbench, over its API: each answer is as the door declares it."""

from datetime import timedelta
from typing import Any

import pytest
from tests.support.desk_inside import Inside
from tests.support.mailroom import mail_aside
from tests.support.workbench_api import Api, api

from deskworld_desk.cases.deadlines import move_office_time
from deskworld_kit.ids import new_id

__all__ = ["api"]
NOBODY = "0190a000-0000-7000-8000-00000000dead"


async def needs_person(core: Inside) -> str:
    """Its decision ran out."""
    case_id = str((await core.opened())["exception_id"])
    await move_office_time(core.desk, case_id, to=None, ahead=timedelta(days=3))
    return case_id


# cases that need a person --------------------------------------------------------------------------------------------


async def test_the_three_ways_out_of_a_case_that_needs_a_person(api: Api, core: Inside) -> None:
    resumed, proposed, closed = [await needs_person(core) for _ in range(3)]

    async def seen(case_id: str) -> int:
        return int((await api.get(f"/cases/{case_id}"))["seq"])

    body: dict[str, Any] = {"note": "Go on.", "seen": await seen(resumed)}
    assert (await api.post(f"/cases/{resumed}/resume", by="emma.lind", **body)).status_code == 200
    await api.refused(409, "CASE_CHANGED", f"/cases/{resumed}/resume", by="emma.lind", **body)
    body["seen"] = await seen(resumed)
    await api.refused(409, "NO_PERSON_NEEDED", f"/cases/{resumed}/resume", by="emma.lind", **body)

    wanted = {"action": "approve-variance", "rationale": "The buyer agreed.", "seen": await seen(proposed)}
    await api.refused(403, "NOT_AUTHORISED", f"/cases/{proposed}/proposals", by="anna.keller", **wanted)
    routed = await api.post(f"/cases/{proposed}/proposals", by="grace.hall", **wanted)
    assert (routed.status_code, routed.json()["whom"]) == (201, {"role": "buyer", "user": "anna.keller"}), routed.text
    page = await api.get(f"/decisions/{routed.json()['decision_id']}", by="grace.hall")
    assert (page["proposer"], page["mine"]) == ("person", False)

    shut = {"reason": "Settled by phone.", "seen": await seen(closed)}
    await api.refused(403, "NOT_AUTHORISED", f"/cases/{closed}/close", by="emma.lind", **shut)
    assert (await api.post(f"/cases/{closed}/close", by="grace.hall", **shut)).status_code == 200
    assert (await api.get(f"/cases/{closed}"))["state"] == "RESOLVED"


async def test_who_takes_up_a_case_that_moved_on_is_told_what_came(api: Api, core: Inside) -> None:
    case_id = await needs_person(core)
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="Wait.")
    values = await api.refused(409, "CASE_CHANGED", f"/cases/{case_id}/close", by="grace.hall", reason="x", seen=seen)
    assert [one["kind"] for one in values["changed"]] == ["person.noted"]


async def test_what_the_policy_refuses_a_person_it_says_with_its_reasons(api: Api, core: Inside) -> None:
    case_id = await needs_person(core)
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    body = {"action": "short-pay", "amount": "0.00", "rationale": "Nothing.", "seen": seen}
    answer = await api.post(f"/cases/{case_id}/proposals", by="grace.hall", **body)
    assert answer.status_code in {400, 422}, answer.text
    assert answer.json()["detail"]


# budgets and oversight -----------------------------------------------------------------------------------------------


async def test_a_controller_raises_the_budget_that_they_saw(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    path, more = f"/cases/{case_id}/budget", {"turns": 20, "input_tokens": 300_000, "reason": "One letter a question."}

    async def put(by: str, **headers: str) -> Any:
        return await api.ask("PUT", path, by=by, json=more, headers=headers)

    shown = await api.ask("GET", path, by="ines.vogel")
    assert shown.json() == {"turns": 12, "turns_used": 0, "input_tokens": 200_000, "input_tokens_used": 0,
                            "spent": False}  # fmt: skip
    tag = shown.headers["etag"]
    assert (await put("grace.hall", **{"If-Match": tag})).status_code == 403
    assert (await put("ines.vogel")).status_code == 428
    late = await put("ines.vogel", **{"If-Match": '"another"'})
    assert (late.status_code, late.json()["values"]["now"]["turns"]) == (412, 12)
    raised = await put("ines.vogel", **{"If-Match": f'"x", {tag}'})
    assert (raised.status_code, raised.json()["turns"]) == (200, 20)
    assert (await put("ines.vogel", **{"If-Match": tag})).status_code == 412, "somebody raised it meanwhile"
    assert (await api.ask("GET", path, by="kira.stone", headers={"If-None-Match": tag})).status_code == 200
    fresh = (await api.ask("GET", path, by="kira.stone")).headers["etag"]
    assert (await api.ask("GET", path, by="kira.stone", headers={"If-None-Match": fresh})).status_code == 304


async def test_a_controller_pauses_all_agents_and_lets_them_on(api: Api, core: Inside) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    before = await api.get("/oversight", by="grace.hall")
    assert not before["agents"]["paused"]
    assert case_id in before["held"]["cases"]
    assert before["held"]["inputs"] >= 1
    assert before["cases"]["INVESTIGATING"] >= 1
    await api.refused(403, "NOT_AUTHORISED", "/oversight/pause", by="grace.hall", reason="x")
    try:
        paused = await api.post("/oversight/pause", by="ines.vogel", reason="Orders in two letters.")
        assert paused.status_code == 200
        await api.refused(409, "AGENTS_PAUSED", "/oversight/pause", by="ines.vogel", reason="Again.")
        now = await api.get("/oversight")
        assert now["agents"]["pause"]["paused_by"]["username"] == "ines.vogel"
        assert now["agents"]["pause"]["reason"] == "Orders in two letters."
        assert await core.desk.turnstile.take(0) is None, "no agent gets a case"
    finally:
        released = await api.ask("POST", "/oversight/resume", by="ines.vogel")
    assert released.json()["cases"] >= 1
    answer = await api.ask("POST", "/oversight/resume", by="ines.vogel")
    assert (answer.status_code, answer.json()["code"]) == (409, "NOT_PAUSED")
    assert (await api.get("/oversight"))["pauses"][0]["resumed_by"]["username"] == "ines.vogel"
    assert (await api.ask("GET", "/oversight", by="anna.keller")).status_code == 403


# mail and flags ------------------------------------------------------------------------------------------------------


async def test_a_manager_reads_unmatched_mail_and_joins_it_or_lets_it_go(api: Api, core: Inside) -> None:
    joined, dropped = [await mail_aside(core, text) for text in ("About your letter.", "Buy our pens.")]
    case_id = (await core.opened(rules="off"))["exception_id"]
    page = await api.get("/unmatched-mail?limit=1", by="grace.hall")
    rest = await api.get(f"/unmatched-mail?cursor={page['next']}", by="grace.hall")
    assert {joined, dropped} <= {one["mail_id"] for one in (*page["items"], *rest["items"])}
    assert page["count"] == 1 + len(rest["items"])
    shown = await api.get(f"/unmatched-mail/{joined}", by="grace.hall")
    assert (shown["text"].strip(), shown["header_from"]) == ("About your letter.", "a@b.outside.example")
    for path in ("/unmatched-mail", f"/unmatched-mail/{joined}"):
        assert (await api.ask("GET", path, by="ines.vogel")).status_code == 403
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="A letter will come.")
    way = f"/unmatched-mail/{joined}/join"
    await api.refused(409, "CASE_CHANGED", way, by="grace.hall", case_id=case_id, seen=seen)
    assert (await api.post(way, by="grace.hall", case_id=case_id)).status_code == 200
    await api.refused(409, "MAIL_CLOSED", way, by="hugo.silva", case_id=case_id)
    assert (await core.rows(case_id, "mail.received"))[0]["data"]["joined_by"] == "person"
    await api.refused(404, "NOT_FOUND", f"/unmatched-mail/{dropped}/join", by="grace.hall", case_id=NOBODY)
    gone = f"/unmatched-mail/{dropped}/dismiss"
    assert (await api.post(gone, by="grace.hall", reason="An advertisement.")).status_code == 200
    await api.refused(409, "MAIL_CLOSED", gone, by="grace.hall", reason="Again.")


async def test_two_people_clear_a_flag_over_the_api(api: Api, core: Inside) -> None:
    case_id, flag_id = (await core.opened(rules="off"))["exception_id"], new_id()
    await core.sql(
        "INSERT INTO flags (id, case_id, mail_id, flag, state, raised_at, raised_seq) "
        "VALUES ($1, $2, $1, 'instructions', 'RAISED', now(), 1)",
        flag_id,
        case_id,
    )
    assert flag_id in {one["flag_id"] for one in (await api.get("/flags", by="anna.keller"))["items"]}
    path = f"/flags/{flag_id}"
    await api.refused(409, "FLAG_NOT_ASKED", f"{path}/confirm", by="grace.hall")
    asked = await api.post(f"{path}/clear", by="grace.hall", reason="A greeting.")
    assert (asked.json()["state"], asked.json()["may_confirm"], asked.json()["may_keep"]) == ("ASKED", False, True)
    await api.refused(403, "NOT_AUTHORISED", f"{path}/confirm", by="grace.hall")
    await api.refused(403, "NOT_AUTHORISED", f"{path}/confirm", by="emma.lind")
    seen = (await api.get(f"/cases/{case_id}"))["seq"]
    await api.post(f"/cases/{case_id}/notes", by="emma.lind", text="Look at its attachment.")
    await api.refused(409, "CASE_CHANGED", f"{path}/confirm", by="hugo.silva", seen=seen)
    kept = await api.post(f"{path}/keep", by="hugo.silva", reason="I am not sure.")
    assert kept.json()["state"] == "RAISED"
    await api.post(f"{path}/clear", by="emma.lind", reason="A greeting.")
    cleared = await api.post(f"{path}/confirm", by="hugo.silva")
    assert cleared.json()["state"] == "CLEARED"
    await api.refused(409, "FLAG_CLEARED", f"{path}/keep", by="grace.hall", reason="No.")
    (row,) = await core.rows(case_id, "flag.cleared")
    assert (row["data"]["by"]["username"], row["data"]["confirmed_by"]["username"]) == ("emma.lind", "hugo.silva")
    shown = (await api.get(f"/cases/{case_id}/flags"))["items"]
    assert [one["state"] for one in shown] == ["CLEARED"]


# the rim of the door -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"content": b"x" * 10, "headers": {"Content-Type": "text/plain"}}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, 400, "INVALID_REQUEST"),
        ({"json": {"text": "NUL \x00"}}, 400, "INVALID_REQUEST"),
        ({"json": {"text": "x" * 4_001}}, 400, "INVALID_REQUEST"),
        ({"json": {"text": "x", "more": 1}}, 400, "INVALID_REQUEST"),
        ({"json": {"text": "x", "seen": 0}}, 400, "INVALID_REQUEST"),
    ],
)
async def test_what_is_sent_wrongly_is_refused_with_its_reason(
    api: Api, sent: dict[str, Any], status: int, code: str
) -> None:
    answer = await api.ask("POST", f"/cases/{NOBODY}/notes", by="emma.lind", **sent)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text


async def test_the_page_of_the_door_shows_every_route_and_needs_no_network(api: Api) -> None:
    page = await api.http.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
    for path in api.app.openapi()["paths"]:
        assert path in page.text
    assert "<script" not in page.text
    assert (await api.http.get("/docs/style.css")).status_code == 200
