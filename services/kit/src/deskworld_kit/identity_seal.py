"""Values that somebody else keeps for us and can neither read nor change: Fernet (AES-128-CBC and HMAC-SHA256)."""

import base64
import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from deskworld_kit import clock


class Seal:
    def __init__(self, secret: str, purpose: str) -> None:
        """What one purpose sealed, another does not open (RFC 5869). Raises ValueError for an empty secret."""
        if not secret:
            raise ValueError("the secret behind a seal is empty: anybody could make one")
        key = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(key))

    def close(self, value: dict[str, Any]) -> str:
        """Letters, digits, `-`, `_` and `=`."""
        text = json.dumps(value, separators=(",", ":")).encode()
        return self._fernet.encrypt_at_time(text, _seconds()).decode()

    def open(self, sealed: str, *, lasts: int) -> dict[str, Any] | None:
        """None for what is not ours, was changed, or was sealed more than `lasts` seconds ago."""
        try:
            text = self._fernet.decrypt_at_time(sealed.encode("ascii"), lasts, _seconds())
        except (InvalidToken, UnicodeEncodeError):
            return None
        value = json.loads(text)
        return value if isinstance(value, dict) else None


def _seconds() -> int:
    return int(clock.now().timestamp())
