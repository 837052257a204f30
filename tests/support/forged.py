"""What somebody makes of a token who has no key of the issuer's."""

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


def altered(token: str) -> str:
    head, body, signature = token.split(".")
    other = "A" if signature[10] != "A" else "B"
    return f"{head}.{body}.{signature[:10]}{other}{signature[11:]}"


def forged(token: str) -> dict[str, str]:
    """By what was done to it."""
    kid = jwt.get_unverified_header(token)["kid"]
    claims = jwt.decode(token, options={"verify_signature": False})
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for_ever = {name: value for name, value in claims.items() if name != "exp"}
    return {
        "altered": altered(token),
        "unsigned": jwt.encode(claims, "", algorithm="none", headers={"kid": kid}),
        "by another key": jwt.encode(claims, key, algorithm="RS256", headers={"kid": kid}),
        "by a shared secret": jwt.encode(claims, "x" * 64, algorithm="HS256", headers={"kid": kid}),
        "for ever": jwt.encode(for_ever, key, algorithm="RS256", headers={"kid": kid}),
    }
