"""The harness's one clock."""

import asyncio
import time
from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the clock's one home


def monotonic() -> float:
    """Seconds that only grow; for deadlines and wall times."""
    return time.monotonic()


async def pause(seconds: float) -> None:
    """Back off before another try at a door. Never for waiting on a fact."""
    await asyncio.sleep(seconds)  # noqa: TID251 - backoff's one home
