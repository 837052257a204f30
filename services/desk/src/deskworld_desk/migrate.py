"""`python -m deskworld_desk.migrate`: brings the database to the newest revision and grants the service its rights.
The owner's address stands in `DESK_MIGRATION_URL`; running it again changes nothing.
"""

import asyncio

from deskworld_desk.schema import metadata
from deskworld_kit import migration

SCHEMA = migration.Schema(
    package="deskworld_desk",
    metadata=metadata,
    role="desk_service",
    rights="SELECT, INSERT, UPDATE",
    append_only=frozenset({"timeline", "blobs"}),
)


async def migrate(url: str) -> None:
    await migration.migrate(url, SCHEMA)


def main() -> None:
    asyncio.run(migrate(migration.address_from_environment("DESK_MIGRATION_URL")))


if __name__ == "__main__":
    main()
