"""The issuer under `kill -9`, and under a realm with other settings."""

import base64
import json
import stat
from pathlib import Path
from typing import Any

import httpx
import jwt
from tests.support.servers import (
    ROOT,
    identity_server,
    issuer_of,
    running,
)
from tests.support.signing_in import oidc, parameters

from deskworld_kit import clock


async def test_tokens_and_sessions_outlive_the_issuers_process(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            before = (await issuer.password("ines.vogel", scope="openid")).json()
            gone = (await issuer.password("emma.lind")).json()
            await http.post(
                issuer.about["end_session_endpoint"],
                data={"client_id": "harness", "refresh_token": gone["refresh_token"]},
            )
            code = parameters(await issuer.sign_in("anna.keller"))["code"]
            redeemed = parameters(await issuer.ask())["code"]
            assert (await issuer.redeem(redeemed)).status_code == 200
            server.kill()
            server.start()
            keys = jwt.PyJWKSet.from_dict((await http.get(issuer.about["jwks_uri"])).json())
            key = keys[jwt.get_unverified_header(before["access_token"])["kid"]]
            claims = jwt.decode(before["access_token"], key, algorithms=["RS256"], audience="erp")
            assert claims["preferred_username"] == "ines.vogel"
            form = {"grant_type": "refresh_token", "client_id": "harness"}
            assert (await issuer.token(**form, refresh_token=before["refresh_token"])).status_code == 200
            assert (await issuer.token(**form, refresh_token=gone["refresh_token"])).status_code == 400
            assert (await issuer.redeem(code)).status_code == 200, "a sign-in in flight goes on"
            assert parameters(await issuer.ask(prompt="none"))["code"], "the browser is still signed in"
            assert (await issuer.redeem(redeemed)).status_code == 400, "a used code stays used"


async def test_the_signing_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    with running(identity_server(tmp_path)):
        for file in (tmp_path / "identity").iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def changed_realm(tmp_path: Path, **settings: Any) -> Path:
    realm = json.loads((ROOT / "infra/keycloak/realm.json").read_text())
    path = tmp_path / "realm.json"
    path.write_text(json.dumps({**realm, **settings}))
    return path


async def test_a_refresh_token_is_good_once_where_the_realm_says_so(tmp_path: Path) -> None:
    server = identity_server(tmp_path, changed_realm(tmp_path, revokeRefreshToken=True, refreshTokenMaxReuse=0))
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            first = (await issuer.password("emma.lind")).json()["refresh_token"]
            form = {"grant_type": "refresh_token", "client_id": "harness"}
            second = (await issuer.token(**form, refresh_token=first)).json()["refresh_token"]
            again = await issuer.token(**form, refresh_token=first)
            assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
            assert (await issuer.token(**form, refresh_token=second)).status_code == 200
            server.kill()
            server.start()
            assert (await issuer.token(**form, refresh_token=second)).status_code == 400


async def test_a_code_belongs_to_the_client_that_asked(tmp_path: Path) -> None:
    realm = json.loads((ROOT / "infra/keycloak/realm.json").read_text())
    clients = [{**client, "standardFlowEnabled": True} for client in realm["clients"]]
    server = identity_server(tmp_path, changed_realm(tmp_path, clients=clients))
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            code = parameters(await issuer.sign_in("anna.keller"))["code"]
            answer = await issuer.redeem(code, client_id="harness")
            assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
            assert (await issuer.redeem(code)).status_code == 400, "a code that a stranger held is burnt"


async def test_a_session_ends_with_its_time(tmp_path: Path) -> None:
    server = identity_server(tmp_path, changed_realm(tmp_path, ssoSessionIdleTimeout=1, accessTokenLifespan=900))
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            tokens = (await issuer.password("emma.lind", scope="openid")).json()
            assert tokens["expires_in"] <= 1, "a token does not outlive its session"
            form = {"grant_type": "refresh_token", "client_id": "harness", "refresh_token": tokens["refresh_token"]}
            deadline = clock.monotonic() + 10
            while (
                jwt.decode(tokens["access_token"], options={"verify_signature": False})["exp"] > clock.now().timestamp()
            ):
                assert clock.monotonic() < deadline
                await clock.pause(0.05)
            assert (await issuer.token(**form)).status_code == 400
            headers = {"Authorization": f"Bearer {tokens['access_token']}"}
            assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401


async def test_client_secrets_can_be_replaced(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    server._settings = {**server._settings, "IDENTITY_CLIENT_SECRETS": '{"agent": "another"}'}
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            url = f"{issuer_of(server)}/protocol/openid-connect/token"

            async def status(secret: str) -> int:
                basic = base64.b64encode(f"agent:{secret}".encode()).decode()
                headers = {"Authorization": f"Basic {basic}"}
                answer = await http.post(url, data={"grant_type": "client_credentials"}, headers=headers)
                return answer.status_code

            assert await status("another") == 200
            assert await status("agent-loopback-secret") == 401
