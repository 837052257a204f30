"""Bringing a service's database to its newest revision, and granting the service what it may do there. Idempotent."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, MetaData, text

from deskworld_kit.database import database


@dataclass(frozen=True, slots=True)
class Schema:
    """A service's tables, and the role that it logs in as.

    The role gets `rights` on every table and can only read and insert in those of `append_only`. Its revisions lie in
    the folder `migrations` of `package`.
    """

    package: str
    metadata: MetaData
    role: str
    rights: str
    append_only: frozenset[str]


async def migrate(url: str, schema: Schema, *more: Callable[[Connection], None]) -> None:
    """`url` is the owner's. `more` runs in the same transaction, last."""
    held = database(url)
    try:
        async with held.engine.begin() as connection:
            await connection.run_sync(_upgrade, schema)
            await connection.run_sync(_grant, schema)
            for step in more:
                await connection.run_sync(step)
    finally:
        await held.close()


def address_from_environment(name: str) -> str:
    """Ends the process with status 2 when it is not there."""
    url = os.environ.get(name, "")
    if not url:
        sys.stderr.write(f"setting {name}: set it to the address of the database's owner\n")
        raise SystemExit(2)
    return url


def _upgrade(connection: Connection, schema: Schema) -> None:
    config = Config()
    config.set_main_option("script_location", str(files(schema.package) / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _grant(connection: Connection, schema: Schema) -> None:
    """Nothing where the role does not exist: whoever made this database has one owner for everything."""
    role = schema.role
    if connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}) is None:
        return
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {role}"))
    for table in schema.metadata.tables:
        rights = "SELECT, INSERT" if table in schema.append_only else schema.rights
        connection.execute(text(f"REVOKE ALL ON {table} FROM {role}"))
        connection.execute(text(f"GRANT {rights} ON {table} TO {role}"))
    connection.execute(text(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}"))
