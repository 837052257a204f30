"""The one clock of the services."""

import asyncio
import time
from datetime import UTC, datetime


def now() -> datetime:
    """Machine time, aware, UTC."""
    return datetime.now(UTC)  # noqa: TID251 - this is the clock's one home


def monotonic() -> float:
    """Seconds that only grow; for deadlines."""
    return time.monotonic()


async def pause(seconds: float) -> None:
    """Back off before another try. Never for waiting on a fact: those come as events."""
    await asyncio.sleep(seconds)  # noqa: TID251 - backoff's one home
