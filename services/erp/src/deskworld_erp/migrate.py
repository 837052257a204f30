"""`python -m deskworld_erp.migrate`: brings the database to the newest revision, grants the service its rights,
and writes who may do what. The owner's address stands in `ERP_MIGRATION_URL`; running it again changes nothing.
"""

import asyncio
import os
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from deskworld_erp.invoicing.rules.authority import Role
from deskworld_erp.invoicing.tables import authority_grants
from deskworld_erp.schema import metadata

SERVICE_ROLE = "erp_service"
APPEND_ONLY = frozenset({"audit"})


async def migrate(url: str, authority: Path | None = None) -> None:
    if url.startswith("postgresql://"):
        url = "postgresql+asyncpg://" + url.removeprefix("postgresql://")
    engine = create_async_engine(url)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_upgrade)
            await connection.run_sync(_grant)
            await connection.run_sync(_authorise, _authority(authority))
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(files("deskworld_erp") / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _grant(connection: Connection) -> None:
    """The service writes what it owns, and can neither change nor delete an audit row."""
    if connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": SERVICE_ROLE}) is None:
        return
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {SERVICE_ROLE}"))
    for table in metadata.tables:
        rights = "SELECT, INSERT" if table in APPEND_ONLY else "SELECT, INSERT, UPDATE, DELETE"
        connection.execute(text(f"REVOKE ALL ON {table} FROM {SERVICE_ROLE}"))
        connection.execute(text(f"GRANT {rights} ON {table} TO {SERVICE_ROLE}"))
    connection.execute(text(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {SERVICE_ROLE}"))


def _authority(path: Path | None) -> list[dict[str, Any]]:
    """Raises ValueError for an unknown role or a role without a stated limit."""
    content = yaml.safe_load((path or files("deskworld_erp") / "authority.yaml").read_text(encoding="utf-8"))
    limits = content["limits"]
    unstated = sorted(str(role) for role in Role if role not in limits)
    if unstated:
        raise ValueError(f"authority: no limit is stated for {', '.join(unstated)}; null means without limit")
    return [
        {"username": username, "role": str(Role(role)), "limits": limits[role]}
        for username, roles in content["people"].items()
        for role in roles
    ]


def _authorise(connection: Connection, grants: list[dict[str, Any]]) -> None:
    connection.execute(authority_grants.delete())
    connection.execute(authority_grants.insert(), grants)


def main() -> None:
    url = os.environ.get("ERP_MIGRATION_URL", "")
    if not url:
        sys.stderr.write("setting ERP_MIGRATION_URL: set it to the address of the database's owner\n")
        raise SystemExit(2)
    asyncio.run(migrate(url))


if __name__ == "__main__":
    main()
