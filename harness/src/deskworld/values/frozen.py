"""What every value of the harness is: frozen, closed, and JSON both ways."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Cannot be changed and takes no key that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
