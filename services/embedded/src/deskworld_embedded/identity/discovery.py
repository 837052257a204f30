"""OpenID Connect Discovery 1.0: what the issuer offers, and where."""

from typing import Any

from deskworld_embedded.identity.tokens import Issuer


def discovery(issuer: Issuer) -> dict[str, Any]:
    oidc = f"{issuer.url}/protocol/openid-connect"
    return {
        "issuer": issuer.url,
        "authorization_endpoint": f"{oidc}/auth",
        "token_endpoint": f"{oidc}/token",
        "userinfo_endpoint": f"{oidc}/userinfo",
        "end_session_endpoint": f"{oidc}/logout",
        "jwks_uri": f"{oidc}/certs",
        "grant_types_supported": ["authorization_code", "client_credentials", "password", "refresh_token"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "scopes_supported": ["openid", *issuer.realm.scopes],
        "claims_supported": [
            "iss",
            "sub",
            "aud",
            "exp",
            "iat",
            "auth_time",
            "acr",
            "name",
            "given_name",
            "family_name",
            "preferred_username",
            "email",
        ],
        "claim_types_supported": ["normal"],
        "claims_parameter_supported": False,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "authorization_response_iss_parameter_supported": True,
    }
