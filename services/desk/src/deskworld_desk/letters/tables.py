from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Letter(Base):
    """`state`: QUEUED · SENT · UNSENT (nobody took it, or it came back from everybody). `awaited`: an answer is still
    waited for. `failed`: the recipients whom it did not reach, as the mail server or a bounce told.
    """

    __tablename__ = "letters"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    to_kind: Mapped[str]
    recipients: Mapped[list[str]]
    subject: Mapped[str]
    body: Mapped[str]
    token: Mapped[str] = mapped_column(index=True)
    message_id: Mapped[str] = mapped_column(index=True)
    turn_id: Mapped[str | None]
    state: Mapped[str] = mapped_column(index=True)
    awaited: Mapped[bool]
    queued_at: Mapped[datetime]
    due_at: Mapped[datetime]
    cause_seq: Mapped[int | None]
    sent_seq: Mapped[int | None]
    failed: Mapped[list[str]] = mapped_column(default=list)


class Mail(Base):
    """What came in, byte for byte; of a message above the size limit its header (`whole` is false then).

    `state`: STORED (not yet parsed) · JOINED (not yet read) · DONE · ASIDE (`why`) · DISMISSED · REPEATED.
    """

    __tablename__ = "mails"
    __table_args__ = (UniqueConstraint("uidvalidity", "uid"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    uidvalidity: Mapped[int] = mapped_column(BigInteger)
    uid: Mapped[int] = mapped_column(BigInteger)
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    size: Mapped[int] = mapped_column(BigInteger)
    whole: Mapped[bool] = mapped_column(default=True)
    digest: Mapped[str] = mapped_column(index=True)
    message_id: Mapped[str | None] = mapped_column(index=True)
    state: Mapped[str] = mapped_column(index=True)
    received_at: Mapped[datetime]
    case_id: Mapped[str | None] = mapped_column(index=True)
    letter_id: Mapped[str | None]
    sender: Mapped[str | None]
    joined_by: Mapped[str | None]
    why: Mapped[str | None]
    seq: Mapped[int | None]
    reading: Mapped[dict[str, Any] | None]
