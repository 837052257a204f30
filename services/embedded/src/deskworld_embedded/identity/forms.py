"""Forms and client credentials as they arrive."""

import base64
import binascii
import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote_plus

from starlette.requests import Request

from deskworld_embedded.identity.realm import Client, Realm
from deskworld_embedded.identity.refusals import BAD_CLIENT, Refused, invalid_request

LARGEST_FORM = 64 * 1024


def same(one: str, other: str) -> bool:
    """In constant time."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def fields(text: str) -> dict[str, str]:
    """Raises Refused when a parameter comes twice (RFC 6749, 3.1 and 3.2)."""
    found: dict[str, str] = {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError as error:
        raise invalid_request(f"the parameters cannot be read: {error}") from error
    for name, value in pairs:
        if name in found:
            raise invalid_request("duplicated parameter")
        found[name] = value
    return found


async def form(request: Request) -> dict[str, str]:
    """Raises Refused."""
    kind = request.headers.get("content-type", "").split(";", 1)[0].strip().lower()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise Refused(413, "invalid_request", "the form is too large")
    if body and kind != "application/x-www-form-urlencoded":
        raise invalid_request("send application/x-www-form-urlencoded")
    try:
        return fields(body.decode("ascii"))
    except UnicodeDecodeError as error:
        raise invalid_request("the form is not encoded") from error


def client_of(realm: Realm, request: Request, sent: Mapping[str, str]) -> Client:
    """The authenticated client: secret by Basic or by form, public clients by name. Raises Refused."""
    client_id, secret = _credentials(request, sent)
    if not client_id:
        raise Refused(401, "invalid_client", BAD_CLIENT)
    client = realm.clients.get(client_id)
    if client is None or not client.enabled:
        raise Refused(401, "invalid_client", BAD_CLIENT)
    if not client.public and not (secret is not None and same(secret, client.secret)):
        raise Refused(401, "unauthorized_client", BAD_CLIENT)
    return client


def _credentials(request: Request, sent: Mapping[str, str]) -> tuple[str, str | None]:
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return sent.get("client_id", ""), sent.get("client_secret")
    try:
        client_id, _, secret = base64.b64decode(encoded, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise Refused(401, "invalid_client", BAD_CLIENT) from error
    return unquote_plus(client_id), unquote_plus(secret)
