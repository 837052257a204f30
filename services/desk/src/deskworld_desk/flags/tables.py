from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Flag(Base):
    """One finding about one mail. `flag`: instructions · reader_failed. `state`: RAISED · ASKED (somebody wants it
    cleared, nobody has confirmed) · CLEARED."""

    __tablename__ = "flags"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    mail_id: Mapped[str]
    flag: Mapped[str]
    state: Mapped[str] = mapped_column(index=True)
    raised_at: Mapped[datetime]
    raised_seq: Mapped[int]
    reason: Mapped[str | None]
    asked_by: Mapped[str | None]
    asked_by_sub: Mapped[str | None]
    asked_at: Mapped[datetime | None]
    asked_seq: Mapped[int | None]
    confirmed_by: Mapped[str | None]
    confirmed_by_sub: Mapped[str | None]
    cleared_at: Mapped[datetime | None]
