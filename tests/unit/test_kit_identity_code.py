"""The code flow's side of the desk: what a browser brings back is checked before anything of it is believed."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.kit import NAME, Issuer
from tests.support.signing_in import challenge
from tests.support.tokenhouse import Tokenhouse

from deskworld_kit.identity_code import CodeFlow, Pending, ProviderUnavailable, SessionEnded, SignInFailed, Tokens

BACK = "http://desk.test/workbench/callback"


def begun(house: Tokenhouse) -> tuple[CodeFlow, dict[str, str], Pending, dict[str, str]]:
    """The flow, what the browser was sent with, what was kept, and an honest answer to it."""
    flow = house.flow()
    address, pending = flow.begin(BACK)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    house.nonce = asked["nonce"]
    return flow, asked, pending, {"state": asked["state"], "iss": NAME, "code": "the-code"}


async def test_a_sign_in_asks_for_a_code_with_a_challenge_and_redeems_it_with_the_verifier() -> None:
    house = Tokenhouse(Issuer())
    flow, asked, pending, back = begun(house)
    assert asked["response_type"] == "code"
    assert (asked["client_id"], asked["redirect_uri"], asked["scope"]) == ("workbench", BACK, "openid")
    assert (asked["code_challenge_method"], asked["code_challenge"]) == ("S256", challenge(pending.verifier))
    assert pending.verifier not in asked.values(), "whoever sees the browser's address cannot redeem the code"
    assert (await flow.redeem(back, pending, BACK)).refresh == "r"
    assert house.forms == [
        {
            "grant_type": "authorization_code",
            "code": "the-code",
            "redirect_uri": BACK,
            "code_verifier": pending.verifier,
            "client_id": "workbench",
        }
    ]


def test_no_two_sign_ins_are_alike() -> None:
    flow = Tokenhouse(Issuer()).flow()
    made = [flow.begin(BACK)[1] for _ in range(50)]
    assert len({one.state for one in made} | {one.nonce for one in made} | {one.verifier for one in made}) == 150
    assert all(43 <= len(one.verifier) <= 128 for one in made)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"state": "another"}, "another sign-in"),
        ({"state": ""}, "another sign-in"),
        ({"iss": "http://issuer.test/realms/other"}, "another issuer"),
        ({"error": "access_denied", "error_description": "The person said no."}, "The person said no."),
        ({"error": "server_error"}, "server_error"),
        ({"code": ""}, "no code"),
    ],
)
async def test_an_answer_to_something_else_is_not_redeemed(changed: dict[str, str], why: str) -> None:
    house = Tokenhouse(Issuer())
    flow, _, pending, back = begun(house)
    with pytest.raises(SignInFailed, match=why):
        await flow.redeem(back | changed, pending, BACK)
    assert house.forms == []


@pytest.mark.parametrize(
    "changed",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "desk"},
        {"iss": "http://x"},
        {"lives": -60},
        {"signed_by": "forger"},
    ],
    ids=str,
)
async def test_an_id_token_made_for_something_else_signs_nobody_in(changed: dict[str, Any]) -> None:
    house = Tokenhouse(Issuer())
    flow, _, pending, back = begun(house)
    house.changed = changed
    with pytest.raises(SignInFailed):
        await flow.redeem(back, pending, BACK)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((400, {"error": "invalid_grant", "error_description": "Code not valid"}), SignInFailed),
        ((400, {"error": "invalid_request"}), ProviderUnavailable),
        ((401, {"error": "unauthorized_client"}), ProviderUnavailable),
        ((500, {}), ProviderUnavailable),
        ((200, {}), ProviderUnavailable),
        ((200, []), ProviderUnavailable),
        ((200, {"access_token": "a", "refresh_token": "r", "expires_in": "soon"}), ProviderUnavailable),
    ],
)
async def test_a_refused_code_is_told_apart_from_a_provider_that_is_unwell(
    answer: tuple[int, Any], error: type[Exception]
) -> None:
    house = Tokenhouse(Issuer())
    flow, _, pending, back = begun(house)
    house.answer = answer
    with pytest.raises(error):
        await flow.redeem(back, pending, BACK)


async def test_a_session_that_the_provider_ended_is_told_apart_from_a_provider_that_is_away() -> None:
    house = Tokenhouse(Issuer())
    flow, before = house.flow(), Tokens("a", 0.0, "r", "i")
    house.answer = (200, {"access_token": "b", "refresh_token": "s", "expires_in": 900})
    after = await flow.refresh(before)
    assert (after.access, after.refresh, after.id_token) == ("b", "s", "i")
    house.answer = (400, {"error": "invalid_grant", "error_description": "Session not active"})
    with pytest.raises(SessionEnded, match="Session not active"):
        await flow.refresh(before)
    house.answer = (503, {})
    with pytest.raises(ProviderUnavailable):
        await flow.refresh(before)


@pytest.mark.parametrize("id_token", ["an-id-token", ""])
def test_signing_out_leads_to_the_provider_and_back(id_token: str) -> None:
    address = Tokenhouse(Issuer()).flow().sign_out(id_token, "http://desk.test/workbench/signed-out")
    assert address.startswith(f"{NAME}/logout?")
    sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    hint = {"id_token_hint": id_token} if id_token else {}
    assert sent == {
        **hint, "client_id": "workbench", "post_logout_redirect_uri": "http://desk.test/workbench/signed-out",
    }  # fmt: skip
