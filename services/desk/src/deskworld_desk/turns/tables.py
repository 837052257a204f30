from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Input(Base):
    """Something the agent is to be told. Untold while `turn_id` and `dropped_at` are empty."""

    __tablename__ = "inputs"

    id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, Identity())
    case_id: Mapped[str] = mapped_column(index=True)
    type: Mapped[str]
    label: Mapped[str]
    subject: Mapped[str]
    payload: Mapped[dict[str, Any]]
    cause: Mapped[int | None]
    made_at: Mapped[datetime]
    turn_id: Mapped[str | None] = mapped_column(index=True)
    dropped_at: Mapped[datetime | None]


class Turn(Base):
    __tablename__ = "turns"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    number: Mapped[int]
    attempt: Mapped[int]
    agent: Mapped[str]
    model: Mapped[str | None]
    playbook: Mapped[str | None]
    client: Mapped[str]
    token_hash: Mapped[str]
    token_until: Mapped[datetime]
    lease_seconds: Mapped[int]
    lease_until: Mapped[datetime]
    started_at: Mapped[datetime]
    started_seq: Mapped[int]
    labels: Mapped[list[str]]
    ended_at: Mapped[datetime | None]
    how: Mapped[str | None]
    usage: Mapped[list[dict[str, Any]]]
    fingerprint: Mapped[str | None]
    asked: Mapped[bool]


class Call(Base):
    """A tool call and the answer it got; the same call id is answered from here."""

    __tablename__ = "calls"

    turn_id: Mapped[str] = mapped_column(primary_key=True)
    call_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, Identity())
    case_id: Mapped[str] = mapped_column(index=True)
    round: Mapped[int]
    tool: Mapped[str]
    sort: Mapped[str]
    outcome: Mapped[str]
    request_digest: Mapped[str]
    answer: Mapped[dict[str, Any]]
    ids: Mapped[list[str]]


class Handle(Base):
    """A short case-local name of a record: `invoice-1`."""

    __tablename__ = "handles"

    case_id: Mapped[str] = mapped_column(primary_key=True)
    handle: Mapped[str] = mapped_column(primary_key=True)
    record_id: Mapped[str]


class CaseBudget(Base):
    """What a case may use of agents, where a controller raised it; absent: what every case may."""

    __tablename__ = "case_budgets"

    case_id: Mapped[str] = mapped_column(primary_key=True)
    turns: Mapped[int]
    input_tokens: Mapped[int] = mapped_column(BigInteger)


class AgentPause(Base):
    """All agents were paused. Open while `resumed_at` is empty; one may be open."""

    __tablename__ = "agent_pauses"

    id: Mapped[str] = mapped_column(primary_key=True)
    paused_at: Mapped[datetime]
    paused_by: Mapped[dict[str, Any]]
    reason: Mapped[str]
    resumed_at: Mapped[datetime | None]
    resumed_by: Mapped[dict[str, Any] | None]
