"""Which claims a token carries: Keycloak's protocol mappers, read from the realm file and applied here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from deskworld_embedded.identity.realm import Client, Mapper, Realm, User

Kind = Literal["access", "id", "userinfo"]
Claims = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grounds:
    """All that a mapper may look at."""

    realm: Realm
    client: Client
    user: User
    scopes: tuple[str, ...]
    auth_time: int | None
    fresh: bool


class ScopeUnknown(ValueError):
    """A scope was asked for that the client does not have."""


def granted_scopes(realm: Realm, client: Client, asked: str) -> tuple[str, ...]:
    """The client's default scopes, plus what was asked for and may be had; `openid` first. Raises ScopeUnknown."""
    wanted = asked.split()
    for name in wanted:
        if name != "openid" and name not in client.default_scopes and name not in client.optional_scopes:
            raise ScopeUnknown(asked)
    optional = [name for name in client.optional_scopes if name in wanted]
    return (*(["openid"] if "openid" in wanted else []), *client.default_scopes, *optional)


def scope_claim(realm: Realm, scopes: Iterable[str]) -> str:
    return " ".join(name for name in scopes if name == "openid" or realm.scopes[name].named_in_token)


def mapped(grounds: Grounds, kind: Kind) -> Claims:
    claims: Claims = {}
    flag = {"access": "access.token.claim", "id": "id.token.claim", "userinfo": "userinfo.token.claim"}[kind]
    for mapper in _mappers(grounds):
        if mapper.config.get(flag) == "true":
            _apply(mapper, grounds, claims)
    audience = claims.get("aud")
    if isinstance(audience, list) and len(audience) == 1:
        claims["aud"] = audience[0]
    return claims


def _mappers(grounds: Grounds) -> list[Mapper]:
    from_scopes = [
        mapper for name in grounds.scopes if name != "openid" for mapper in grounds.realm.scopes[name].mappers
    ]
    return [*from_scopes, *grounds.client.mappers]


def _apply(mapper: Mapper, grounds: Grounds, claims: Claims) -> None:
    config = mapper.config
    match mapper.kind:
        case "oidc-audience-mapper":
            wanted = config.get("included.custom.audience") or config.get("included.client.audience", "")
            heard = claims.setdefault("aud", [])
            if wanted and wanted not in heard:
                heard.append(wanted)
        case "oidc-sub-mapper":
            claims["sub"] = grounds.user.id
        case "oidc-usermodel-attribute-mapper" | "oidc-usermodel-property-mapper":
            _put(claims, config["claim.name"], _attribute(grounds.user, config["user.attribute"]))
        case "oidc-full-name-mapper":
            _put(claims, "name", f"{grounds.user.first_name} {grounds.user.last_name}".strip())
        case "oidc-usermodel-realm-role-mapper":
            roles = list(grounds.user.roles) if grounds.client.full_scope else []
            _put(claims, config["claim.name"], roles)
        case "oidc-usersessionmodel-note-mapper":
            if config.get("user.session.note") == "AUTH_TIME":
                _put(claims, config["claim.name"], grounds.auth_time)
        case "oidc-acr-mapper":
            claims["acr"] = "1" if grounds.fresh else "0"
        case "oidc-allowed-origins-mapper":
            _put(claims, "allowed-origins", _origins(grounds.client))
        case _:
            raise NotImplementedError(f"mapper {mapper.name!r}: {mapper.kind} is not known here")


def check_mappers(realm: Realm) -> None:
    """Raises NotImplementedError for a mapper that only Keycloak knows: better at start than in a token."""
    nobody = User("", "", "", False, "", "", "", False, (), "")  # noqa: FBT003 - a user of blanks
    for client in realm.clients.values():
        scopes = (*client.default_scopes, *client.optional_scopes)
        mapped_all = Grounds(realm, client, nobody, scopes, None, fresh=False)
        for mapper in _mappers(mapped_all):
            _apply(mapper, mapped_all, {})


def _put(claims: Claims, name: str, value: Any) -> None:
    """Dots in a claim's name nest, as in `realm_access.roles`. Empty values leave no claim."""
    if value in (None, "", []):
        return
    *outer, last = name.split(".")
    for part in outer:
        claims = claims.setdefault(part, {})
    claims[last] = value


def _attribute(user: User, name: str) -> Any:
    known: dict[str, Any] = {
        "username": user.username,
        "email": user.email,
        "emailVerified": user.email_verified,
        "firstName": user.first_name,
        "lastName": user.last_name,
    }
    return known.get(name)


def _origins(client: Client) -> Sequence[str]:
    origins = [origin for origin in client.web_origins if origin != "+"]
    if "+" in client.web_origins:
        for uri in client.redirect_uris:
            parts = urlsplit(uri)
            origins.append(f"{parts.scheme}://{parts.netloc}")
    return sorted(set(origins))
