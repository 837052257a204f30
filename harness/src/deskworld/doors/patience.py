"""A door that is away for as long as a restart takes is asked again; one that stays away is given up, once for all."""

from collections.abc import AsyncIterator

from deskworld.doors import clock

AWAY_SECONDS = 120.0
"""A whole stack of containers is back after half of that on a busy machine."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0


class Patience:
    """One door's. The time counts from when the door was last met, whoever met it: while it is away all who ask wait
    together, and once it has been away for too long each ask is a single try, until the door answers again."""

    def __init__(self, seconds: float = AWAY_SECONDS) -> None:
        self.seconds = seconds
        self._missed: float | None = None

    async def tries(self) -> AsyncIterator[int]:
        """Goes round for another try, with a growing pause before each but the first, until the time is up. Whoever
        gets an answer says `met` and leaves; whoever comes out at the end has seen the door away for too long."""
        pause, made = FIRST_PAUSE, 0
        while True:
            made += 1
            yield made
            now = clock.monotonic()
            self._missed = now if self._missed is None else self._missed
            left = self._missed + self.seconds - now
            if left <= 0:
                return
            await clock.pause(min(pause, left))
            pause = min(pause * 2, LONGEST_PAUSE)

    def met(self) -> None:
        self._missed = None
