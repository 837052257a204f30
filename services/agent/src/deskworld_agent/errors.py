"""What can go wrong at the agent door."""

AWAY = frozenset({429, 502, 503, 504})


class DoorFailed(Exception):
    """The door, or the issuer of its tokens, did not do what was asked. `status` is None when nothing answered."""

    def __init__(self, asked: str, why: str, *, status: int | None = None, code: str | None = None) -> None:
        super().__init__(f"{asked}: {why}")
        self.asked = asked
        self.status = status
        self.code = code

    @property
    def away(self) -> bool:
        """Nothing answered, or what answered spoke of now and not of what was asked (RFC 9110)."""
        return self.status is None or self.status in AWAY


class LeaseLost(DoorFailed):
    """The turn is not ours any more: it is offered to somebody again, and nothing more of ours counts."""
