"""The desk says what of the things that it needs is not there; nothing of it stops, and it is well again by itself."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support.desk import WITHIN, Company
from tests.support.erp import run_sql

from deskworld_kit import clock

pytestmark = pytest.mark.slow
PARTS = {"database", "erp", "identity", "policy", "mailbox", "submission"}


async def health(company: Company, door: str = "office") -> tuple[int, Mapping[str, str]]:
    answer = await company.http.get(f"{company.desk.url(door)}/health")
    said: dict[str, Any] = answer.json()
    assert (answer.status_code == 200) == (said["status"] == "ok")
    return answer.status_code, said["checks"]


async def until_unwell(company: Company, *parts: str) -> Mapping[str, str]:
    """The words of exactly these parts."""
    wrong: Mapping[str, str] | None = None
    try:
        async with asyncio.timeout(WITHIN):
            while wrong is None or set(wrong) != set(parts):
                _, checks = await health(company)
                assert set(checks) == PARTS
                wrong = {part: words for part, words in checks.items() if words != "ok"}
                await clock.pause(0.05)
    except TimeoutError:
        raise AssertionError(f"awaited {parts or 'all to be well'} for {WITHIN} s; last seen {wrong}") from None
    return wrong


async def test_without_the_policy_it_says_that_nothing_is_decided(company: Company) -> None:
    company.policy.kill()
    try:
        wrong = await until_unwell(company, "policy")
        assert wrong["policy"].startswith("the policy of ap gives no decision: ")
    finally:
        company.policy.start()
    await until_unwell(company)


async def test_without_the_erp_it_says_so(company: Company) -> None:
    company.erp.kill()
    try:
        wrong = await until_unwell(company, "erp")
        assert wrong["erp"].startswith("the ERP cannot be had: ")
    finally:
        await asyncio.to_thread(company.erp.start)
    await until_unwell(company)


async def test_without_the_mail_server_it_neither_hears_nor_sends(company: Company) -> None:
    company.mail.kill()
    try:
        wrong = await until_unwell(company, "mailbox", "submission")
        assert wrong["mailbox"].startswith("nobody listens to the mailbox: ")
        assert wrong["submission"].startswith("mail server ")
    finally:
        company.mail.start()
    await until_unwell(company)


async def test_without_its_database_it_says_so_and_every_door_is_503(company: Company) -> None:
    shut = ("ALTER ROLE desk_service NOLOGIN", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE usename = 'desk_service'")  # fmt: skip
    await run_sql(company.home, *shut)
    try:
        wrong = await until_unwell(company, "database")
        assert "not permitted to log in" in wrong["database"]
        assert [(await health(company, door))[0] for door in ("office", "stage", "agent")] == [503, 503, 503]
    finally:
        await run_sql(company.home, "ALTER ROLE desk_service LOGIN")
    await until_unwell(company)
