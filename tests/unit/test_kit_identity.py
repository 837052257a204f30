import asyncio
from typing import Any

import jwt
import pytest
from tests.support.kit import Issuer

from deskworld_kit.identity import TokenVerifier
from deskworld_kit.problems import Problem


async def refused(verifier: TokenVerifier, token: str) -> Problem:
    with pytest.raises(Problem) as caught:
        await verifier.verify(token)
    return caught.value


async def test_a_buyers_token_names_the_buyer() -> None:
    issuer = Issuer()
    caller = await issuer.verifier().verify(issuer.token())
    assert (caller.subject, caller.username, caller.client) == ("7f0c", "anna.keller", "harness")
    assert caller.roles == {"buyer"}
    assert caller.is_person


async def test_an_account_without_a_role_of_the_company_is_no_person() -> None:
    issuer = Issuer()
    token = issuer.token(realm_access={"roles": ["offline_access"]}, preferred_username=None)
    caller = await issuer.verifier().verify(token)
    assert not caller.is_person
    assert caller.username == caller.subject


@pytest.mark.parametrize("access", [None, "buyer", ["buyer"], {"roles": "buyer"}, {"roles": [["buyer"], 7]}])
async def test_a_malformed_role_claim_gives_no_role(access: object) -> None:
    issuer = Issuer()
    caller = await issuer.verifier().verify(issuer.token(realm_access=access))
    assert not caller.roles & {"buyer"}
    assert not caller.is_person


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "desk-agent"},
        {"iss": "http://issuer.test/realms/another"},
        {"lives": -60},
        {"exp": None},
        {"sub": None},
        {"aud": None},
        {"iss": None},
        {"iat": None},
        {"nbf": 4102444800},
    ],
    ids=lambda claims: ",".join(f"{name}={value}" for name, value in claims.items()),
)
async def test_a_token_made_for_something_else_is_refused(claims: dict[str, Any]) -> None:
    issuer = Issuer()
    problem = await refused(issuer.verifier(), issuer.token(**claims))
    assert (problem.status, problem.code) == (401, "UNAUTHENTICATED")
    assert "WWW-Authenticate" in problem.headers


async def test_a_token_signed_by_somebody_else_is_refused() -> None:
    issuer = Issuer()
    assert (await refused(issuer.verifier(), issuer.token(signed_by="forger"))).status == 401


@pytest.mark.parametrize("algorithm", ["HS256", "none"])
async def test_a_token_that_is_not_signed_by_rs256_is_refused(algorithm: str) -> None:
    issuer = Issuer()
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})
    token = jwt.encode(claims, "k" * 32 if algorithm == "HS256" else "", algorithm=algorithm, headers={"kid": "first"})
    assert "RS256" in (await refused(issuer.verifier(), token)).detail


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é.é.é", "e30.e30."])
async def test_text_that_is_no_token_is_refused(token: str) -> None:
    assert (await refused(Issuer().verifier(), token)).status == 401


async def test_the_issuers_keys_are_fetched_once_for_many_callers() -> None:
    issuer = Issuer()
    verifier = issuer.verifier()
    await asyncio.gather(*(verifier.verify(issuer.token()) for _ in range(20)))
    assert issuer.asked == ["certs"]


async def test_the_desks_own_token_is_fetched_once_and_kept() -> None:
    issuer = Issuer()
    account = issuer.account()
    assert set(await asyncio.gather(*(account.token() for _ in range(10)))) == {"token-1"}
    assert issuer.forms == [{"grant_type": "client_credentials", "client_id": "desk", "client_secret": "s3cret"}]


async def test_a_token_that_ends_within_a_minute_is_fetched_again() -> None:
    issuer = Issuer(expires_in=60)
    account = issuer.account()
    assert [await account.token(), await account.token()] == ["token-1", "token-2"]


async def test_a_token_that_a_door_refused_is_fetched_again_and_another_one_is_kept() -> None:
    account = Issuer().account()
    first = await account.token()
    account.forget("some other token")
    assert await account.token() == first
    account.forget(first)
    assert await account.token() == "token-2"
