"""Commands by key: once each, whoever asks how often; what is kept under a key, how long, and what is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.erp import RunningErp, invoice, line, new_database, run_sql, running, situation

from deskworld_kit.ids import new_id
from deskworld_kit.rates import Rates

DEAR = [line(price="10.40")]
JSON = {"Content-Type": "application/json"}


async def test_the_same_request_gets_the_same_answer_byte_for_byte(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, exception = await seeded.invoice(), seeded.exception("PRICE_VARIANCE")
    key = new_id()
    answers = [
        await erp.send("hold", found, by="emma.lind", key=key, exception_id=exception, comment="why") for _ in range(3)
    ]
    assert {(one.status_code, one.content) for one in answers} == {(200, answers[0].content)}
    assert (await seeded.invoice())["version"] == 2
    assert await erp.get(f"/commands/{key}") == {
        "key": key,
        "outcome": "applied",
        "version": 2,
        "answer": answers[0].json(),
    }


async def test_another_request_under_the_same_key_is_refused(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, exception, key = await seeded.invoice(), seeded.exception("PRICE_VARIANCE"), new_id()
    await erp.send("hold", found, by="emma.lind", key=key, exception_id=exception)
    other = await erp.send("reject", found, by="grace.hall", key=key)
    assert other.status_code == 409  # another caller's key is another key: stale, for the hold came first
    again = await erp.send("hold", found, by="emma.lind", key=key, exception_id=exception, comment="other words")
    assert (again.status_code, again.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


async def test_a_refusal_is_kept_under_its_key_and_a_stale_version_is_not(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, key = await seeded.invoice(), new_id()
    refused = await erp.send("approve-variance", found, by="anna.keller", key=key)
    assert (refused.status_code, refused.json()["code"]) == (422, "EXCEPTION_OPEN")
    assert refused.headers["content-type"] == "application/problem+json"
    assert await erp.get(f"/commands/{key}") == {"key": key, "outcome": "refused", "code": "EXCEPTION_OPEN"}
    again = await erp.send("approve-variance", found, by="anna.keller", key=key)
    assert again.content == refused.content

    stale_key = new_id()
    stale = await erp.send("reject", found | {"version": 7}, by="grace.hall", key=stale_key)
    assert (stale.status_code, stale.json()["code"]) == (409, "STALE_VERSION")
    assert stale.json()["values"] == {"expected_version": 7, "current_version": 1}
    assert await erp.get(f"/commands/{stale_key}") == {"key": stale_key, "outcome": "unknown"}
    done = await erp.send("reject", found, by="grace.hall", key=stale_key)
    assert done.status_code == 200


async def test_what_is_malformed_is_said_before_the_key_is_looked_at_and_is_kept_under_a_new_one(
    erp: RunningErp,
) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, key = await seeded.invoice(), new_id()
    malformed = await erp.send("short-pay", found, by="grace.hall", key=key, amount="1e3")
    assert (malformed.status_code, malformed.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await erp.get(f"/commands/{key}"))["code"] == "INVALID_REQUEST"
    mended = await erp.send("short-pay", found, by="grace.hall", key=key, amount="1000.00")
    assert (mended.status_code, mended.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    worse = await erp.send("short-pay", found, by="grace.hall", key=key, amount="1e4")
    assert (worse.status_code, worse.json()["code"]) == (400, "INVALID_REQUEST")
    again = await erp.send("short-pay", found, by="grace.hall", key=key, amount="1e3")
    assert again.content == malformed.content
    assert (await seeded.invoice())["version"] == 1


@pytest.mark.parametrize(("days", "kept"), [(29, True), (31, False)])
async def test_a_key_is_kept_for_thirty_days(erp: RunningErp, days: int, kept: bool) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    found, key, exception = await seeded.invoice(), new_id(), seeded.exception("PRICE_VARIANCE")
    held = await erp.send("hold", found, by="emma.lind", key=key, exception_id=exception)
    aged = f"UPDATE commands SET at = at - interval '{days} days' WHERE key = '{key}'"
    await run_sql(erp.home, aged, database_name=erp.database_name)
    again = await erp.send("hold", found, by="emma.lind", key=key, exception_id=exception)
    known = (await erp.get(f"/commands/{key}"))["outcome"]
    if kept:
        assert (again.content, known) == (held.content, "applied")
    else:
        assert (again.json()["code"], known) == ("STALE_VERSION", "unknown")


async def test_an_unknown_invoice_is_refused_for_good_under_its_key(erp: RunningErp) -> None:
    key, nowhere = new_id(), {"id": new_id(), "version": 1}
    first = await erp.send("reject", nowhere, by="grace.hall", key=key)
    again = await erp.send("reject", nowhere, by="grace.hall", key=key)
    assert (first.status_code, again.content) == (404, first.content)
    assert await erp.get(f"/commands/{key}") == {"key": key, "outcome": "refused", "code": "NOT_FOUND"}


async def test_a_caller_who_asks_too_much_is_told_when_to_come_back_and_nothing_is_kept(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "limited")
    async with running(erp_postgres, "limited", rates=Rates(per_second=0.5, burst=3)) as erp:
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        found, key = await erp.get(f"/invoices/{seeded.record('invoice')['id']}", by="grace.hall"), new_id()
        for _ in range(2):
            await erp.get(f"/invoices/{found['id']}", by="grace.hall")
        limited = await erp.send("reject", found, by="grace.hall", key=key)
        assert (limited.status_code, limited.json()["code"]) == (429, "RATE_LIMITED")
        assert int(limited.headers["retry-after"]) in (1, 2)
        assert await erp.get(f"/commands/{key}", by="desk") == {"key": key, "outcome": "unknown"}
        assert (await erp.send("reject", found, by="hugo.silva", key=key)).status_code == 200


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("hold", {"expected_version": 1}),
        ("short-pay", {"expected_version": 1}),
        ("short-pay", {"expected_version": 1, "amount": "1e3"}),
        ("short-pay", {"expected_version": 1, "amount": 10.5}),
        ("short-pay", {"expected_version": 1, "amount": "1.001"}),
        ("reject", {"expected_version": "1"}),
        ("reject", {"expected_version": True}),
        ("reject", {"expected_version": 0}),
        ("reject", {}),
        ("reject", []),
        ("reject", {"expected_version": 1, "unknown": 1}),
        ("reject", {"expected_version": 1, "comment": "a\u0000b"}),
        ("clear-duplicate", {"expected_version": 1, "comment": " "}),
        ("assign-po", {"expected_version": 1}),
        ("release-hold", {"expected_version": 1}),
    ],
)
async def test_a_malformed_command_is_refused_and_says_what_is_wrong(erp: RunningErp, action: str, body: Any) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    headers = erp.headers("ines.vogel") | JSON | {"Idempotency-Key": new_id()}
    path = f"/invoices/{seeded.record('invoice')['id']}/{action}"
    answer = await erp.office.post(path, content=json.dumps(body).encode(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await seeded.invoice())["version"] == 1


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"expected_version": NaN}', b"[" * 100_000, b"1e999"])
async def test_what_is_no_json_is_refused(erp: RunningErp, body: bytes) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    headers = erp.headers("ines.vogel") | JSON | {"Idempotency-Key": new_id()}
    answer = await erp.office.post(f"/invoices/{seeded.record('invoice')['id']}/reject", content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("key", [None, "", "k" * 256, "tab\there"])
async def test_a_command_needs_a_key(erp: RunningErp, key: str | None) -> None:
    seeded = await erp.seed(situation(invoice(lines=DEAR)))
    headers = erp.headers("ines.vogel") | ({} if key is None else {"Idempotency-Key": key})
    path = f"/invoices/{seeded.record('invoice')['id']}/reject"
    answer = await erp.office.post(path, json={"expected_version": 1}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
