"""The realm file, as far as it decides who may have which token. Format: Keycloak's realm representation."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


class RealmInvalid(ValueError):
    """The realm file lacks something, or says something that cannot be."""


@dataclass(frozen=True, slots=True)
class Mapper:
    """Puts a claim into a token. `kind` is Keycloak's name of the mapper."""

    name: str
    kind: str
    config: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Scope:
    name: str
    named_in_token: bool
    mappers: tuple[Mapper, ...]


@dataclass(frozen=True, slots=True)
class Client:
    id: str
    secret: str
    public: bool
    enabled: bool
    standard_flow: bool
    direct_grants: bool
    service_account: bool
    full_scope: bool
    redirect_uris: tuple[str, ...]
    post_logout_redirect_uris: tuple[str, ...]
    web_origins: tuple[str, ...]
    pkce_method: str
    default_scopes: tuple[str, ...]
    optional_scopes: tuple[str, ...]
    mappers: tuple[Mapper, ...]


@dataclass(frozen=True, slots=True)
class User:
    id: str
    username: str
    email: str
    email_verified: bool
    first_name: str
    last_name: str
    password: str
    enabled: bool
    roles: tuple[str, ...]
    service_account_of: str


@dataclass(frozen=True, slots=True)
class Realm:
    """Times in seconds."""

    name: str
    title: str
    access_token_lifespan: int
    code_lifespan: int
    login_lifespan: int
    session_idle: int
    session_lifespan: int
    refresh_once: bool
    refresh_reuse: int
    clients: Mapping[str, Client]
    scopes: Mapping[str, Scope]
    users: Mapping[str, User]

    def user(self, user_id: str) -> User | None:
        return next((user for user in self.users.values() if user.id == user_id), None)

    def account_of(self, client: Client) -> User | None:
        return next((user for user in self.users.values() if user.service_account_of == client.id), None)


def read(path: Path) -> Realm:
    """Raises RealmInvalid, OSError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return _realm(found)
    except KeyError as error:
        raise RealmInvalid(f"{path}: {error} is missing") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise RealmInvalid(f"{path}: {error}") from error


def with_secrets(realm: Realm, secrets: Mapping[str, str]) -> Realm:
    """The same realm with other client secrets. Raises RealmInvalid for a client that has none."""
    clients = dict(realm.clients)
    for client_id, secret in secrets.items():
        client = clients.get(client_id)
        if client is None or client.public or not secret:
            raise RealmInvalid(f"{client_id!r} is no client with a secret")
        clients[client_id] = replace(client, secret=secret)
    return replace(realm, clients=clients)


def _realm(found: Mapping[str, Any]) -> Realm:
    realm = Realm(
        name=str(found["realm"]),
        title=str(found.get("displayName", found["realm"])),
        access_token_lifespan=int(found["accessTokenLifespan"]),
        code_lifespan=int(found.get("accessCodeLifespan", 60)),
        login_lifespan=int(found.get("accessCodeLifespanLogin", 1800)),
        session_idle=int(found.get("ssoSessionIdleTimeout", 1800)),
        session_lifespan=int(found.get("ssoSessionMaxLifespan", 36000)),
        refresh_once=bool(found.get("revokeRefreshToken", False)),
        refresh_reuse=int(found.get("refreshTokenMaxReuse", 0)),
        clients={client.id: client for client in map(_client, found["clients"])},
        scopes={scope.name: scope for scope in map(_scope, found["clientScopes"])},
        users={user.username: user for user in map(_user, found["users"])},
    )
    for client in realm.clients.values():
        for name in (*client.default_scopes, *client.optional_scopes):
            if name not in realm.scopes:
                raise RealmInvalid(f"client {client.id!r} names the scope {name!r}, which is not there")
    if len({user.id for user in realm.users.values()}) != len(realm.users):
        raise RealmInvalid("two users have one id")
    return realm


def _client(found: Mapping[str, Any]) -> Client:
    attributes = found.get("attributes", {})
    public = bool(found.get("publicClient", False))
    redirect_uris = tuple(found.get("redirectUris", []))
    after_logout = [uri for uri in attributes.get("post.logout.redirect.uris", "").split("##") if uri]
    if not public and not found.get("secret"):
        raise RealmInvalid(f"client {found['clientId']!r} has no secret")
    return Client(
        id=str(found["clientId"]),
        secret=str(found.get("secret", "")),
        public=public,
        enabled=bool(found.get("enabled", True)),
        standard_flow=bool(found.get("standardFlowEnabled", False)),
        direct_grants=bool(found.get("directAccessGrantsEnabled", False)),
        service_account=bool(found.get("serviceAccountsEnabled", False)),
        full_scope=bool(found.get("fullScopeAllowed", False)),
        redirect_uris=redirect_uris,
        post_logout_redirect_uris=redirect_uris if after_logout == ["+"] else tuple(after_logout),
        web_origins=tuple(found.get("webOrigins", [])),
        pkce_method=str(attributes.get("pkce.code.challenge.method", "")),
        default_scopes=tuple(found.get("defaultClientScopes", [])),
        optional_scopes=tuple(found.get("optionalClientScopes", [])),
        mappers=tuple(map(_mapper, found.get("protocolMappers", []))),
    )


def _scope(found: Mapping[str, Any]) -> Scope:
    return Scope(
        name=str(found["name"]),
        named_in_token=found.get("attributes", {}).get("include.in.token.scope", "true") == "true",
        mappers=tuple(map(_mapper, found.get("protocolMappers", []))),
    )


def _mapper(found: Mapping[str, Any]) -> Mapper:
    return Mapper(str(found["name"]), str(found["protocolMapper"]), dict(found.get("config", {})))


def _user(found: Mapping[str, Any]) -> User:
    passwords = [str(kept["value"]) for kept in found.get("credentials", []) if kept.get("type") == "password"]
    return User(
        id=str(found["id"]),
        username=str(found["username"]),
        email=str(found.get("email", "")),
        email_verified=bool(found.get("emailVerified", False)),
        first_name=str(found.get("firstName", "")),
        last_name=str(found.get("lastName", "")),
        password=passwords[0] if passwords else "",
        enabled=bool(found.get("enabled", False)),
        roles=tuple(found.get("realmRoles", [])),
        service_account_of=str(found.get("serviceAccountClientId", "")),
    )
