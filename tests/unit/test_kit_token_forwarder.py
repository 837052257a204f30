"""On the agents' network stands the token path and nothing else of the identity provider."""

import httpx
import pytest

from deskworld_kit.token_forwarder import forwarder

PATH = "/realms/deskworld/protocol/openid-connect/token"


def reaching(provider: httpx.MockTransport) -> httpx.AsyncClient:
    app = forwarder(f"http://identity.test{PATH}", httpx.AsyncClient(transport=provider))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://token.test")


def granting(seen: list[httpx.Request]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(
            200, json={"access_token": "t"}, headers={"Cache-Control": "no-store", "Set-Cookie": "a=b"}
        )

    return httpx.MockTransport(answer)


async def test_a_token_request_gets_the_providers_answer() -> None:
    seen: list[httpx.Request] = []
    async with reaching(granting(seen)) as agent:
        answer = await agent.post(PATH, data={"grant_type": "client_credentials"}, auth=("agent", "secret"))
    assert (answer.status_code, answer.json()) == (200, {"access_token": "t"})
    assert answer.headers["cache-control"] == "no-store"
    assert "set-cookie" not in answer.headers
    (passed,) = seen
    assert str(passed.url) == f"http://identity.test{PATH}"
    assert passed.content == b"grant_type=client_credentials"
    assert passed.headers["authorization"].startswith("Basic ")


async def test_a_refusal_comes_back_as_it_is() -> None:
    provider = httpx.MockTransport(lambda _: httpx.Response(401, json={"error": "unauthorized_client"}))
    async with reaching(provider) as agent:
        answer = await agent.post(PATH, data={"grant_type": "client_credentials"})
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized_client")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/admin/",
        "/realms/deskworld",
        "/realms/master/protocol/openid-connect/token",
        f"{PATH}/introspect",
        f"{PATH}/../auth",
        "/realms/deskworld/protocol/openid-connect/certs",
        "/openapi.json",
    ],
)
async def test_no_other_path_reaches_the_provider(path: str) -> None:
    seen: list[httpx.Request] = []
    async with reaching(granting(seen)) as agent:
        assert (await agent.post(path, data={"a": "b"})).status_code == 404
        assert (await agent.get(path)).status_code == 404
    assert seen == []


async def test_a_token_is_asked_for_by_post() -> None:
    seen: list[httpx.Request] = []
    async with reaching(granting(seen)) as agent:
        assert (await agent.get(PATH)).status_code == 405
        assert (await agent.post(PATH, content=b"x" * 20_000)).status_code == 413
    assert seen == []


async def test_a_provider_that_is_away_is_told_as_unavailable() -> None:
    def away(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    async with reaching(httpx.MockTransport(away)) as agent:
        answer = await agent.post(PATH, data={"grant_type": "client_credentials"})
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
