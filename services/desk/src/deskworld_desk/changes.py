"""Changes of a party's particulars that people verify at the system of record: what a world brings for them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

Json = dict[str, Any]


class SaidNo(Exception):
    """The system of record refused a person, by a rule of its own: its status, code and words (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str, values: Json) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.values = values


@dataclass(frozen=True, slots=True)
class Step:
    """What a person does about a change. `body` is the system of record's own, `key` the idempotency key."""

    change_id: str
    name: str
    body: Json
    key: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Each asks with the person's own token, so that the system of record says who may see and do what.

    `listed`: the token, a cursor, whether those that are done with are wanted too; gives `{items, next}`. `one`: a
    change, with its party; None when there is none. `steps`: their names. Each raises SaidNo, Unreachable.
    """

    listed: Callable[[str, str | None, bool], Awaitable[Json]]
    one: Callable[[str, str], Awaitable[Json | None]]
    steps: Mapping[str, type[BaseModel]]
    take: Callable[[Step, str], Awaitable[Json]]
