"""What the ERP must be told at start-up (`ERP_…` in the environment)."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from deskworld_kit.settings import Settings


class ErpSettings(Settings):
    model_config = SettingsConfigDict(env_prefix="ERP_", frozen=True, extra="ignore")

    office_bind: str
    stage_bind: str
    stage_secret: str = Field(min_length=1)
    webhook_url: str | None = None
    """Without it events are read from the feed alone."""
    webhook_secret: str = ""
    authority: Literal["enforce", "trust"] = "enforce"
    tolerances: Path | None = None
    call_back_trusted_days: int = Field(default=1, ge=1)
    """How many days before a bank change was asked for a number must have been on record, to be called about it."""
    rate_per_second: float = Field(default=2_000, gt=0)
    """Requests of one caller, sustained; beyond, and once the burst is used up, they are answered 429."""
    rate_burst: int = Field(default=5_000, ge=1)
