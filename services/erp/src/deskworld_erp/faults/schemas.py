"""Faults on the wire."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from deskworld_erp.faults.rules import Kind
from deskworld_erp.fields import WHOLE, Id, Short, Value

Milliseconds = Annotated[int, Field(ge=0, le=600_000, strict=True, examples=[3000]), WHOLE]
NEEDS_STATUS = "status: a fault of kind status says which"


class FaultBody(Value):
    """What happens to which calls at the office door. `method` and `route` (as the office describes it) null: all.

    latency waits `milliseconds` before the call; status answers without the call; commit-then-timeout makes the call
    and withholds the answer for `milliseconds`, then cuts the connection; drop cuts it without the call; stale-read
    answers a GET with what the same address answered before its last change.
    """

    kind: Kind
    method: Literal["GET", "POST", "PUT", "DELETE"] | None = None
    route: Annotated[Short | None, Field(examples=["/invoices/{invoice_id}/similar"])] = None
    rate: Annotated[float, Field(gt=0, le=1, examples=[0.3], description="share of the calls")] = 1.0
    calls: Annotated[int, Field(ge=1, le=1_000_000, strict=True), WHOLE] | None = None
    seed: Annotated[Short, Field(examples=["7"], description="same seed, same calls: same faults")] = "0"
    milliseconds: Milliseconds | None = None
    status: Annotated[Literal[429, 500, 503] | None, Field(examples=[503])] = None
    retry_after: Annotated[int, Field(ge=0, le=3600, strict=True, description="seconds"), WHOLE] | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.kind is Kind.STATUS) != (self.status is not None):
            raise ValueError(f"{NEEDS_STATUS}, and no other does")
        if self.kind is Kind.LATENCY and not self.milliseconds:
            raise ValueError("milliseconds: a latency says how long")
        if self.kind not in {Kind.LATENCY, Kind.COMMIT_THEN_TIMEOUT} and self.milliseconds is not None:
            raise ValueError(f"milliseconds: {self.kind} takes no time")
        if self.kind is not Kind.STATUS and self.retry_after is not None:
            raise ValueError("retry_after: it goes with a status")
        if self.kind is Kind.STALE_READ and self.method not in {None, "GET"}:
            raise ValueError("method: only a GET can be stale")
        return self


class SituationFault(FaultBody):
    """`scope` vendor: this situation's vendor's records; all: everybody's, until this vendor's faults are taken off."""

    scope: Literal["vendor", "all"] = "vendor"


class NewFault(FaultBody):
    """`vendor_id` null: everybody's records."""

    vendor_id: Id | None = None


class FaultView(FaultBody):
    id: Id
    vendor_id: Id | None
    everybody: bool


class FaultsView(Value):
    items: list[FaultView]
    ids: list[Id]
