from datetime import datetime
from typing import Any

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Proposal(Base):
    __tablename__ = "proposals"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    proposer: Mapped[str]
    action: Mapped[str]
    amount: Mapped[str | None]
    currency: Mapped[str]
    settles: Mapped[list[str]]
    against: Mapped[str | None]
    citations: Mapped[list[str]]
    unread: Mapped[list[str]]
    rationale: Mapped[str]
    record_version: Mapped[int]
    turn_id: Mapped[str | None]
    changes: Mapped[dict[str, Any]]
    provenance: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    seq: Mapped[int]


class Decision(Base):
    """`state`: OPEN · MADE (not yet carried out) · NEEDS_DECIDER · APPLIED · REFUSED · DECLINED · WITHDRAWN · STALE.

    The id is the idempotency key of the command. `echo_at` is when the system of record told of the command itself.
    """

    __tablename__ = "decisions"
    __table_args__ = (
        Index(
            "uq_decisions_one_open_per_case",
            "case_id",
            unique=True,
            postgresql_where=text("state IN ('OPEN', 'MADE', 'NEEDS_DECIDER')"),
        ),
        Index("uq_decisions_one_in_flight", "record_id", unique=True, postgresql_where=text("state = 'MADE'")),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    record_id: Mapped[str] = mapped_column(index=True)
    proposal_id: Mapped[str]
    role: Mapped[str | None]
    user: Mapped[str | None]
    state: Mapped[str] = mapped_column(index=True)
    requested_at: Mapped[datetime]
    due_at: Mapped[datetime]
    requested_seq: Mapped[int]
    verdict: Mapped[str | None]
    by_username: Mapped[str | None]
    by_sub: Mapped[str | None]
    words: Mapped[str | None]
    reason: Mapped[str | None]
    decided_at: Mapped[datetime | None]
    made_seq: Mapped[int | None]
    code: Mapped[str | None]
    detail: Mapped[str | None]
    echo_at: Mapped[datetime | None]
