"""`python -m deskworld_erp.migrate`: brings the database to the newest revision, grants the service its rights,
and writes who may do what. The owner's address stands in `ERP_MIGRATION_URL`; running it again changes nothing.
"""

import asyncio
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import Connection

from deskworld_erp.invoicing.rules.authority import Role
from deskworld_erp.invoicing.tables import authority_grants
from deskworld_erp.schema import metadata
from deskworld_kit import migration

SCHEMA = migration.Schema(
    package="deskworld_erp",
    metadata=metadata,
    role="erp_service",
    rights="SELECT, INSERT, UPDATE, DELETE",
    append_only=frozenset({"audit"}),
)


async def migrate(url: str, authority: Path | None = None) -> None:
    grants = _authority(authority)
    await migration.migrate(url, SCHEMA, lambda connection: _authorise(connection, grants))


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
    asyncio.run(migrate(migration.address_from_environment("ERP_MIGRATION_URL")))


if __name__ == "__main__":
    main()
