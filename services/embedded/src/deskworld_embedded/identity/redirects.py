"""Redirect URIs, matched as Keycloak does: exact, a trailing `*`, and any port on the loopback (RFC 8252, 7.3)."""

from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost"})


def allowed(uri: str, patterns: Iterable[str]) -> bool:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return False
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.fragment
        or "#" in uri
        or "@" in parts.netloc
    ):
        return False
    if any(segment in ("..", ".") for segment in parts.path.lower().replace("%2e", ".").split("/")):
        return False
    patterns = tuple(patterns)
    if any(_matches(uri, pattern) for pattern in patterns):
        return True
    if parts.scheme == "http" and parts.hostname in LOOPBACK and port is not None:
        bare = urlunsplit((parts.scheme, parts.hostname, parts.path, parts.query, ""))
        return any(_matches(bare, pattern) for pattern in patterns)
    return False


def _matches(uri: str, pattern: str) -> bool:
    if not pattern.endswith("*") or "?" in pattern:
        return uri == pattern
    start = pattern[:-1]
    plain = uri.split("?", 1)[0]
    return plain.startswith(start) or plain == start.rstrip("/")
