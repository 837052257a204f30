"""What a browser is told when a page cannot be shown: a page again, with a true reason and the right status."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from sqlalchemy.exc import InterfaceError, OperationalError

from deskworld_desk.desk import Desk
from deskworld_desk.workbench.pages.app import pages
from deskworld_desk.workbench.pages.asked import SignInNeeded
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.render import Renderer
from deskworld_desk.workbench.pages.sessions import Sessions, Visitor
from deskworld_kit.identity import Principal
from deskworld_kit.problems import Problem

URL = "http://desk.test"
ANNA = Principal("7f0c", "anna.keller", "workbench", frozenset({"buyer"}))


class Doorkeeper:
    """Sessions of which one thing is known: who is there, or why nobody is."""

    def __init__(self, who: Principal | Exception) -> None:
        self._who = who

    async def visitor(self, _: object) -> Visitor:
        if isinstance(self._who, Exception):
            raise self._who
        return Visitor("id", self._who, "token", "csrf", "id-token")

    def begin(self, page: str) -> tuple[str, str, str]:
        raise AssertionError(page)


def asking(who: Principal | Exception, broken: Exception | None = None) -> httpx.AsyncClient:
    @asynccontextmanager
    async def transaction() -> AsyncIterator[Any]:
        raise broken or AssertionError("no page asked the database")
        yield

    desk = cast("Desk", SimpleNamespace(db=SimpleNamespace(transaction=transaction, snapshot=transaction)))
    bench = Workbench(
        desk, cast("Sessions", Doorkeeper(who)), Renderer(issuer="http://issuer.test/realms/deskworld"), URL
    )
    transport = httpx.ASGITransport(pages(bench), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=URL)


async def told(http: httpx.AsyncClient, method: str = "GET", path: str = "/", **options: Any) -> httpx.Response:
    async with http:
        answer = await http.request(method, path, **options)
    if answer.status_code != 303:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    return answer


async def test_an_issuer_that_is_away_is_said_to_be_and_signs_nobody_out() -> None:
    away = Problem(503, "UNAVAILABLE", "the identity provider cannot be asked who you are: it does not answer")
    answer = await told(asking(away))
    assert answer.status_code == 503
    assert "the identity provider cannot be asked who you are" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("error", [OperationalError("SELECT 1", {}, OSError("gone")), ConnectionResetError("gone")])
async def test_a_database_that_is_away_is_said_to_be(error: Exception) -> None:
    answer = await told(asking(ANNA, error))
    assert (answer.status_code, "database cannot be had" in answer.text) == (503, True)


@pytest.mark.parametrize("error", [KeyError("proposal"), InterfaceError("SELECT", {}, ValueError("a wrong argument"))])
async def test_a_fault_of_ours_is_no_outage_and_tells_nothing_of_its_inside(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await told(asking(ANNA, error))
    assert answer.status_code == 500
    assert "in the desk&#39;s log" in answer.text
    assert "proposal" not in answer.text
    assert "a page broke" in "".join(capsys.readouterr())


async def test_an_account_of_nobody_sees_nothing_and_can_sign_out() -> None:
    answer = await told(asking(Principal("1", "somebody", "workbench", frozenset({"offline_access"}))))
    assert answer.status_code == 403
    assert "somebody has none of the company&#39;s roles" in answer.text
    assert 'action="/workbench/sign-out"' in answer.text


async def test_who_is_not_signed_in_reads_after_signing_in_and_writes_nothing() -> None:
    answer = await told(asking(SignInNeeded(ended=False)), path="/cases/x?decided=y")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/workbench/sign-in?next=%2Fcases%2Fx%3Fdecided%3Dy",
    )
    answer = await told(asking(SignInNeeded(ended=True)), "POST", "/decisions/x", data={})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/moon", 404), ("POST", "/", 405), ("GET", "/cases/%00", 404)]
)
async def test_what_is_not_there_is_a_page_that_says_so(method: str, path: str, status: int) -> None:
    assert (await told(asking(ANNA), method, path)).status_code == status


@pytest.mark.parametrize("host", ["evil.example", "desk.test:81", "127.0.0.1", ""])
async def test_a_page_is_served_under_its_own_name_alone(host: str) -> None:
    answer = await told(asking(ANNA), path="/signed-out", headers={"Host": host})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{URL}/signed-out")
    assert (await told(asking(ANNA), "POST", "/sign-out", headers={"Host": host})).status_code == 400


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"csrf=" + b"x" * 70_000, 413), (b"csrf=csrf&csrf=csrf", 400), (b"csrf=%FF", 400), (b"\xff", 400),
     (b"&".join(b"a%d=1" % number for number in range(60)), 400), (b"", 403)],
)  # fmt: skip
async def test_a_form_that_cannot_be_read_is_refused_with_its_reason(content: bytes, status: int) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await told(asking(ANNA), "POST", "/decisions/x", content=content, headers=headers)).status_code == status
