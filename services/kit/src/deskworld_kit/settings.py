"""Settings come from the environment alone; a missing one is named at start-up."""

import sys
from typing import Self

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What every service needs. A service subclasses it with a prefix: `SettingsConfigDict(env_prefix="ERP_")`."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore")

    database_url: str
    oidc_issuer: str
    oidc_jwks_url: str
    log_level: str = "info"

    @classmethod
    def from_environment(cls) -> Self:
        """Ends the process with status 2 and one line per missing or malformed setting."""
        try:
            return cls()
        except ValidationError as error:
            prefix = cls.model_config.get("env_prefix", "")
            for item in error.errors():
                name = prefix + "_".join(str(part) for part in item["loc"]).upper()
                sys.stderr.write(f"setting {name}: {item['msg']}; set it in the environment\n")
            raise SystemExit(2) from None
