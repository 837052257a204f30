"""Signed webhooks as Standard Webhooks has them: HMAC-SHA256 over `id.timestamp.body`, five-minute window."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

WINDOW_SECONDS = 300


class SignatureRefused(Exception):
    """The message is not from who it claims, or too old."""


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    content = f"{message_id}.{timestamp}.".encode() + body
    mac = hmac.new(secret.encode(), content, hashlib.sha256).digest()
    return "v1," + base64.b64encode(mac).decode()


def headers(secret: str, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    timestamp = int(at.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }


def verify(secret: str, received: Mapping[str, str], body: bytes, at: datetime) -> str:
    """The message's id, when its signature holds.

    Raises:
        SignatureRefused: a header is missing, the time is outside the window, or no signature matches.
    """
    try:
        message_id, stamp, given = (received[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        timestamp = int(stamp)
    except (KeyError, ValueError) as error:
        raise SignatureRefused(f"webhook headers are incomplete: {error}") from error
    if abs(at.timestamp() - timestamp) > WINDOW_SECONDS:
        raise SignatureRefused(f"webhook-timestamp {timestamp} is outside the window of {WINDOW_SECONDS} s")
    expected = sign(secret, message_id, timestamp, body).encode()
    if not any(hmac.compare_digest(expected, one.encode()) for one in given.split(" ")):
        raise SignatureRefused("webhook-signature does not match the body")
    return message_id
