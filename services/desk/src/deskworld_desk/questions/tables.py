from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from deskworld_desk.tables import Base


class Question(Base):
    """`state`: OPEN · ANSWERED · WITHDRAWN."""

    __tablename__ = "questions"

    id: Mapped[str] = mapped_column(primary_key=True)
    case_id: Mapped[str] = mapped_column(index=True)
    user: Mapped[str]
    text: Mapped[str]
    turn_id: Mapped[str | None]
    state: Mapped[str]
    asked_at: Mapped[datetime]
    due_at: Mapped[datetime]
    seq: Mapped[int]
    answer: Mapped[str | None]
    by_sub: Mapped[str | None]
