"""What people send about a case. `seen`: the seq of the view that they acted on."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.text import plain

Words = Annotated[str, Field(min_length=1, max_length=4_000), plain]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Noted(Body):
    text: Words


class Resumed(Body):
    text: Words
    seen: Annotated[int | None, Field(ge=1)] = None


class Closed(Body):
    why: Words
    seen: Annotated[int | None, Field(ge=1)] = None


class ProposedByPerson(Body):
    """`proposal`: as the agent's propose_resolution takes it; without citations it cites what the desk reads for it."""

    proposal: dict[str, Any]
    seen: Annotated[int | None, Field(ge=1)] = None
