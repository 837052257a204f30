"""Secrets of one stack: made when it starts, known to its parts and to whoever may read its stack file."""

import secrets
from dataclasses import dataclass, field


def _fresh() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    erp_stage: str = field(default_factory=_fresh)
    desk_stage: str = field(default_factory=_fresh)
    webhook: str = field(default_factory=_fresh)
    desk_client: str = field(default_factory=_fresh)
    agent_client: str = field(default_factory=_fresh)
    desk_mailbox: str = field(default_factory=_fresh)
    staff_mailbox: str = field(default_factory=_fresh)
    counterparty_mailbox: str = field(default_factory=_fresh)
    erp_database: str = field(default_factory=_fresh)
    desk_database: str = field(default_factory=_fresh)
