"""Signing in at the issuer's page: authorization code with PKCE, and signing out."""

from typing import Any

import httpx
import jwt
import pytest
from tests.support.signing_in import CALLBACK, VERIFIER, Oidc, any_form, challenge, login_form, oidc, parameters


async def signed_in(issuer: Oidc, username: str = "anna.keller") -> dict[str, Any]:
    back = parameters(await issuer.sign_in(username))
    answer = await issuer.redeem(back["code"])
    assert answer.status_code == 200, answer.text
    tokens: dict[str, Any] = answer.json()
    return tokens


async def test_a_person_signs_in_and_the_workbench_gets_tokens(issuer: Oidc) -> None:
    answer = await issuer.sign_in("anna.keller")
    assert answer.headers["location"].startswith(CALLBACK + "?")
    back = parameters(answer)
    assert back["state"] == "a-state"
    assert back["iss"] == issuer.about["issuer"]
    tokens = (await issuer.redeem(back["code"])).json()
    about = jwt.decode(tokens["id_token"], options={"verify_signature": False})
    assert about["nonce"] == "a-nonce"
    assert about["aud"] == "workbench"
    assert about["preferred_username"] == "anna.keller"
    access = jwt.decode(tokens["access_token"], options={"verify_signature": False})
    assert set(access["aud"]) == {"desk", "erp"}
    assert access["azp"] == "workbench"
    assert access["realm_access"]["roles"] == ["buyer"]
    assert access["auth_time"] == about["auth_time"]
    assert access["sub"] == about["sub"]


async def test_a_wrong_password_shows_the_page_again_and_the_right_one_then_works(issuer: Oidc) -> None:
    again = await issuer.sign_in("anna.keller", "wrong")
    assert again.status_code == 200
    assert "nvalid" in again.text
    form = login_form(again)
    assert "wrong" not in again.text
    answer = await issuer.http.post(
        form.action, data=form.filled(username="anna.keller", password="deskworld-loopback")
    )
    assert parameters(answer)["code"]


async def test_what_was_typed_is_shown_as_text(issuer: Oidc) -> None:
    again = await issuer.sign_in('"><script>alert(1)</script>', "wrong")
    assert "<script>alert(1)" not in again.text


async def test_the_page_takes_nothing_from_elsewhere_and_stands_in_no_frame(issuer: Oidc) -> None:
    page = await issuer.ask()
    assert "frame-ancestors" in page.headers["content-security-policy"]
    cookies = page.headers.get_list("set-cookie")
    assert cookies
    assert all("httponly" in cookie.lower() for cookie in cookies if cookie.startswith("AUTH_SESSION_ID="))


async def test_a_code_is_good_once(issuer: Oidc) -> None:
    code = parameters(await issuer.sign_in("anna.keller"))["code"]
    first = await issuer.redeem(code)
    assert first.status_code == 200
    second = await issuer.redeem(code)
    assert (second.status_code, second.json()["error"]) == (400, "invalid_grant")
    refresh = {"grant_type": "refresh_token", "client_id": "workbench", "refresh_token": first.json()["refresh_token"]}
    assert (await issuer.token(**refresh)).status_code == 400, "a replayed code ends what it gave"


@pytest.mark.parametrize(
    "changed",
    [
        {"code_verifier": VERIFIER[:-1] + "A"},
        {"code_verifier": ""},
        {"code_verifier": challenge()},
        {"redirect_uri": CALLBACK + "/"},
        {"redirect_uri": "http://127.0.0.1:54322/callback"},
    ],
)
async def test_a_code_is_good_only_with_its_verifier_and_its_address(issuer: Oidc, changed: dict[str, str]) -> None:
    code = parameters(await issuer.sign_in("anna.keller"))["code"]
    answer = await issuer.redeem(code, **changed)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant"), answer.text


async def test_another_client_cannot_redeem_the_code(stack: dict[str, Any], issuer: Oidc) -> None:
    code = parameters(await issuer.sign_in("anna.keller"))["code"]
    for client in ({"client_id": "harness"}, {"client_id": "agent", "client_secret": stack["secrets"]["agent_client"]}):
        answer = await issuer.redeem(code, **client)
        assert answer.status_code in (400, 401)
        assert "access_token" not in answer.text


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"response_type": "telepathy"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": "openid moon"}, "invalid_scope"),
        ({"prompt": "none"}, "login_required"),
    ],
)
async def test_a_request_that_lacks_something_goes_back_with_the_reason(
    issuer: Oidc, changed: dict[str, str | None], error: str
) -> None:
    answer = await issuer.ask(**changed)
    back = parameters(answer)
    assert back["error"] == error, back
    assert back["state"] == "a-state"
    assert "code" not in back


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1.evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1:80@evil.example/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": None},
        {"client_id": "stranger"},
    ],
)
async def test_nobody_is_sent_to_an_address_that_the_client_does_not_own(
    issuer: Oidc, changed: dict[str, str | None]
) -> None:
    answer = await issuer.ask(**changed)
    assert answer.status_code == 400
    assert "location" not in answer.headers


async def test_the_harness_cannot_use_the_page(issuer: Oidc) -> None:
    answer = await issuer.ask(client_id="harness")
    assert answer.status_code == 400 or parameters(answer).get("error") == "unauthorized_client"


async def test_who_is_signed_in_is_not_asked_again_and_can_be(issuer: Oidc) -> None:
    await issuer.sign_in("anna.keller")
    assert parameters(await issuer.ask())["code"]
    assert parameters(await issuer.ask(prompt="none"))["code"]
    assert login_form(await issuer.ask(prompt="login"))


async def test_another_browser_cannot_finish_a_sign_in(stack: dict[str, Any], issuer: Oidc) -> None:
    """Login cross-site request forgery: the form works only in the browser that asked for it."""
    form = login_form(await issuer.ask())
    async with httpx.AsyncClient(timeout=15, trust_env=False) as other:
        filled = form.filled(username="anna.keller", password="deskworld-loopback")
        answer = await other.post(form.action, data=filled)
    assert answer.status_code == 400
    assert "location" not in answer.headers


async def test_signing_out_with_the_id_token_ends_the_session(issuer: Oidc) -> None:
    tokens = await signed_in(issuer)
    sent = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": "http://127.0.0.1:54321/", "state": "bye"}
    answer = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
    assert answer.headers["location"].startswith("http://127.0.0.1:54321/")
    assert parameters(answer)["state"] == "bye"
    refresh = {"grant_type": "refresh_token", "client_id": "workbench", "refresh_token": tokens["refresh_token"]}
    gone = await issuer.token(**refresh)
    assert (gone.status_code, gone.json()["error"]) == (400, "invalid_grant")
    assert login_form(await issuer.ask()), "the browser is signed out as well"


async def test_signing_out_never_leads_to_a_strange_address(issuer: Oidc) -> None:
    tokens = await signed_in(issuer)
    sent = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": "https://evil.example/"}
    answer = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
    assert answer.status_code == 400
    assert "location" not in answer.headers


async def test_signing_out_without_a_hint_asks_first(issuer: Oidc) -> None:
    tokens = await signed_in(issuer)
    page = await issuer.http.get(issuer.about["end_session_endpoint"])
    refresh = {"grant_type": "refresh_token", "client_id": "workbench", "refresh_token": tokens["refresh_token"]}
    still = await issuer.token(**refresh)
    assert still.status_code == 200, "a link that somebody else made signs nobody out"
    form = any_form(page)
    await issuer.http.post(form.action, data=dict(form.fields))
    assert (await issuer.token(**{**refresh, "refresh_token": still.json()["refresh_token"]})).status_code == 400


async def test_signing_out_with_the_refresh_token_ends_the_session(
    stack: dict[str, Any], http: httpx.AsyncClient
) -> None:
    issuer = await oidc(http, stack["issuer"])
    tokens = (await issuer.password("emma.lind", scope="openid")).json()
    form = {"client_id": "harness", "refresh_token": tokens["refresh_token"]}
    assert (await http.post(issuer.about["end_session_endpoint"], data=form)).status_code == 204
    assert (await issuer.token(grant_type="refresh_token", **form)).status_code == 400
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401
