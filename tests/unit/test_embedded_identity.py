"""The issuer's pure parts: where a browser may be sent back to, and what the realm file must hold."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deskworld_embedded.identity.claims import Grounds, check_mappers, mapped
from deskworld_embedded.identity.realm import RealmInvalid, read, with_secrets
from deskworld_embedded.identity.redirects import allowed

REALM = Path(__file__).parents[2] / "infra" / "keycloak" / "realm.json"


@pytest.mark.parametrize(
    ("uri", "patterns", "answer"),
    [
        ("http://127.0.0.1:8000/callback", ["http://127.0.0.1/*"], True),
        ("http://127.0.0.1/callback?x=1", ["http://127.0.0.1/*"], True),
        ("http://localhost:1/", ["http://localhost/*"], True),
        ("http://127.0.0.1:8000", ["http://127.0.0.1/*"], True),
        ("https://127.0.0.1:8000/callback", ["http://127.0.0.1/*"], False),
        ("http://127.0.0.2:8000/callback", ["http://127.0.0.1/*"], False),
        ("http://127.0.0.1.evil.example/", ["http://127.0.0.1/*"], False),
        ("http://127.0.0.1:80@evil.example/", ["http://127.0.0.1/*"], False),
        ("http://evil.example/http://127.0.0.1/", ["http://127.0.0.1/*"], False),
        ("http://127.0.0.1/callback#fragment", ["http://127.0.0.1/*"], False),
        ("http://desk.example/app/../admin", ["http://desk.example/app/*"], False),
        ("http://desk.example/app/%2e%2e/admin", ["http://desk.example/app/*"], False),
        ("http://desk.example:81/app/x", ["http://desk.example/app/*"], False),
        ("http://desk.example/app/x", ["http://desk.example/app/*"], True),
        ("http://desk.example/app", ["http://desk.example/app/*"], True),
        ("http://desk.example/app2", ["http://desk.example/app/*"], False),
        ("http://desk.example/app", ["http://desk.example/app"], True),
        ("http://desk.example/app?x=1", ["http://desk.example/app"], False),
        ("http://127.0.0.1@evil.example/", ["http://127.0.0.1*"], False),
        ("http://somebody@127.0.0.1:8000/callback", ["http://127.0.0.1/*"], False),
        ("javascript:alert(1)", ["*"], False),
        ("//evil.example", ["*"], False),
        ("http://[::1", ["*"], False),
        ("", ["*"], False),
        ("http://desk.example/", [], False),
    ],
)
def test_a_browser_goes_back_only_where_the_client_lives(uri: str, patterns: list[str], answer: bool) -> None:
    assert allowed(uri, patterns) is answer


def test_the_realm_file_is_readable_and_every_mapper_in_it_is_known() -> None:
    realm = read(REALM)
    check_mappers(realm)
    assert set(realm.clients) == {"workbench", "harness", "desk", "agent"}
    assert realm.clients["workbench"].pkce_method == "S256"
    assert not realm.clients["harness"].standard_flow
    assert {client.id for client in realm.clients.values() if client.direct_grants} == {"harness"}
    assert {client.id for client in realm.clients.values() if client.service_account} == {"desk", "agent"}
    assert all(realm.account_of(realm.clients[client]) for client in ("desk", "agent"))
    people = [user for user in realm.users.values() if not user.service_account_of]
    assert len(people) == 11
    assert all(user.enabled and len(user.roles) == 1 and user.password for user in people)
    assert not any(user.roles or user.password for user in realm.users.values() if user.service_account_of)


def test_keycloak_is_told_all_that_it_needs_for_an_import() -> None:
    """What the stand-in does not read but Keycloak does: an import without it gives other tokens or none."""
    realm = json.loads(REALM.read_text())
    assert realm["enabled"] is True
    assert realm["sslRequired"] == "none"
    assert realm["accessTokenLifespan"] == 900
    assert realm["passwordPolicy"] == "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)"
    for user in realm["users"]:
        if "serviceAccountClientId" not in user:
            assert user["emailVerified"] is True
            assert all(user[name] for name in ("email", "firstName", "lastName")), "else the account is not set up"
            assert user["requiredActions"] == []
    roles = {role["name"] for role in realm["roles"]["realm"]}
    assert {role for user in realm["users"] for role in user["realmRoles"]} == roles
    ids = [entry["id"] for kind in ("users", "clients", "clientScopes") for entry in realm[kind]]
    ids += [
        mapper["id"]
        for kind in ("clients", "clientScopes")
        for entry in realm[kind]
        for mapper in entry["protocolMappers"]
    ]
    assert len(ids) == len(set(ids))
    for client in realm["clients"]:
        assert client["fullScopeAllowed"] is client["publicClient"], "service accounts get no role by accident"
        assert "roles" in client["defaultClientScopes"] or not client["publicClient"]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("{", "Expecting"),
        ('{"realm": "x"}', "accessTokenLifespan"),
        ("[]", "list"),
    ],
)
def test_a_realm_file_that_cannot_be_says_what_is_wrong(tmp_path: Path, broken: str, said: str) -> None:
    path = tmp_path / "realm.json"
    path.write_text(broken)
    with pytest.raises(RealmInvalid, match=said) as refused:
        read(path)
    assert "realm.json" in str(refused.value)


def test_a_client_without_full_scope_carries_no_roles_of_its_user() -> None:
    realm = read(REALM)
    person, client = realm.users["anna.keller"], realm.clients["workbench"]
    for full_scope, roles in ((True, {"roles": ["buyer"]}), (False, None)):
        grounds = Grounds(realm, replace(client, full_scope=full_scope), person, ("openid", "roles"), None, fresh=True)
        assert mapped(grounds, "access").get("realm_access") == roles


@pytest.mark.parametrize("client", ["workbench", "stranger"])
def test_a_secret_is_replaced_only_where_there_is_one(client: str) -> None:
    realm = read(REALM)
    assert with_secrets(realm, {"agent": "new"}).clients["agent"].secret == "new"
    with pytest.raises(RealmInvalid, match=client):
        with_secrets(realm, {client: "new"})
