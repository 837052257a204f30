"""Settings come from the environment alone; a missing one is named at start-up."""

import ipaddress
import os
import sys
from typing import Self

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

DEFAULT_SECRET = "loopback"  # noqa: S105 - what every default of a secret has in it, so that it is known for one
PUBLISHED = "DESKWORLD_PUBLISHED"
"""The address on which the doors of a container are published: what it listens on itself says nothing of that."""


class Settings(BaseSettings):
    """What every service needs. A service subclasses it with a prefix: `SettingsConfigDict(env_prefix="ERP_")`."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    database_url: str
    oidc_issuer: str
    oidc_jwks_url: str
    oidc_keys_seconds: float = Field(default=15.0, gt=0)
    """For how long the issuer's keys are believed until they are asked for again; so long a withdrawn one counts."""
    log_level: str = "info"
    metrics: bool = False
    """Whether `GET /metrics` answers at the stage door (Prometheus' text format)."""

    @classmethod
    def from_environment(cls) -> Self:
        """Ends the process with status 2 and one line per setting that is missing, malformed, or a default secret where
        others than this machine could use it."""
        try:
            settings = cls()
        except ValidationError as error:
            prefix = cls.model_config.get("env_prefix", "")
            for item in error.errors():
                name = prefix + "_".join(str(part) for part in item["loc"]).upper()
                sys.stderr.write(f"setting {name}: {item['msg']}; set it in the environment\n")
            raise SystemExit(2) from None
        refused = default_secrets_beyond_loopback(settings, os.environ.get(PUBLISHED))
        for name in refused:
            sys.stderr.write(f"{name}\n")
        if refused:
            raise SystemExit(2)
        return settings


def default_secrets_beyond_loopback(settings: Settings, published: str | None) -> list[str]:
    """One sentence per default secret, when somebody on another machine could come to a door that it opens."""
    values = {name: value for name, value in settings.model_dump().items() if isinstance(value, str)}
    if published is not None:
        beyond = [] if is_loopback(published) else [f"{PUBLISHED}={published}"]
    else:
        binds = [bind for name, value in values.items() if name.endswith("_bind") for bind in value.split(",")]
        beyond = [bind for bind in binds if not is_loopback(bind.strip().rpartition(":")[0])]
    if not beyond:
        return []
    prefix = settings.model_config.get("env_prefix", "")
    why = f"a default secret is for the loopback only, and {beyond[0]} is not; set another"
    return [
        f"setting {prefix}{name.upper()}: {why}"
        for name, value in values.items()
        if DEFAULT_SECRET in value and not name.endswith("_bind")
    ]


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
