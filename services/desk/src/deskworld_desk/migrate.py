"""`python -m deskworld_desk.migrate`: brings the database to the newest revision and grants the service its rights.
The owner's address stands in `DESK_MIGRATION_URL`; running it again changes nothing.
"""

import asyncio
import os
import sys
from importlib.resources import files

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from deskworld_desk.schema import metadata

SERVICE_ROLE = "desk_service"
APPEND_ONLY = frozenset({"timeline", "blobs"})


async def migrate(url: str) -> None:
    if url.startswith("postgresql://"):
        url = "postgresql+asyncpg://" + url.removeprefix("postgresql://")
    engine = create_async_engine(url)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_upgrade)
            await connection.run_sync(_grant)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(files("deskworld_desk") / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _grant(connection: Connection) -> None:
    """The service writes what it owns, and can neither change nor delete a timeline row or a blob."""
    if connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": SERVICE_ROLE}) is None:
        return
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {SERVICE_ROLE}"))
    for table in metadata.tables:
        rights = "SELECT, INSERT" if table in APPEND_ONLY else "SELECT, INSERT, UPDATE"
        connection.execute(text(f"REVOKE ALL ON {table} FROM {SERVICE_ROLE}"))
        connection.execute(text(f"GRANT {rights} ON {table} TO {SERVICE_ROLE}"))
    connection.execute(text(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {SERVICE_ROLE}"))


def main() -> None:
    url = os.environ.get("DESK_MIGRATION_URL", "")
    if not url:
        sys.stderr.write("setting DESK_MIGRATION_URL: set it to the address of the database's owner\n")
        raise SystemExit(2)
    asyncio.run(migrate(url))


if __name__ == "__main__":
    main()
