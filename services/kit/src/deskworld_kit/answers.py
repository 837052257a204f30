"""Answers of the doors: JSON written once, ETags, cursors."""

import base64
import binascii
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Query, Response

from deskworld_kit.problems import Problem

Cursor = Annotated[str | None, Query(max_length=200, description="`next` of the page before; absent: the first page")]
Limit = Annotated[int, Query(ge=1, le=200, description="records per page")]


def to_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def answer(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(to_bytes(value), status_code=status, media_type="application/json", headers=dict(headers or {}))


def etag(body: bytes) -> str:
    """A strong validator (RFC 9110): it changes whenever a byte of the answer does."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def cursor_of(position: str | int) -> str:
    return base64.urlsafe_b64encode(str(position).encode()).decode().rstrip("=")


def text_position(cursor: str | None) -> str:
    """Where a cursor points, or before everything. Raises Problem 400."""
    if cursor is None:
        return ""
    try:
        found = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError) as error:
        raise _no_cursor(cursor) from error
    if not found.isprintable():
        raise _no_cursor(cursor)
    return found


def number_position(cursor: str | None, *, most: int = 2**31 - 1) -> int:
    """As `text_position`, where records are numbered from 1."""
    found = text_position(cursor)
    if not found:
        return 0
    if not (found.isascii() and found.isdigit() and len(found) < 20 and int(found) <= most):
        raise _no_cursor(cursor)
    return int(found)


def page(items: list[Any], limit: int, position: Any) -> dict[str, Any]:
    """`items` holds one more than `limit` when there is a next page; `position(item)` is where that page starts."""
    more = len(items) > limit
    shown = items[:limit]
    return {"items": shown, "next": cursor_of(position(shown[-1])) if more else None}


def records_page(items: list[Any], limit: int, position: Any) -> dict[str, Any]:
    """As `page`, of records: `ids` holds every form of those that it shows."""
    shown = page(items, limit, position)
    return shown | {"ids": [form for one in shown["items"] for form in one.get("ids", (one["id"],))]}


def not_found(kind: str, **values: Any) -> Problem:
    return Problem(404, "NOT_FOUND", f"There is no such {kind}.", **values)


def _no_cursor(cursor: str | None) -> Problem:
    return Problem(400, "INVALID_REQUEST", "cursor: not one that this service gave", field="cursor", value=cursor)
