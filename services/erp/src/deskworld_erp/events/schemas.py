"""The feed of events on the wire."""

from datetime import datetime
from typing import Any, Literal

from deskworld_erp.fields import Value


class CloudEvent(Value):
    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: datetime
    datacontenttype: Literal["application/json"]
    data: dict[str, Any]


class Feed(Value):
    """`next`: where to go on; it is there even when no event is new."""

    items: list[CloudEvent]
    next: str


class DeadLetter(Value):
    id: str
    type: str
    subject: str
    dead_at: datetime
    attempts: int
    last_error: str | None


class DeadLetters(Value):
    items: list[DeadLetter]
