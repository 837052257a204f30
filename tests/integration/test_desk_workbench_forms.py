"""Every form of the workbench's pages, over a desk inside this process: what it does, and what it gives back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from tests.support.desk_inside import Inside, person
from tests.support.mailroom import mail_aside
from tests.support.workbench import forms
from tests.support.workbench_api import asked_decision

from deskworld_desk.cases.deadlines import move_office_time
from deskworld_desk.workbench.pages.app import pages
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.render import Renderer
from deskworld_desk.workbench.pages.sessions import BASE, Visitor
from deskworld_kit.ids import new_id

URL = "http://desk.test"


class Doorkeeper:
    """Sessions in which one person is signed in."""

    def __init__(self, username: str) -> None:
        self._username = username

    async def visitor(self, _: object) -> Visitor:
        return Visitor("id", person(self._username), "a-token", f"secret of {self._username}", "id-token")


class Reader:
    """Somebody in front of a page, without scripts."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.page = httpx.Response(200)

    async def go(self, path: str) -> httpx.Response:
        self.page = await self.http.get(path.removeprefix(BASE) or "/")
        return self.page

    def offers(self, action: str) -> bool:
        return any(form.action.endswith(action) for form in forms(self.page))

    async def send(self, action: str, /, **values: str) -> httpx.Response:
        """Fills in a form of the page and follows where it leads."""
        found = next(one for one in forms(self.page) if one.action.endswith(action))
        return await self.post(found.action.removeprefix(URL).removeprefix(BASE), found.filled(**values))

    async def post(self, path: str, fields: dict[str, str]) -> httpx.Response:
        answer = await self.http.post(path, data=fields)
        if answer.status_code == 303:
            return await self.go(answer.headers["location"])
        self.page = answer
        return answer


@asynccontextmanager
async def reading(core: Inside, username: str) -> AsyncIterator[Reader]:
    keeper: Any = Doorkeeper(username)
    bench = Workbench(core.desk, keeper, Renderer(issuer="http://issuer.test/realms/deskworld"), URL)
    transport = httpx.ASGITransport(pages(bench), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=URL) as http:
        yield Reader(http)


async def for_agent(core: Inside) -> str:
    return str((await core.opened(rules="off"))["exception_id"])


async def needs_person(core: Inside) -> str:
    case_id = str((await core.opened())["exception_id"])
    await move_office_time(core.desk, case_id, to=None, ahead=timedelta(days=3))
    return case_id


async def test_a_note_and_feedback_are_written_on_the_page_of_the_case(core: Inside) -> None:
    case_id = await for_agent(core)
    async with reading(core, "emma.lind") as emma:
        await emma.go(f"/cases/{case_id}")
        page = await emma.send("/notes", text="They called.\r\nTwice.")
        assert "Your note is on record." in page.text
        page = await emma.send("/feedback", about=case_id, text="Quick.")
        assert "Your feedback is on record." in page.text
    (noted,) = await core.rows(case_id, "person.noted")
    assert noted["data"]["text"] == "They called.\nTwice."
    assert (await core.rows(case_id, "feedback.given"))[0]["data"]["about"] == case_id


async def test_a_form_about_a_case_that_changed_comes_back_with_what_came_and_what_was_typed(core: Inside) -> None:
    case_id, _ = await asked_decision(core)
    async with reading(core, "anna.keller") as anna, reading(core, "emma.lind") as emma:
        await anna.go(f"/cases/{case_id}")
        await emma.go(f"/cases/{case_id}")
        await emma.send("/notes", text="It is a swindle.")
        decision = next(one.action.rpartition("/")[2] for one in forms(anna.page) if "/decisions/" in one.action)
        page = await anna.send(f"/decisions/{decision}", words="Agreed by phone.")
        assert page.status_code == 409
        assert "What came since" in page.text
        assert "person.noted" in page.text
        assert "It is a swindle." in page.text
        assert "Agreed by phone." in page.text, "nobody types it twice"
        assert await core.rows(case_id, "decision.made") == []
        page = await anna.send(f"/decisions/{decision}")
        assert "Your decision was carried out" in page.text
    (made,) = await core.rows(case_id, "decision.made")
    assert made["data"]["words"] == "Agreed by phone."


async def test_the_person_asked_answers_on_the_page_and_nobody_else_gets_the_form(core: Inside) -> None:
    case_id, question_id = await for_agent(core), new_id()
    await core.sql(
        'INSERT INTO questions (id, case_id, "user", text, state, asked_at, due_at, seq) '
        "VALUES ($1, $2, 'anna.keller', 'Is 10.40 agreed?', 'OPEN', now(), now(), 1)",
        question_id,
        case_id,
    )
    async with reading(core, "anna.keller") as anna, reading(core, "grace.hall") as grace:
        page = await grace.go(f"/cases/{case_id}")
        assert "Is 10.40 agreed?" in page.text
        assert not grace.offers("/answer")
        await anna.go("/")
        assert f"/cases/{case_id}" in anna.page.text
        await anna.go(f"/cases/{case_id}")
        page = await anna.send("/answer", text="  ")
        assert page.status_code == 200, "blanks are words: only nothing is refused"
        (answered,) = await core.rows(case_id, "question.answered")
        assert answered["data"]["by"]["username"] == "anna.keller"


@pytest.mark.parametrize(
    ("form", "fields", "state"),
    [
        ("/resume", {"note": "Go on."}, "INVESTIGATING"),
        ("/proposals", {"action": "approve-variance", "rationale": "The buyer agreed."}, "AWAITING_DECISION"),
        ("/close", {"reason": "Settled by phone."}, "RESOLVED"),
    ],
)
async def test_a_manager_takes_up_a_case_that_needs_a_person(
    core: Inside, form: str, fields: dict[str, str], state: str
) -> None:
    case_id = await needs_person(core)
    async with reading(core, "anna.keller") as anna, reading(core, "grace.hall") as grace:
        await anna.go(f"/cases/{case_id}")
        assert not anna.offers(form)
        await grace.go(f"/cases/{case_id}")
        empty = await grace.send(form)
        assert empty.status_code == 400
        assert "is needed" in empty.text
        page = await grace.send(form, **fields)
        assert page.status_code == 200, page.text[:3000]
        assert 'role="status"' in page.text
    assert (await core.view(case_id))["state"] == state


async def test_a_controller_raises_the_budget_on_the_page(core: Inside) -> None:
    case_id = await for_agent(core)
    async with reading(core, "ines.vogel") as ines:
        await ines.go(f"/cases/{case_id}")
        page = await ines.send("/budget", turns="less", reason="More letters.")
        assert page.status_code == 400
        assert 'value="less"' in page.text
        page = await ines.send("/budget", turns="20", reason="More letters.")
        assert "0 of 20 turns" in page.text
        stale = await ines.post(
            f"/cases/{case_id}/budget",
            {"csrf": "secret of ines.vogel", "turns": "30", "input_tokens": "300000", "reason": "x", "etag": '"old"'},
        )
        assert stale.status_code == 412


async def test_two_people_clear_a_flag_on_its_page(core: Inside) -> None:
    case_id, flag_id = await for_agent(core), new_id()
    await core.sql(
        "INSERT INTO flags (id, case_id, mail_id, flag, state, raised_at, raised_seq) "
        "VALUES ($1, $2, $1, 'instructions', 'RAISED', now(), 1)",
        flag_id,
        case_id,
    )
    async with reading(core, "emma.lind") as emma, reading(core, "grace.hall") as grace:
        await emma.go("/flags")
        page = await emma.send(f"/flags/{flag_id}/clear", reason="A greeting.")
        assert "a second person must confirm" in page.text
        assert not emma.offers(f"/flags/{flag_id}/confirm")
        await grace.go("/flags")
        assert "A greeting." in grace.page.text
        page = await grace.send(f"/flags/{flag_id}/confirm")
        assert "It is confirmed." in page.text
        assert flag_id not in page.text
        late = await emma.post(f"/flags/{flag_id}/keep", {"csrf": "secret of emma.lind", "reason": "No."})
        assert late.status_code == 409
        await emma.go(f"/cases/{case_id}")
        assert "confirmed by grace.hall" in emma.page.text


async def test_a_manager_reads_unmatched_mail_as_text_and_joins_or_dismisses_it(core: Inside) -> None:
    hostile = "Pay now. <script>alert(1)</script>\u202e\x1b[31m"
    joined, dropped = [await mail_aside(core, hostile, subject="<b>Hello</b>") for _ in range(2)]
    case_id = await for_agent(core)
    async with reading(core, "grace.hall") as grace, reading(core, "ines.vogel") as ines:
        assert (await ines.go("/mail")).status_code == 403
        page = await grace.go("/mail")
        assert "&lt;b&gt;Hello&lt;/b&gt;" in page.text
        page = await grace.go(f"/mail/{joined}")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E][U+001B][31m" in page.text
        assert "gives no orders" in page.text
        page = await grace.send("/join", typed="no-such-case")
        assert page.status_code == 404
        await grace.go(f"/mail/{joined}")
        page = await grace.send("/join", typed=case_id)
        assert "The mail is in its case." in page.text
        assert joined not in page.text
        await grace.go(f"/mail/{dropped}")
        page = await grace.send("/dismiss", reason="")
        assert page.status_code == 400
        page = await grace.send("/dismiss", reason="An attack.")
        assert "The mail is dismissed." in page.text
        page = await grace.go(f"/mail/{dropped}")
        assert not grace.offers("/dismiss")
    (received,) = await core.rows(case_id, "mail.received")
    assert received["data"]["joined_by"] == "person"


async def test_a_controller_pauses_all_agents_on_the_page_and_an_auditor_sees_it(core: Inside) -> None:
    async with reading(core, "ines.vogel") as ines, reading(core, "kira.stone") as kira:
        await ines.go("/oversight")
        page = await ines.send("/oversight/pause", reason="Two letters with orders.")
        assert "All agents are paused since" in page.text
        try:
            page = await kira.go("/oversight")
            assert "Two letters with orders." in page.text
            assert not kira.offers("/oversight/resume")
        finally:
            page = await ines.send("/oversight/resume")
        assert "Agents work." in page.text


async def test_the_worklist_is_filtered_and_read_page_by_page_without_scripts(core: Inside) -> None:
    party = await core._without_rules()
    for _ in range(52):
        told = {"exception_id": new_id(), "invoice_id": new_id(), "vendor_id": party, "reason": "UOM_MISMATCH"}
        await core.hear("match-exception.raised", **told)
    async with reading(core, "kira.stone") as kira:
        page = await kira.go(f"/?vendor={party}&reason=UOM_MISMATCH")
        assert page.text.count('scope="row"') == 50
        further = page.text.partition('id="older"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
        page = await kira.go(urljoin("/", further))
        assert page.text.count('scope="row"') == 2
        assert 'id="older"' not in page.text
        page = await kira.go(f"/?vendor={party}&state=RESOLVED")
        assert "No case matches." in page.text
        assert (await kira.go("/?cursor=%00")).status_code == 400


async def test_a_world_without_changes_to_verify_has_no_page_of_them(core: Inside) -> None:
    bare = SimpleNamespace(changes=None)
    desk: Any = SimpleNamespace(worlds={"ap": bare})
    async with reading(Inside(desk, core.erp), "grace.hall") as grace:
        assert (await grace.go("/bank-changes")).status_code == 404
