"""The feed of events and its receivers on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AnyHttpUrl, StringConstraints

from deskworld_erp.fields import Short, Value


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


class DeadLetterView(Value):
    id: str
    type: str
    subject: str
    receiver: str
    dead_at: datetime
    attempts: int
    last_error: str | None


class DeadLetters(Value):
    items: list[DeadLetterView]
    next: str | None


class Resend(Value):
    """`receiver` null: all that it did not reach."""

    receiver: Short | None = None


class Resent(Value):
    event_id: str
    receivers: list[str]


def _http_address(value: str) -> str:
    found = AnyHttpUrl(value)
    if found.username or found.password or found.fragment:
        raise ValueError("an http or https address without a user name, a password or a fragment")
    return str(found)


class NewSubscription(Value):
    url: Annotated[
        str, StringConstraints(max_length=2000, pattern=r"^https?://[\x21-\x7e]+$"), AfterValidator(_http_address)
    ]


class SubscriptionView(Value):
    """`waiting`: events that are still to be sent. `dead`: events that were given up."""

    id: str
    url: str
    made_by: str | None
    at: datetime
    waiting: int
    dead: int
    last_error: str | None


class NewSubscriptionView(SubscriptionView):
    """`secret` signs what is sent to it, and is told here alone."""

    secret: str


class Subscriptions(Value):
    items: list[SubscriptionView]
