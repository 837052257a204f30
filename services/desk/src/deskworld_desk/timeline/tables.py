from datetime import datetime

from sqlalchemy import BigInteger, Text
from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class TimelineRow(Base):
    """`row` is the JSON text as it was hashed and as it is served; the other columns find it."""

    __tablename__ = "timeline"

    cursor: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    case_id: Mapped[str | None] = mapped_column(index=True)
    seq: Mapped[int]
    kind: Mapped[str]
    at: Mapped[datetime]
    row: Mapped[str] = mapped_column(Text)


class StreamHead(Base):
    """One row: the last cursor given out, and the end of the desk's own chain (rows that belong to no case)."""

    __tablename__ = "stream_head"

    id: Mapped[int] = mapped_column(primary_key=True)
    cursor: Mapped[int] = mapped_column(BigInteger)
    seq: Mapped[int]
    hash: Mapped[str]


class Blob(Base):
    __tablename__ = "blobs"

    digest: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(Text)
