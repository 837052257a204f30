"""What the desk must be told at start-up (`DESK_…` in the environment)."""

from typing import Literal, Self

from pydantic import PositiveFloat, PositiveInt, model_validator
from pydantic_settings import SettingsConfigDict

from deskworld_desk.quarantine.reader import Choice
from deskworld_kit.settings import Settings
from deskworld_kit.telemetry.settings import OFF, Traces


class DeskSettings(Settings):
    model_config = SettingsConfigDict(env_prefix="DESK_", frozen=True, extra="ignore")

    office_bind: str
    public_url: str | None = None
    """Where a browser finds the office door, when that is not the first address that it listens on."""
    stage_bind: str
    agent_bind: str
    stage_secret: str
    webhook_secret: str
    erp_url: str
    token_url: str
    client_secret: str
    policy_url: str
    smtp_host: str
    smtp_port: int
    smtp_login: str
    smtp_password: str
    imap_host: str
    imap_port: int
    imap_login: str
    imap_password: str
    mail_ca_file: str | None = None
    """Who vouches for the mail server's certificate, where it is none of the system's."""
    mail_address: str = "ap@deskworld.example"
    mail_size_limit: PositiveInt = 25 * 1024 * 1024
    """Octets: of a larger message the header alone is fetched."""
    reader: Literal["lexicon", "model"] = "lexicon"
    """Who reads letters."""
    reader_model: str | None = None
    """`<provider>:<model>`, as pydantic-ai names it, where `reader` is a model."""
    reader_url: str | None = None
    reader_key: str | None = None
    reader_seconds: PositiveFloat = 60.0
    """How long a model may take for one letter."""
    traces: Traces = OFF
    """Where spans of turns and tools go."""
    build: str = "0.1.0"
    stack_id: str | None = None
    stack_kind: str = "compose"

    @model_validator(mode="after")
    def _a_model_is_named(self) -> Self:
        if self.reader == "model" and not self.reader_model:
            raise ValueError("DESK_READER is model: DESK_READER_MODEL must name it, as <provider>:<model>")
        return self

    @property
    def read_by(self) -> Choice:
        return Choice(self.reader, self.reader_model, self.reader_url, self.reader_key, self.reader_seconds)

    @property
    def office_url(self) -> str:
        """Without a slash at its end."""
        return (self.public_url or f"http://{self.office_bind.partition(',')[0].strip()}").rstrip("/")

    @property
    def stack(self) -> dict[str, str] | None:
        """What a harness recognises the stack by; None where nobody looks for it."""
        return {"id": self.stack_id, "kind": self.stack_kind} if self.stack_id else None
