"""The issuer's keys, made once and kept in its folder: tokens outlive the process that signed them.

They are rotated by `python -m deskworld_embedded.identity.rotation`, without a restart.
"""

import base64
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

SIGNING, FORMER = "signing-key.pem", "former-key-*.pem"


@dataclass(frozen=True, slots=True)
class Keys:
    """`signing` signs what others verify (RS256), `own` what only the issuer reads back (HS512). `verifying` and
    `published` also hold former keys, which sign nothing any more and are not withdrawn yet."""

    signing: rsa.RSAPrivateKey
    kid: str
    verifying: Mapping[str, rsa.RSAPublicKey]
    published: tuple[Mapping[str, str], ...]
    own: bytes


class KeyRing:
    """The keys as their folder held them when it was last read."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError, ValueError when a kept key cannot be read."""
        self._folder = folder
        self.keys = keep(folder)

    def read_again(self) -> None:
        """After a rotation. What cannot be read is said, and the keys stay what they were."""
        try:
            self.keys = keep(self._folder)
        except (OSError, ValueError, TypeError) as error:
            sys.stderr.write(f"the keys in {self._folder} cannot be read again: {error}\n")


def keep(folder: Path) -> Keys:
    """Raises OSError, ValueError when a kept key cannot be read."""
    signing = _private(folder / SIGNING, _kept(folder / SIGNING, _new_pem))
    former = [_private(path, path.read_bytes()) for path in sorted(folder.glob(FORMER))]
    verifying = {key_id(key): key.public_key() for key in (signing, *former)}
    published = tuple({"kid": kid, "alg": "RS256", "use": "sig", **_public(key)} for kid, key in verifying.items())
    own = _kept(folder / "own-key.bin", lambda: secrets.token_bytes(64))
    return Keys(signing, key_id(signing), verifying, published, own)


def rotate(folder: Path) -> str:
    """Makes a new key that signs from the next reading on, and keeps the old one for tokens that it signed: the id of
    the new one. Raises OSError, ValueError."""
    before = _private(folder / SIGNING, (folder / SIGNING).read_bytes())
    _write(folder / FORMER.replace("*", key_id(before)), (folder / SIGNING).read_bytes())
    _write(folder / SIGNING, _new_pem())
    return key_id(_private(folder / SIGNING, (folder / SIGNING).read_bytes()))


def withdraw(folder: Path) -> None:
    """Former keys count no more from the next reading on. Raises OSError."""
    for path in folder.glob(FORMER):
        path.unlink()


def key_id(key: rsa.RSAPrivateKey) -> str:
    """RFC 7638."""
    return _unpadded(hashlib.sha256(json.dumps(_public(key.public_key()), separators=(",", ":")).encode()).digest())


def _public(key: rsa.RSAPublicKey) -> dict[str, str]:
    numbers = key.public_numbers()
    return {"e": _number(numbers.e), "kty": "RSA", "n": _number(numbers.n)}


def _private(path: Path, pem: bytes) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(pem, password=None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError(f"{path} is no RSA key")
    return key


def _kept(path: Path, make: Callable[[], bytes]) -> bytes:
    if not path.exists():
        _write(path, make())
    return path.read_bytes()


def _write(path: Path, content: bytes) -> None:
    """A key is whole or not there: written aside, then renamed."""
    aside = path.with_suffix(".new")
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    aside.rename(path)


def _new_pem() -> bytes:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _number(value: int) -> str:
    return _unpadded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
