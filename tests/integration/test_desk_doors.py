"""The three doors of the desk: each says whether it is well and what it takes, and none takes another's credential."""

import json

import pytest
from tests.support.desk import STAGE, WEBHOOK, Company

from deskworld_kit import webhooks
from deskworld_kit.clock import now

DOORS = ("office", "stage", "agent")


@pytest.mark.parametrize("door", DOORS)
async def test_every_door_says_whether_it_is_well(company: Company, door: str) -> None:
    answer = await company.http.get(f"{company.desk.url(door)}/health")
    parts = ("database", "erp", "identity", "policy", "mailbox", "submission")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "checks": dict.fromkeys(parts, "ok")})


@pytest.mark.parametrize("door", DOORS)
async def test_every_door_says_what_it_takes(company: Company, door: str) -> None:
    answer = await company.http.get(f"{company.desk.url(door)}/openapi.json")
    assert answer.status_code == 200
    operations = [one for path in answer.json()["paths"].values() for one in path.values()]
    assert operations
    assert all(one["responses"] for one in operations)


@pytest.mark.parametrize(
    ("door", "path"), [("office", "/worklist"), ("stage", "/stage/open-cases"), ("office", "/cases/x")]
)
async def test_nothing_is_told_without_a_credential(company: Company, door: str, path: str) -> None:
    answer = await company.http.get(company.desk.url(door) + path)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


async def test_the_stage_secret_opens_no_office_door(company: Company) -> None:
    assert (await company.ask("desk", "GET", "/worklist", by=STAGE)).status_code == 401


async def test_a_service_account_is_nobody_at_the_workbench(company: Company) -> None:
    form = {"grant_type": "client_credentials", "client_id": "desk", "client_secret": "desk-loopback-secret"}
    answer = await company.http.post(f"{company.issuer}/protocol/openid-connect/token", data=form)
    token = answer.json()["access_token"]
    assert (await company.ask("desk", "GET", "/worklist", by=token)).status_code == 401


@pytest.mark.parametrize("case", ["unsigned", "another secret", "too old", "another id", "no event"])
async def test_the_hook_takes_only_what_the_erp_signed(company: Company, case: str) -> None:
    event = {"id": "e-1", "type": "deskworld.erp.receipt.posted", "subject": "r", "data": {}}
    body = b"{}" if case == "no event" else json.dumps(event).encode()
    stamp = int(now().timestamp()) - (600 if case == "too old" else 0)
    secret = "another" if case == "another secret" else WEBHOOK
    name = "e-2" if case == "another id" else "e-1"
    headers = {"webhook-id": name, "webhook-timestamp": str(stamp), "content-type": "application/cloudevents+json"}
    if case != "unsigned":
        headers["webhook-signature"] = webhooks.sign(secret, name, stamp, body)
    answer = await company.http.post(f"{company.desk.url('office')}/hooks/erp", content=body, headers=headers)
    assert answer.status_code == (400 if case in {"another id", "no event"} else 401)


async def test_what_is_not_there_is_not_found(company: Company) -> None:
    for path in ("/cases/nobody", "/cases/nobody/timeline", "/decisions/nobody"):
        assert (await company.ask("desk", "GET", path, by="anna.keller")).status_code == 404, path
    assert (await company.decide("nobody", "anna.keller", verdict="approve")).status_code == 404
    answer = await company.ask("desk", "POST", "/questions/nobody/answer", by="anna.keller", json={"text": "Yes."})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "body",
    [{}, {"verdict": "maybe"}, {"verdict": "approve", "reason": "PAY_PO_PRICE"}, {"verdict": "approve", "more": 1},
     {"verdict": "decline", "words": ""}, {"verdict": "decline", "words": "NUL \x00"}],
)  # fmt: skip
async def test_a_decision_that_says_nothing_clear_is_refused(company: Company, body: dict[str, object]) -> None:
    answer = await company.ask("desk", "POST", "/decisions/any", by="anna.keller", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
