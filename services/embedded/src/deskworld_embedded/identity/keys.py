"""The issuer's keys, made once and kept in its folder: tokens outlive the process that signed them."""

import base64
import hashlib
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@dataclass(frozen=True, slots=True)
class Keys:
    """`signing` signs what others verify (RS256); `own` signs what only the issuer reads back (HS512)."""

    signing: rsa.RSAPrivateKey
    kid: str
    jwk: dict[str, str]
    own: bytes


def keep(folder: Path) -> Keys:
    """Raises OSError, ValueError when a kept key cannot be read."""
    pem = _kept(folder / "signing-key.pem", _new_pem)
    signing = serialization.load_pem_private_key(pem, password=None)
    if not isinstance(signing, rsa.RSAPrivateKey):
        raise TypeError(f"{folder / 'signing-key.pem'} is no RSA key")
    own = _kept(folder / "own-key.bin", lambda: secrets.token_bytes(64))
    numbers = signing.public_key().public_numbers()
    public = {"e": _number(numbers.e), "kty": "RSA", "n": _number(numbers.n)}
    kid = _unpadded(hashlib.sha256(json.dumps(public, separators=(",", ":")).encode()).digest())  # RFC 7638
    return Keys(signing, kid, {"kid": kid, "alg": "RS256", "use": "sig", **public}, own)


def _kept(path: Path, make: Callable[[], bytes]) -> bytes:
    """A key is whole or not there: written aside, then renamed."""
    if not path.exists():
        aside = path.with_suffix(".new")
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(make())
        aside.rename(path)
    return path.read_bytes()


def _new_pem() -> bytes:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _number(value: int) -> str:
    return _unpadded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
