"""A stack is a set of addresses. The harness does not care who runs them."""

from typing import Literal

from pydantic import Field, model_validator

from deskworld.values.frozen import Frozen


class Address(Frozen):
    host: str
    port: int = Field(ge=1, le=65535)


class Secrets(Frozen):
    """The desk's own two are for the conformance suite, which looks at the stack from the desk's side too."""

    erp_stage: str
    desk_stage: str
    agent_client: str
    counterparty_mailbox: str
    desk_client: str | None = None
    desk_mailbox: str | None = None
    people: str = "deskworld-loopback"


class Stack(Frozen):
    """The stack file, as the page of doors has it."""

    schema_: Literal["deskworld/stack/1"] = Field(alias="schema")
    id: str
    kind: Literal["embedded", "compose", "given"]
    erp: str
    erp_stage: str
    desk: str
    desk_stage: str
    agent_door: str
    issuer: str
    policy: str
    smtp: Address
    submission: Address
    imap: Address
    secrets: Secrets
    folder: str | None = None
    logs: str | None = None
    pid: int | None = None

    @property
    def token_url(self) -> str:
        return f"{self.issuer}/protocol/openid-connect/token"

    @model_validator(mode="after")
    def _no_trailing_slash(self) -> "Stack":
        for name in ("erp", "erp_stage", "desk", "desk_stage", "agent_door", "issuer", "policy"):
            if getattr(self, name).endswith("/"):
                raise ValueError(f"{name} carries a trailing slash: {getattr(self, name)}")
        return self
