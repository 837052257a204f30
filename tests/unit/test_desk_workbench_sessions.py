"""A session at the workbench: how long it lasts, what the browser keeps, and what the issuer's changes do to it."""

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.support.kit import NAME, Issuer
from tests.support.tokenhouse import Tokenhouse

from deskworld_desk.workbench.pages.asked import SignInNeeded
from deskworld_desk.workbench.pages.sessions import SESSION_SECONDS, Sessions
from deskworld_kit import clock
from deskworld_kit.identity_seal import Seal
from deskworld_kit.problems import Problem

SECRET, URL = "s3cret", "http://desk.test"


class Browser:
    """Cookies, and one stack's workbench."""

    def __init__(self, *, url: str = URL, **realm: Any) -> None:
        self.issuer = Issuer()
        self.house = Tokenhouse(self.issuer)
        self.house.access = lambda: self.issuer.token(kid=self.issuer.kids[-1], aud=["desk", "erp"], **realm)
        self.verifier = self.issuer.verifier(audience="desk")
        self.url = url
        self.sessions = self.restarted()
        self.cookies: dict[str, str] = {}
        self.flags: dict[str, str] = {}

    def restarted(self) -> Sessions:
        """As after a restart: with nothing in memory."""
        return Sessions(self.house.flow(), self.verifier, secret=SECRET, issuer=NAME, public_url=self.url)

    def request(self, path: str = "/workbench/", **query: str) -> Request:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items()).encode()
        scope = {"type": "http", "method": "GET", "path": path, "query_string": urlencode(query).encode()}
        return Request({**scope, "headers": [(b"cookie", cookies)] if cookies else []})

    def keep(self, response: Response) -> None:
        for header in response.headers.getlist("set-cookie"):
            name, _, rest = header.partition("=")
            self.cookies[name], _, self.flags[name] = rest.partition(";")

    async def sign_in(self) -> None:
        response = Response()
        address, name, cookie = self.sessions.begin("/workbench/")
        self.sessions.set_pending(response, name, cookie)
        self.keep(response)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        self.house.nonce = asked["nonce"]
        _, pending, session = await self.sessions.finish(self.request(state=asked["state"], iss=NAME, code="c"))
        response = Response()
        self.sessions.set_session(response, session)
        self.keep(response)
        self.cookies.pop(pending)

    async def visit(self) -> Any:
        visitor = await self.sessions.visitor(self.request())
        if visitor.cookie is not None:
            response = Response()
            self.sessions.set_session(response, visitor.cookie)
            self.keep(response)
        return visitor

    async def asked_to_sign_in(self) -> SignInNeeded:
        with pytest.raises(SignInNeeded) as caught:
            await self.visit()
        return caught.value


async def test_a_token_is_used_until_a_minute_before_its_end_and_then_another_is_fetched() -> None:
    anna = Browser()
    await anna.sign_in()
    for _ in range(3):
        assert (await anna.visit()).who.username == "anna.keller"
    assert anna.house.given == 1
    anna.house.lives = 59
    anna.sessions = anna.restarted()
    await anna.visit()
    await anna.visit()
    assert anna.house.given == 3
    assert anna.house.forms[-1] == {"grant_type": "refresh_token", "refresh_token": "r", "client_id": "workbench"}


async def test_many_requests_at_once_fetch_one_token() -> None:
    anna = Browser()
    await anna.sign_in()
    anna.sessions = anna.restarted()
    await asyncio.gather(*(anna.visit() for _ in range(20)))
    assert anna.house.given == 2


async def test_the_browser_learns_of_a_refresh_token_that_is_good_for_one_use() -> None:
    anna = Browser()
    anna.house.refresh = lambda: f"r-{anna.house.given}"
    await anna.sign_in()
    assert (await anna.visit()).cookie is None
    anna.sessions = anna.restarted()
    assert (await anna.visit()).cookie is not None
    assert (await anna.visit()).cookie is None
    anna.sessions = anna.restarted()
    await anna.visit()
    assert [form["refresh_token"] for form in anna.house.forms[1:]] == ["r-1", "r-2"]


async def test_a_session_that_the_issuer_ended_asks_to_sign_in_again() -> None:
    anna = Browser()
    await anna.sign_in()
    anna.sessions = anna.restarted()
    anna.house.answer = (400, {"error": "invalid_grant", "error_description": "Session not active"})
    assert (await anna.asked_to_sign_in()).ended


@pytest.mark.parametrize("answer", [(503, {}), (200, {}), (401, {"error": "unauthorized_client"})])
async def test_an_issuer_that_is_away_signs_nobody_out(answer: tuple[int, Any]) -> None:
    anna = Browser()
    await anna.sign_in()
    anna.sessions = anna.restarted()
    anna.house.answer = answer
    with pytest.raises(Problem) as caught:
        await anna.visit()
    assert (caught.value.status, caught.value.code) == (503, "UNAVAILABLE")
    anna.house.answer = None
    assert (await anna.visit()).who.username == "anna.keller"


async def test_a_session_goes_on_when_the_issuer_changes_its_keys() -> None:
    anna = Browser()
    await anna.sign_in()
    await anna.visit()
    anna.issuer.kids = ["second"]
    anna.issuer.time += 60
    assert (await anna.visit()).who.username == "anna.keller"
    assert anna.house.given == 2, "the token of the withdrawn key was replaced"


async def test_a_session_ends_when_no_token_of_the_issuer_holds_here() -> None:
    anna = Browser()
    await anna.sign_in()
    anna.sessions = anna.restarted()
    anna.house.access = lambda: anna.issuer.token(aud="erp")
    await anna.asked_to_sign_in()


async def test_a_working_day_is_the_longest_session() -> None:
    anna = Browser()
    await anna.sign_in()
    ((name, cookie),) = anna.cookies.items()
    seal = Seal(SECRET, "workbench session")
    kept = seal.open(cookie, lasts=60)
    assert kept is not None
    for began, open_ in ((SESSION_SECONDS - 60, True), (SESSION_SECONDS, False)):
        anna.cookies[name] = seal.close({**kept, "began": int(clock.now().timestamp()) - began})
        if open_:
            assert await anna.visit()
        else:
            assert (await anna.asked_to_sign_in()).ended


async def test_after_signing_out_a_copy_of_the_cookie_opens_nothing() -> None:
    anna = Browser()
    await anna.sign_in()
    address = anna.sessions.end(await anna.visit())
    assert address.startswith(f"{NAME}/logout?id_token_hint=")
    assert parse_qs(urlsplit(address).query)["post_logout_redirect_uri"] == [f"{URL}/workbench/signed-out"]
    await anna.asked_to_sign_in()


async def test_a_cookie_of_another_stack_of_this_machine_is_neither_read_nor_overwritten() -> None:
    one, other = Browser(), Browser()
    other.sessions = Sessions(
        other.house.flow(), other.verifier, secret=SECRET, issuer="http://127.0.0.1:2/realms/deskworld", public_url=URL
    )
    await one.sign_in()
    await other.sign_in()
    assert set(one.cookies).isdisjoint(other.cookies)
    other.cookies = one.cookies
    assert not (await other.asked_to_sign_in()).ended


@pytest.mark.parametrize(("url", "secure"), [("http://desk.test", False), ("https://desk.test", True)])
async def test_cookies_travel_encrypted_where_the_workbench_is(url: str, *, secure: bool) -> None:
    anna = Browser(url=url)
    await anna.sign_in()
    assert all(("Secure" in flags) is secure for flags in anna.flags.values())
    assert all("HttpOnly" in flags and "SameSite=lax" in flags for flags in anna.flags.values())


async def test_two_tabs_can_sign_in_at_the_same_time() -> None:
    anna = Browser()
    names = set()
    for _ in range(2):
        _, name, _ = anna.sessions.begin("/workbench/")
        names.add(name)
    assert len(names) == 2


async def test_each_sign_in_is_another_session_with_another_secret_for_its_forms() -> None:
    anna, again = Browser(), Browser()
    await anna.sign_in()
    await again.sign_in()
    first, second = await anna.visit(), await again.visit()
    assert first.id != second.id
    assert first.csrf != second.csrf


async def test_an_account_without_a_role_is_known_for_nobody_of_the_company() -> None:
    somebody = Browser(realm_access={"roles": ["offline_access"]})
    await somebody.sign_in()
    assert not (await somebody.visit()).who.is_person


@pytest.mark.parametrize(("longer", "hinted"), [(10, True), (2_500, False)])
async def test_a_session_too_long_for_a_cookie_is_kept_without_what_only_signing_out_needs(
    longer: int, *, hinted: bool
) -> None:
    anna = Browser()
    anna.house.changed = {"name": "n" * longer}
    await anna.sign_in()
    assert all(len(cookie) < 4_000 for cookie in anna.cookies.values())
    anna.sessions = anna.restarted()
    anna.house.answer = (200, {"access_token": anna.house.access(), "refresh_token": "r", "expires_in": 900})
    address = anna.sessions.end(await anna.visit())
    assert ("id_token_hint" in address) is hinted
