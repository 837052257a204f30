"""Other values that a field of some type could hold: each a change of what the record says. Pure and without chance."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from deskworld.calibration.fields import NULLABLE

Change = tuple[str, Any]
"""(what the operator is called, the value that it puts there)."""

OTHER_ID = "0197a000-dead-7000-8000-00000000beef"
OTHER_DIGEST = "0" * 63 + "1"
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NUMBER = re.compile(r"-?\d+\.\d{1,4}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")


def changes(type_: str, value: Any) -> Iterator[Change]:
    """Of a typed field. One whose type may be null is also emptied, and filled where it is empty."""
    nullable = type_.endswith(NULLABLE)
    bare = type_.removesuffix(NULLABLE)
    if value is None:
        yield "filled", _example(bare)
        return
    if nullable:
        yield "emptied", None
    yield from _others(bare, value)


def inferred(value: Any) -> str:
    """The type of a value of a document whose fields are not listed here."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int):
        return "count"
    if not isinstance(value, str):
        return "json"
    forms = ((_ID, "id"), (_DIGEST, "digest"), (_NUMBER, "money"), (_MOMENT, "moment"))
    return next((name for pattern, name in forms if pattern.fullmatch(value)), "code")


def _others(type_: str, value: Any) -> Iterator[Change]:
    if "|" in type_:
        yield from ((f"said to be {other}", other) for other in type_.split("|") if other != value)
    elif type_ == "id":
        yield "another id", OTHER_ID if _ID.fullmatch(value) else f"{value[:-1]}{'x' if value[-1:] != 'x' else 'y'}"
    elif type_ == "digest":
        yield "another digest", OTHER_DIGEST
    elif type_ == "money":
        amount = Decimal(value)
        yield "a cent more", str(amount + Decimal("0.01"))
        yield "a hundred times as much", str(amount * 100 if amount else amount + 1000)
    elif type_ == "count":
        yield "one more", value + 1
    elif type_ == "flag":
        yield "the opposite", not value
    elif type_ == "moment":
        yield "a day later", _later(value)
    elif type_ == "words":
        yield "other words", f"{value} Or so."
    elif type_ == "who":
        yield "another person", {**value, "username": "kira.stone"}
        yield "another subject", {**value, "sub": OTHER_ID}
    elif type_ in {"ids", "codes"}:
        if value:
            yield "one left out", value[1:]
        yield "one more", [*value, OTHER_ID if type_ == "ids" else "SOMETHING_ELSE"]
    else:
        yield "another word", f"{value}-x" if isinstance(value, str) else "something else"


def _example(type_: str) -> Any:
    if "|" in type_:
        return type_.split("|", maxsplit=1)[0]
    return {
        "id": OTHER_ID,
        "digest": OTHER_DIGEST,
        "money": "1.00",
        "words": "Something.",
        "json": {"kind": "receipt", "id": OTHER_ID},
    }.get(type_, "something")


def _later(value: str) -> str:
    moment = datetime.fromisoformat(value) + timedelta(days=1)
    return moment.date().isoformat() if len(value) == len("2026-01-01") else moment.isoformat()
