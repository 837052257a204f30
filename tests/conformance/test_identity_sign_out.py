"""Signing out as the workbench does it: OpenID Connect RP-Initiated Logout 1.0."""

from typing import Any

import pytest
from tests.support.signing_in import Oidc, any_form, browser, login_form, oidc, parameters

WORKBENCH = "http://127.0.0.1:54321/workbench/signed-out"


async def signed_in(issuer: Oidc) -> dict[str, Any]:
    back = parameters(await issuer.sign_in("anna.keller"))
    tokens: dict[str, Any] = (await issuer.redeem(back["code"])).json()
    return tokens


async def refreshed(issuer: Oidc, tokens: dict[str, Any]) -> tuple[int, str]:
    form = {"grant_type": "refresh_token", "client_id": "workbench", "refresh_token": tokens["refresh_token"]}
    answer = await issuer.token(**form)
    return answer.status_code, str(answer.json().get("error", ""))


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("state", [None, "a-state"])
async def test_the_browser_comes_back_to_the_workbench_and_the_refresh_token_is_dead(
    issuer: Oidc, method: str, state: str | None
) -> None:
    tokens = await signed_in(issuer)
    assert await refreshed(issuer, tokens) == (200, "")
    sent = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": WORKBENCH, "client_id": "workbench"}
    sent |= {} if state is None else {"state": state}
    address = issuer.about["end_session_endpoint"]
    carried = {"params": sent} if method == "GET" else {"data": sent}
    answer = await issuer.http.request(method, address, **carried)  # type: ignore[arg-type]
    assert answer.headers["location"].partition("?")[0] == WORKBENCH
    assert parameters(answer).get("state") == state
    assert await refreshed(issuer, tokens) == (400, "invalid_grant")
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert (await issuer.http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401
    assert login_form(await issuer.ask()), "the next sign-in asks for the password"


async def test_signing_out_twice_leads_back_as_well(issuer: Oidc) -> None:
    tokens = await signed_in(issuer)
    sent = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": WORKBENCH, "client_id": "workbench"}
    for _ in range(2):
        answer = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
        assert answer.headers["location"].partition("?")[0] == WORKBENCH


@pytest.mark.parametrize(
    "changed", [{"id_token_hint": "no.such.token"}, {"client_id": "harness"}, {"client_id": "stranger"}]
)
async def test_a_hint_that_does_not_hold_signs_nobody_out(issuer: Oidc, changed: dict[str, str]) -> None:
    tokens = await signed_in(issuer)
    sent = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": WORKBENCH, "client_id": "workbench"}
    answer = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent | changed)
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert await refreshed(issuer, tokens) == (200, "")


async def test_an_access_token_is_no_hint(issuer: Oidc) -> None:
    tokens = await signed_in(issuer)
    sent = {"id_token_hint": tokens["access_token"], "post_logout_redirect_uri": WORKBENCH}
    answer = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
    assert answer.status_code == 400
    assert await refreshed(issuer, tokens) == (200, "")


async def test_signing_one_browser_out_leaves_another_one_signed_in(stack: dict[str, Any], issuer: Oidc) -> None:
    first = await signed_in(issuer)
    async with browser() as other:
        elsewhere = await oidc(other, stack["issuer"])
        second = await signed_in(elsewhere)
        sent = {"id_token_hint": first["id_token"], "post_logout_redirect_uri": WORKBENCH, "client_id": "workbench"}
        await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
        assert await refreshed(issuer, first) == (400, "invalid_grant")
        assert await refreshed(elsewhere, second) == (200, "")


async def test_a_hint_of_another_session_than_the_browsers_own_asks_first(issuer: Oidc) -> None:
    first = await signed_in(issuer)
    issuer.http.cookies.clear()
    second = await signed_in(issuer)
    sent = {"id_token_hint": first["id_token"], "post_logout_redirect_uri": WORKBENCH, "client_id": "workbench"}
    page = await issuer.http.get(issuer.about["end_session_endpoint"], params=sent)
    assert any_form(page).fields
    assert await refreshed(issuer, first) == (200, "")
    assert await refreshed(issuer, second) == (200, "")
