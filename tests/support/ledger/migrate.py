"""`python -m tests.support.ledger.migrate` with BOOKS_MIGRATION_URL."""

import asyncio
import os
from typing import Any

import asyncpg


async def main() -> None:
    connect: Any = asyncpg.connect
    connection = await connect(os.environ["BOOKS_MIGRATION_URL"])
    await connection.execute("CREATE TABLE entry (number int PRIMARY KEY, words text NOT NULL)")
    await connection.execute("GRANT SELECT, INSERT ON entry TO books_service")
    await connection.close()


asyncio.run(main())
