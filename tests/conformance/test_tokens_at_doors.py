"""Every credential at every door. What is not written down here as open is shut."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from tests.support.claiming import claimed, finished
from tests.support.forged import forged
from tests.support.office import Office
from tests.support.signing_in import PASSWORD
from tests.support.stack import Stack

from deskworld_kit.ids import new_id

NOBODY = "0190a000-0000-7000-8000-00000000dead"
DOORS: Mapping[str, tuple[str, str, str, Any]] = {
    "ERP read": ("erp", "GET", "/match-exceptions?limit=1", None),
    "ERP command": ("erp", "POST", "/invoices/{invoice}/hold", {"expected_version": 99, "exception_id": NOBODY}),
    "ERP stage": ("erp_stage", "GET", f"/stage/witness?vendor_id={NOBODY}", None),
    "desk read": ("desk", "GET", "/worklist", None),
    "desk decision": ("desk", "POST", f"/decisions/{NOBODY}", {"verdict": "approve"}),
    "desk stage": ("desk_stage", "GET", "/stage/open-cases", None),
    # without a name nobody's turn is taken
    "agents' turns": ("agent_door", "POST", "/turns/claim", {}),
    "one turn": ("agent_door", "POST", "/turns/{turn}/heartbeat", {}),
}
OF_ANOTHER_VERSION, FOUND_NOTHING, SAID_NOTHING = 409, 404, 400
OPEN: Mapping[tuple[str, str], int] = {
    ("a clerk", "ERP read"): 200,
    ("a clerk", "ERP command"): OF_ANOTHER_VERSION,
    ("a clerk", "desk read"): 200,
    ("a clerk", "desk decision"): FOUND_NOTHING,
    ("an auditor", "ERP read"): 200,
    ("an auditor", "desk read"): 200,
    ("an auditor", "desk decision"): FOUND_NOTHING,
    ("the desk's account", "ERP read"): 200,
    ("the ERP's stage", "ERP stage"): FOUND_NOTHING,
    ("the desk's stage", "desk stage"): 200,
    ("an agent", "agents' turns"): SAID_NOTHING,
    ("a turn", "one turn"): 204,
}
CREDENTIALS = (
    "nothing", "a clerk", "an auditor", "the desk's account", "the ERP's stage", "the desk's stage", "an agent",
    "a turn", "a clerk's refresh token", "a clerk's altered", "a clerk's unsigned", "a clerk's by another key",
    "a clerk's by a shared secret", "a clerk's for ever",
)  # fmt: skip


@pytest.fixture(scope="module")
async def office(whole_stack: Stack) -> AsyncIterator[Office]:
    async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
        yield Office(whole_stack, http)


@pytest.fixture(scope="module")
async def turn(office: Office) -> AsyncIterator[dict[str, Any]]:
    """A turn that is ours; the case is brought to its end afterwards."""
    case = await office.seed(rules="off")
    ours = await claimed(office, case)
    yield ours
    await finished(office, case, ours)


@pytest.fixture(scope="module")
async def tokens(office: Office, turn: dict[str, Any]) -> Mapping[str, str]:
    secrets = office.stack["secrets"]
    clerk = await office.sign_in("emma.lind")
    desk = {"grant_type": "client_credentials", "client_id": "desk", "client_secret": secrets["desk_client"]}
    return {
        "nothing": "",
        "a clerk": clerk,
        "an auditor": await office.sign_in("kira.stone"),
        "the desk's account": await _issued(office, desk),
        "the ERP's stage": secrets["erp_stage"],
        "the desk's stage": secrets["desk_stage"],
        "an agent": await office.agent_token(),
        "a turn": turn["token"],
        "a clerk's refresh token": await _issued(office, PERSON, what="refresh_token"),
        **{f"a clerk's {how}": token for how, token in forged(clerk).items()},
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("credential", CREDENTIALS)
async def test_a_credential_opens_its_own_doors_alone(
    office: Office, tokens: Mapping[str, str], turn: dict[str, Any], credential: str, door: str
) -> None:
    where, method, path, body = DOORS[door]
    headers = {"Idempotency-Key": new_id()}
    if credential != "nothing":
        headers["Authorization"] = f"Bearer {tokens[credential]}"
    url = office.stack[where] + path.format(turn=turn["turn_id"], invoice=turn["invoice_id"])
    answer = await office.http.request(method, url, headers=headers, json=body)
    allowed = OPEN.get((credential, door))
    if allowed is not None:
        assert answer.status_code == allowed, answer.text
    else:
        assert answer.status_code in (401, 403), answer.text
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_turn_opens_no_other_turn(office: Office, turn: dict[str, Any]) -> None:
    path = f"/turns/{new_id()}/heartbeat"
    answer = await office.ask("agent_door", "POST", path, turn["token"], json={})
    assert answer.status_code in (401, 403, 404), answer.text


PERSON = {"grant_type": "password", "client_id": "harness", "username": "emma.lind", "password": PASSWORD}


async def _issued(office: Office, form: Mapping[str, str], *, what: str = "access_token") -> str:
    answer = await office.http.post(office.token_url, data=dict(form))
    assert answer.status_code == 200, answer.text
    return str(answer.json()[what])
