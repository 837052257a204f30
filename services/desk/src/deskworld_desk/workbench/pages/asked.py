"""A request as a page needs it: its form, and what is wrong with it before anybody looks at what it asks."""

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request

from deskworld_kit.problems import Problem

LARGEST_FORM = 64 * 1024


class SignInNeeded(Exception):
    """`ended`: there was a session."""

    def __init__(self, *, ended: bool) -> None:
        super().__init__("sign in")
        self.ended = ended


async def form(request: Request) -> dict[str, str]:
    """The fields of a plain form. Raises Problem 400, 413, 415."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", "a page's form is sent as application/x-www-form-urlencoded")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise Problem(413, "TOO_LARGE", f"a form has at most {LARGEST_FORM} bytes")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError as error:
        raise Problem(400, "INVALID_REQUEST", f"the form cannot be read: {error}") from error
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Problem(400, "INVALID_REQUEST", "a field of the form came twice")
    # browsers send line ends as CR LF (HTML, form submission); the record keeps what was typed
    return {name: value.replace("\r\n", "\n") for name, value in found.items()}


def check_origin(request: Request, sent: Mapping[str, str], csrf: str, public_url: str) -> None:
    """A form counts only when a page of ours made it. Raises Problem 403."""
    origin = request.headers.get("origin")
    if origin is not None and origin != public_url:
        raise Problem(403, "FOREIGN_FORM", "this form was sent by a page of another site")
    if not hmac.compare_digest(sent.get("csrf", "").encode(), csrf.encode()):
        raise Problem(403, "FOREIGN_FORM", "this form was not made by your session; open the page again")


def local_path(text: str, base: str) -> str:
    """A page of the workbench to come back to; anything else becomes its first page."""
    parts = urlsplit(text)
    usable = text.isascii() and text.isprintable() and "\\" not in text and not (parts.scheme or parts.netloc)
    inside = parts.path == base or parts.path.startswith(f"{base}/")
    return text if usable and inside and len(text) <= 500 and ".." not in parts.path else f"{base}/"
