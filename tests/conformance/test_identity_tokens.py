"""Who gets which token from the issuer, and who gets none."""

import asyncio
from typing import Any

import httpx
import jwt
import pytest
from tests.support.servers import ROOT
from tests.support.signing_in import PASSWORD, Oidc

PEOPLE = {
    "anna.keller": "buyer",
    "bruno.costa": "buyer",
    "carla.nowak": "buyer",
    "david.okafor": "buyer",
    "emma.lind": "clerk",
    "felix.moreau": "clerk",
    "grace.hall": "ap-manager",
    "hugo.silva": "ap-manager",
    "ines.vogel": "controller",
    "jonas.weber": "controller",
    "kira.stone": "auditor",
}


async def claims(issuer: Oidc, token: str, audience: str) -> dict[str, Any]:
    """Verified as a service verifies: key by key id from JWKS, RS256 alone, issuer, audience, expiry."""
    keys = jwt.PyJWKSet.from_dict((await issuer.http.get(issuer.about["jwks_uri"])).json())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    found: dict[str, Any] = jwt.decode(
        token,
        key,
        algorithms=["RS256"],
        issuer=issuer.about["issuer"],
        audience=audience,
        options={"require": ["exp", "iat", "sub", "iss", "aud"]},
    )
    return found


async def test_discovery_names_keycloaks_addresses(stack: dict[str, Any], issuer: Oidc) -> None:
    base = stack["issuer"]
    assert base.endswith("/realms/deskworld")
    assert issuer.about["issuer"] == base
    for name, path in {
        "authorization_endpoint": "auth",
        "token_endpoint": "token",
        "userinfo_endpoint": "userinfo",
        "jwks_uri": "certs",
        "end_session_endpoint": "logout",
    }.items():
        assert issuer.about[name] == f"{base}/protocol/openid-connect/{path}"
    assert "S256" in issuer.about["code_challenge_methods_supported"]
    assert "RS256" in issuer.about["id_token_signing_alg_values_supported"]
    assert {"authorization_code", "password", "client_credentials", "refresh_token"} <= set(
        issuer.about["grant_types_supported"]
    )


async def test_the_keys_are_public_ones_for_signatures(issuer: Oidc) -> None:
    keys = (await issuer.http.get(issuer.about["jwks_uri"])).json()["keys"]
    signing = [key for key in keys if key.get("use") == "sig" and key.get("alg") == "RS256"]
    assert signing
    assert all(key["kid"] and not {"d", "p", "q"} & set(key) for key in keys)


@pytest.mark.parametrize(("username", "role"), sorted(PEOPLE.items()))
async def test_a_person_has_one_role_and_may_speak_to_desk_and_erp(issuer: Oidc, username: str, role: str) -> None:
    answer = await issuer.password(username)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    found = await claims(issuer, body["access_token"], "erp")
    assert set(found["aud"]) == {"desk", "erp"}
    assert found["realm_access"]["roles"] == [role]
    assert found["preferred_username"] == username
    assert found["azp"] == "harness"
    assert found["typ"] == "Bearer"
    assert found["email"] == f"{username}@staff.deskworld.example"
    assert found["exp"] - found["iat"] == 900
    assert body["expires_in"] in (899, 900), "a second may end between the token and the answer"
    assert body["token_type"] == "Bearer"
    assert body["refresh_token"]
    assert answer.headers["cache-control"] == "no-store"


async def test_a_person_is_known_by_the_id_in_the_realm_file(issuer: Oidc) -> None:
    realm = httpx.Response(200, content=(ROOT / "infra/keycloak/realm.json").read_bytes()).json()
    ids = {user["username"]: user["id"] for user in realm["users"]}
    for username in ("anna.keller", "kira.stone"):
        token = (await issuer.password(username)).json()["access_token"]
        assert (await claims(issuer, token, "desk"))["sub"] == ids[username]


async def test_an_agent_may_speak_to_the_agent_door_alone(stack: dict[str, Any], issuer: Oidc) -> None:
    secret = stack["secrets"]["agent_client"]
    answer = await issuer.token(grant_type="client_credentials", client_id="agent", client_secret=secret)
    assert answer.status_code == 200, answer.text
    found = await claims(issuer, answer.json()["access_token"], "desk-agent")
    assert found["aud"] == "desk-agent"
    assert "realm_access" not in found
    assert "resource_access" not in found
    assert found["azp"] == "agent"
    assert "refresh_token" not in answer.json()


async def test_the_desk_itself_reads_the_erp_and_has_no_role(stack: dict[str, Any], issuer: Oidc) -> None:
    secret = stack["secrets"].get("desk_client")
    if secret is None:
        pytest.skip("this stack keeps the desk's client secret to itself")
    token_url = issuer.about["token_endpoint"]
    answer = await issuer.http.post(token_url, data={"grant_type": "client_credentials"}, auth=("desk", secret))
    assert answer.status_code == 200, answer.text
    found = await claims(issuer, answer.json()["access_token"], "erp")
    assert found["aud"] == "erp"
    assert "realm_access" not in found


@pytest.mark.parametrize("username", ["anna.keller", "nobody", "service-account-agent", ""])
@pytest.mark.parametrize("password", ["wrong", "", PASSWORD + " "])
async def test_a_wrong_password_gets_no_token(issuer: Oidc, username: str, password: str) -> None:
    answer = await issuer.password(username, password)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    assert "access_token" not in answer.text


async def test_a_password_of_nobody_gets_no_token(issuer: Oidc) -> None:
    answer = await issuer.token(grant_type="password", client_id="harness", password=PASSWORD)
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_request")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        (
            {"grant_type": "client_credentials", "client_id": "agent", "client_secret": "wrong"},
            401,
            "unauthorized_client",
        ),
        ({"grant_type": "client_credentials", "client_id": "agent"}, 401, "unauthorized_client"),
        ({"grant_type": "client_credentials", "client_id": "stranger", "client_secret": "x"}, 401, "invalid_client"),
        ({"grant_type": "client_credentials", "client_id": "harness"}, 401, "unauthorized_client"),
        ({"grant_type": "client_credentials"}, 401, "invalid_client"),
        (
            {"grant_type": "password", "client_id": "workbench", "username": "anna.keller", "password": PASSWORD},
            400,
            "unauthorized_client",
        ),
        ({"grant_type": "urn:none", "client_id": "harness"}, 400, "unsupported_grant_type"),
        ({"client_id": "harness"}, 400, "invalid_request"),
        ({"grant_type": "refresh_token", "client_id": "harness"}, 400, "invalid_request"),
        ({"grant_type": "refresh_token", "client_id": "harness", "refresh_token": "a.b.c"}, 400, "invalid_grant"),
        (
            {"grant_type": "authorization_code", "client_id": "workbench", "code": "none", "redirect_uri": "x"},
            400,
            "invalid_grant",
        ),
        (
            {
                "grant_type": "password",
                "client_id": "harness",
                "username": "anna.keller",
                "password": PASSWORD,
                "scope": "moon",
            },
            400,
            "invalid_scope",
        ),
    ],
)
async def test_a_refusal_says_which_and_with_keycloaks_status(
    issuer: Oidc, form: dict[str, str], status: int, error: str
) -> None:
    answer = await issuer.token(**form)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert answer.json().get("error_description")


async def test_a_refresh_gives_a_new_token_of_the_same_person(issuer: Oidc) -> None:
    first = (await issuer.password("emma.lind", scope="openid")).json()
    form = {"grant_type": "refresh_token", "client_id": "harness", "refresh_token": first["refresh_token"]}
    answer = await issuer.token(**form)
    assert answer.status_code == 200, answer.text
    before = await claims(issuer, first["access_token"], "desk")
    after = await claims(issuer, answer.json()["access_token"], "desk")
    assert before["jti"] != after["jti"]
    for name in ("sub", "sid", "azp", "realm_access"):
        assert before[name] == after[name]
    assert (await claims(issuer, answer.json()["id_token"], "harness"))["sub"] == before["sub"]


async def test_a_refresh_token_is_of_no_use_to_another_client(issuer: Oidc) -> None:
    first = (await issuer.password("emma.lind")).json()
    form = {"grant_type": "refresh_token", "client_id": "workbench", "refresh_token": first["refresh_token"]}
    answer = await issuer.token(**form)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


async def test_an_access_token_is_no_refresh_token_and_the_other_way_round(issuer: Oidc) -> None:
    first = (await issuer.password("emma.lind", scope="openid")).json()
    form = {"grant_type": "refresh_token", "client_id": "harness", "refresh_token": first["access_token"]}
    assert (await issuer.token(**form)).status_code == 400
    for wrong in (first["refresh_token"], first["id_token"]):
        headers = {"Authorization": f"Bearer {wrong}"}
        assert (await issuer.http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401


async def test_userinfo_tells_who_the_token_is_about(issuer: Oidc) -> None:
    token = (await issuer.password("grace.hall", scope="openid")).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    answer = await issuer.http.get(issuer.about["userinfo_endpoint"], headers=headers)
    assert answer.status_code == 200, answer.text
    about = answer.json()
    assert about["preferred_username"] == "grace.hall"
    assert about["name"] == "Grace Hall"
    assert about["sub"] == (await claims(issuer, token, "desk"))["sub"]


async def test_userinfo_wants_a_token_with_the_openid_scope(issuer: Oidc) -> None:
    url = issuer.about["userinfo_endpoint"]
    assert (await issuer.http.get(url)).status_code == 401
    token = (await issuer.password("grace.hall")).json()["access_token"]
    answer = await issuer.http.get(url, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize("part", [0, 1, 2])
async def test_a_token_that_was_touched_is_refused(issuer: Oidc, part: int) -> None:
    token = (await issuer.password("grace.hall", scope="openid")).json()["access_token"]
    parts = token.split(".")
    middle = len(parts[part]) // 2
    other = "A" if parts[part][middle] != "A" else "B"
    parts[part] = parts[part][:middle] + other + parts[part][middle + 1 :]
    touched = ".".join(parts)
    with pytest.raises((jwt.InvalidTokenError, KeyError)):
        await claims(issuer, touched, "desk")
    answer = await issuer.http.get(issuer.about["userinfo_endpoint"], headers={"Authorization": f"Bearer {touched}"})
    assert answer.status_code == 401


async def test_a_token_signed_with_nothing_or_with_the_public_key_is_refused(issuer: Oidc) -> None:
    token = (await issuer.password("grace.hall", scope="openid")).json()["access_token"]
    known = jwt.decode(token, options={"verify_signature": False})
    kid = jwt.get_unverified_header(token)["kid"]
    forged = [
        jwt.encode(known, "", algorithm="none", headers={"kid": kid}),
        jwt.encode(known, "x" * 64, algorithm="HS256", headers={"kid": kid}),
    ]
    for one in forged:
        answer = await issuer.http.get(issuer.about["userinfo_endpoint"], headers={"Authorization": f"Bearer {one}"})
        assert answer.status_code == 401


async def test_many_people_sign_in_at_once(issuer: Oidc) -> None:
    answers = await asyncio.gather(*(issuer.password(username) for username in [*PEOPLE] * 3))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["access_token"] for answer in answers}) == len(answers)
