"""A span as a value: it knows no library that could send it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

Value = str | int | float | bool | Sequence[str]


@dataclass(frozen=True, slots=True)
class Span:
    """`trace` names what it belongs to, `own` itself (by default the trace's root), `parent` the one around it; each is
    any text. `client`: somebody else did what it tells of. `failed`: in a word, what went wrong."""

    name: str
    trace: str
    began: datetime
    ended: datetime
    attributes: Mapping[str, Value]
    own: str | None = None
    parent: str | None = None
    client: bool = False
    failed: str | None = None
    events: Sequence[tuple[str, Mapping[str, Value]]] = ()
