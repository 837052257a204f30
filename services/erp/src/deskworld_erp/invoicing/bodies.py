"""The body of a command: what it says, what is wrong with it, and the digest by which the same request is known."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deskworld_erp.invoicing.rules.commands import Code
from deskworld_kit.chain import digest
from deskworld_kit.problems import Problem

Body = TypeVar("Body", bound=BaseModel)


def read_body(
    content: bytes, path: Sequence[str], parse: Callable[[Any], Body]
) -> tuple[Body | None, Problem | None, str]:
    """Either the body or a problem, and the digest of it together with `path`."""
    try:
        said = json.loads(content or b"null")
        seen_as = digest([*path, said])
    except (ValueError, RecursionError) as error:
        return None, _invalid("body", f"not JSON: {error}", None), digest([*path, content.decode("latin-1")])
    try:
        return parse(said), None, seen_as
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        return None, _invalid(field, first["msg"], repr(first["input"])[:80] if first["loc"] else None), seen_as


def _invalid(field: str, what: str, value: str | None) -> Problem:
    return Problem(400, Code.INVALID_REQUEST, f"{field}: {what}", field=field, value=value)
