from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Identity, Interval
from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Case(Base):
    """One exception on the desk. Its id is the id of the exception in the system of record.

    `record_version`: the highest of the record that was heard of; `record_status` was told with `status_version`.
    `rechecked_version`: the record's version at the newest re-check (or own command) that this case knows of.
    `office_ahead`: how far its office time is ahead of machine time.
    """

    __tablename__ = "cases"

    id: Mapped[str] = mapped_column(primary_key=True)
    world: Mapped[str]
    record_id: Mapped[str] = mapped_column(index=True)
    party_id: Mapped[str] = mapped_column(index=True)
    reason: Mapped[str]
    amount: Mapped[str]
    currency: Mapped[str]
    opening: Mapped[dict[str, Any]]
    state: Mapped[str]
    rules: Mapped[str]
    owner: Mapped[str]
    stopped: Mapped[str | None]
    record_version: Mapped[int]
    rechecked_version: Mapped[int]
    record_status: Mapped[str]
    status_version: Mapped[int]
    held: Mapped[bool]
    rules_run: Mapped[str | None]
    rules_since: Mapped[datetime | None]
    rules_why: Mapped[str | None]
    rules_cause: Mapped[int | None]
    rerun_used: Mapped[bool] = mapped_column(default=False)
    declined: Mapped[list[dict[str, Any]]]
    turns: Mapped[int] = mapped_column(default=0)
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    instructions_seen: Mapped[bool] = mapped_column(default=False)
    reader_failed: Mapped[bool] = mapped_column(default=False)
    memory: Mapped[dict[str, Any]]
    memory_versions: Mapped[dict[str, Any]]
    resolved_by: Mapped[dict[str, Any] | None]
    seq: Mapped[int] = mapped_column(default=0)
    hash: Mapped[str]
    opened_at: Mapped[datetime]
    office_ahead: Mapped[timedelta] = mapped_column(Interval(), default=timedelta(0))


class Event(Base):
    """An event of the system of record, by its own id. Not yet handled while `handled_at` is empty.

    `parked`: it is about a case (`case_id`) that is not open yet, and is taken up when that opens.
    """

    __tablename__ = "events"

    id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, Identity())
    world: Mapped[str]
    type: Mapped[str]
    subject: Mapped[str]
    record_id: Mapped[str | None] = mapped_column(index=True)
    case_id: Mapped[str | None]
    decision_id: Mapped[str | None]
    parked: Mapped[bool] = mapped_column(default=False)
    body: Mapped[dict[str, Any]]
    received_at: Mapped[datetime]
    handled_at: Mapped[datetime | None]


class Fact(Base):
    __tablename__ = "facts"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    fact: Mapped[str]
    value: Mapped[dict[str, Any]]
    source_kind: Mapped[str]


class PartyRules(Base):
    """Whether the rules work for a party. May be told before the party is known; absent means on."""

    __tablename__ = "party_rules"

    party_id: Mapped[str] = mapped_column(primary_key=True)
    rules: Mapped[str]
