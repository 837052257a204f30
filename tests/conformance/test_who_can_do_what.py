"""docs/permissions.md, walked: each route with each role and every other credential."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from tests.support.claiming import call, claimed, ended, proposed, put_on_hold
from tests.support.forged import altered
from tests.support.office import Office
from tests.support.permissions import DOORS, ON_BEHALF, OTHERS, ROLES, Row, rows_of, table
from tests.support.stack import Stack
from tests.support.workbench import Guest, guest

from deskworld_kit.ids import new_id

NOBODY = "0190a000-0000-7000-8000-00000000dead"
PEOPLE = {"buyer": "bruno.costa", "clerk": "emma.lind", "ap-manager": "grace.hall", "controller": "ines.vogel",
          "auditor": "kira.stone"}  # fmt: skip
OWNER = "anna.keller"
"""Whom the records name: a buyer, as bruno.costa is, who is not named."""
SHUT = (401, 403)
STALE = {"expected_version": 99, "exception_id": NOBODY, "settles": [NOBODY], "comment": "no"}
OF_ACTION = {"short-pay": {"amount": "1.00"}, "assign-po": {"against_po": "PO-1"}}
DECLINE = {"verdict": "decline", "words": "The goods are wrong."}
BODIES: Mapping[str, Any] = {
    "POST /decisions/{decision_id}": DECLINE,
    "POST /questions/{question_id}/answer": {"text": "Yes: it was agreed."},
    "POST /hooks/erp": {"id": "e", "type": "t"},
    "POST /turns/claim": {},  # without a name nobody's turn is taken
    "POST /turns/{turn_id}/end": {"how": "NO"},
    "ANY /mcp": {"jsonrpc": "2.0", "id": 1, "method": "ping"},
}
QUERIES = {
    "GET /stage/witness": {"vendor_id": NOBODY},
    "POST /stage/reset": {"vendor_id": NOBODY},
    "GET /stage/faults": {"vendor_id": NOBODY},
    "DELETE /stage/faults": {"vendor_id": NOBODY},
}
FORMS = {
    "POST /workbench/decisions/{decision_id}": DECLINE,
    "POST /workbench/questions/{question_id}/answer": {"text": "Yes: it was agreed."},
}
REAL_ID = {"GET", "own"}
"""Where the record must be there, or nobody would be asked who they are."""


@dataclass
class Scene:
    """Records that there are, every credential, and the people's browsers. `spare`: for what the ERP is told to do."""

    office: Office
    ids: Mapping[str, str]
    spare: Mapping[str, str]
    tokens: Mapping[str, str]
    described: Mapping[str, Any] = field(default_factory=dict)
    browsers: dict[str, Guest] = field(default_factory=dict)

    def path(self, row: Row) -> str:
        real = row.method in REAL_ID or "own" in row.people.values()
        known = self.spare if row.door == "ERP office" else self.ids if real else {}
        names = [part[1:-1] for part in row.path.split("/") if part.startswith("{")]
        return row.path.format(
            **{name: known.get(name, "emma.lind" if name == "username" else NOBODY) for name in names}
        )

    def body(self, row: Row) -> Any:
        if row.name in BODIES:
            return BODIES[row.name]
        if row.door == "ERP office" and row.path.startswith("/invoices/{invoice_id}/"):
            return STALE | OF_ACTION.get(row.path.rpartition("/")[2], {})
        if row.door == "ERP stage":
            return {}
        described = self.described[DOORS[row.door]]["paths"].get(row.path, {}).get(row.method.lower(), {})
        content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
        examples = [content["example"]] if "example" in content else content.get("examples", {}).values()
        example = next((one.get("value", one) for one in examples), None)
        if isinstance(example, dict) and row.door == "ERP office":
            return {name: self.spare.get(name, value) for name, value in example.items()}
        return example


@pytest.fixture(scope="module")
async def scene(whole_stack: Stack) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        office = Office(whole_stack, await stack.enter_async_context(httpx.AsyncClient(timeout=30, trust_env=False)))
        ids, turn, another = await _records(office)
        made = Scene(office, ids, await _spare(office), await _tokens(office, turn, another))
        for door in set(DOORS.values()):
            made.described = {
                **made.described,
                door: (await office.http.get(f"{office.stack[door]}/openapi.json")).json(),
            }
        for username in (OWNER, *PEOPLE.values()):
            browser = await stack.enter_async_context(guest(office.stack["desk"]))
            await browser.sign_in(username)
            made.browsers[username] = browser
        yield made
        await _left_behind(made)


async def _records(office: Office) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
    asked = await office.seed()
    asking = await office.seed(rules="off")
    turn = await claimed(office, asking)
    question = (await call(office, turn, "ask_buyer", question="Is 10.40 agreed?"))["result"]["question_id"]
    await ended(office, turn)
    other = await office.seed(rules="off")
    another = await claimed(office, other)
    await proposed(office, other, another)
    bank = await office.seed(bank_change=True)
    decision = (await asked.until("decision.requested"))["data"]["decision_id"]
    accounts = (await bank.witness())["vendor"]["bank_accounts"]
    change = next(one["change"]["id"] for one in accounts if one["change"])
    ids = {"case_id": asked.case_id, "decision_id": decision, "question_id": question, "change_id": change}
    return ids, turn, another


async def _spare(office: Office) -> dict[str, str]:
    case = await office.seed(bank_change=True)
    witness = await case.witness()
    change = next(one["change"]["id"] for one in witness["vendor"]["bank_accounts"] if one["change"])
    number = witness["orders"][0]["number"]
    return {
        "vendor_id": case.vendor_id,
        "invoice_id": witness["invoices"][0]["id"],
        "exception_id": case.case_id,
        "change_id": change,
        "po_number": number,
        "number": number,
        "receipt_id": witness["receipts"][0]["id"],
        "item": "BOLT-M8",
    }


async def _tokens(office: Office, turn: Mapping[str, Any], another: Mapping[str, Any]) -> dict[str, str]:
    secrets = office.stack["secrets"]
    form = {"grant_type": "client_credentials", "client_id": "desk", "client_secret": secrets["desk_client"]}
    desk = await office.http.post(office.token_url, data=form)
    people = {username: await office.sign_in(username) for username in (OWNER, *PEOPLE.values())}
    return {
        **{role: people[username] for role, username in PEOPLE.items()},
        OWNER: people[OWNER],
        "nobody": "",
        "desk": desk.json()["access_token"],
        "agent": await office.agent_token(),
        "turn": turn["token"],
        "another turn": another["token"],
        "erp-stage": secrets["erp_stage"],
        "desk-stage": secrets["desk_stage"],
        "a person's, altered": altered(people["ines.vogel"]),
    }


async def _left_behind(scene: Scene) -> None:
    """Agents go on, nobody is sent events at a made-up address, and no input waits for an agent."""
    office, controller = scene.office, scene.tokens["controller"]
    await office.ask("desk", "POST", "/oversight/resume", controller)
    for one in (await office.ask("erp", "GET", "/subscriptions", controller)).json()["items"]:
        if ".example" in one["url"]:
            await office.ask("erp", "DELETE", f"/subscriptions/{one['id']}", controller)
    await _nobody_waits(scene)


async def _nobody_waits(scene: Scene) -> None:
    """Cases of which an agent is to be told something are put on hold."""
    office, told = scene.office, {"agent": "conformance", "wait": 0}
    while (
        answer := await office.ask("agent_door", "POST", "/turns/claim", scene.tokens["agent"], json=told)
    ).is_success:
        if answer.status_code == 204:
            return
        turn = answer.json()
        await put_on_hold(office, turn)


API = [row for row in table() if row.door in {"ERP office", "ERP stage", "Desk office", "Desk stage"}]


@pytest.mark.parametrize(
    "row", [row for row in API if ON_BEHALF not in row.path], ids=lambda row: f"{row.door}: {row.name}"
)
async def test_a_route_is_open_to_whom_the_page_says_and_shut_to_all_others(scene: Scene, row: Row) -> None:
    wrong = []
    for who in (*ROLES, *OTHERS):
        answer = await asked(scene, row, scene.tokens[who])
        turned_off = row.path == "/metrics" and answer.status_code == 404
        if not fits(row.lets_in(who), answer) and not turned_off:
            wrong.append((who, row.lets_in(who), answer.status_code, answer.text[:200]))
    assert wrong == []
    if "own" in row.people.values():
        answer = await asked(scene, row, scene.tokens[OWNER])
        assert answer.status_code not in SHUT, answer.text


async def test_on_behalf_of_a_person_acts_the_stage_alone(scene: Scene) -> None:
    paths = scene.described["erp_stage"]["paths"]
    behalf = [(method, path) for path, methods in paths.items() if ON_BEHALF in path for method in methods]
    assert len(behalf) > 40
    for method, path in behalf:
        row = Row("ERP stage", method.upper(), path, dict.fromkeys(ROLES, "–"), frozenset({"erp-stage"}))
        for who in (*ROLES, *OTHERS):
            answer = await asked(scene, row, scene.tokens[who])
            # what the person may not do is refused with 403 there too: the secret itself is never
            shut = answer.status_code == 401
            assert shut != (who == "erp-stage"), (row.name, who, answer.text)


async def test_an_agent_takes_turns_and_a_turn_does_its_own_calls(scene: Scene) -> None:
    """Turns of its own: a lease may end while the other doors are walked."""
    await _nobody_waits(scene)
    # one after the other: of two that wait, either may be the first that its agent is told of
    case = await scene.office.seed(rules="off")
    turn = await claimed(scene.office, case)
    other = await scene.office.seed(rules="off")
    another = await claimed(scene.office, other)
    tokens = {**scene.tokens, "turn": turn["token"], "another turn": another["token"]}
    ids = {**scene.ids, "turn_id": turn["turn_id"]}
    own = Scene(scene.office, ids, scene.spare, tokens, scene.described)
    wrong = []
    for row in rows_of("Agent door"):
        path = row.path.format(**ids)
        for who in (*ROLES, *OTHERS):
            for method in ("GET", "POST", "DELETE") if row.method == "ANY" else (row.method,):
                answer = await sent(own, "agent_door", method, path, tokens[who], own.body(row))
                if not fits(row.lets_in(who), answer):
                    wrong.append((row.name, method, who, row.lets_in(who), answer.status_code, answer.text[:200]))
    assert wrong == []
    await proposed(scene.office, case, turn)
    await proposed(scene.office, other, another)


PAGES = rows_of("Workbench pages")


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
async def test_a_page_is_open_to_whom_the_page_says_and_a_token_opens_none(scene: Scene, row: Row) -> None:
    wrong = []
    for who in OTHERS:
        answer = await sent(scene, "desk", row.method, scene.path(row), scene.tokens[who], None)
        if sends_away(answer) == (row.lets_in(who) == "yes"):
            wrong.append((who, answer.status_code, answer.headers.get("location")))
    # with a session it would end it
    people = {} if row.name == "POST /workbench/sign-out" else PEOPLE
    for role, username in people.items():
        answer = await visited(scene, row, username)
        if not fits(row.lets_in(role), answer):
            wrong.append((username, row.lets_in(role), answer.status_code))
    assert wrong == []
    if "own" in row.people.values():
        assert (await visited(scene, row, OWNER)).status_code not in SHUT


@pytest.mark.parametrize("row", [row for row in PAGES if row.method == "POST"], ids=lambda row: row.name)
@pytest.mark.parametrize("forged", ["no secret", "another's secret", "another site"])
async def test_no_form_counts_that_no_page_of_this_session_made(scene: Scene, row: Row, forged: str) -> None:
    """As somebody who has every right to send it."""
    roles = [role for role, mark in row.people.items() if mark == "yes"]
    username = OWNER if "own" in row.people.values() else PEOPLE[roles[-1] if roles[-1] != "auditor" else roles[0]]
    browser, other = scene.browsers[username], scene.browsers["kira.stone"]
    fields = {"no secret": {}, "another's secret": {"csrf": secret(other)}, "another site": {"csrf": secret(browser)}}
    headers = {"Origin": "http://127.0.0.1:1"} if forged == "another site" else {}
    form = fields[forged] | FORMS.get(row.name, {"text": "no"})
    answer = await browser.http.post(scene.office.stack["desk"] + scene.path(row), data=form, headers=headers)
    assert answer.status_code == 403, answer.text
    assert "form" in answer.text


@pytest.mark.parametrize("door", DOORS)
async def test_what_a_door_has_no_route_for_it_does_for_nobody(scene: Scene, door: str) -> None:
    """Other methods of its paths."""
    has = {(row.method, row.path) for row in rows_of(door)}
    strongest = scene.tokens["controller"]
    for row in rows_of(door):
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - {method for method, path in has if path == row.path}:
            if row.method != "ANY":
                answer = await sent(scene, DOORS[door], method, scene.path(row), strongest, {})
                assert answer.status_code in {404, 405}, (method, row.path, answer.status_code)


def fits(mark: str, answer: httpx.Response) -> bool:
    """`own` is shut to those whom no record names."""
    if mark == "yes":
        return answer.status_code not in SHUT
    kinds = ("application/problem+json", "text/html")
    return answer.status_code in SHUT and answer.headers["content-type"].startswith(kinds)


def sends_away(answer: httpx.Response) -> bool:
    return answer.status_code in SHUT or "/sign-in" in answer.headers.get("location", "")


async def asked(scene: Scene, row: Row, token: str) -> httpx.Response:
    return await sent(
        scene, DOORS[row.door], row.method, scene.path(row), token, scene.body(row), QUERIES.get(row.name)
    )


async def sent(
    scene: Scene, door: str, method: str, path: str, token: str, body: Any, query: Mapping[str, str] | None = None
) -> httpx.Response:
    """Only the head is waited for: some answers never end."""
    headers = {"Idempotency-Key": new_id(), "Accept": "application/json, text/event-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    url = scene.office.stack[door] + path
    async with scene.office.http.stream(method, url, headers=headers, json=body, params=query) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            await answer.aread()
        else:
            answer._content = b""
        return answer


async def visited(scene: Scene, row: Row, username: str) -> httpx.Response:
    browser, url = scene.browsers[username], scene.office.stack["desk"] + scene.path(row)
    if row.method == "GET":
        return await browser.http.get(url)
    form = {"csrf": secret(browser)} | FORMS.get(row.name, {})
    return await browser.http.post(url, data=form)


def secret(browser: Guest) -> str:
    """Of the forms of this session."""
    return str(browser.form("/sign-out").fields["csrf"])
