"""The official MCP client at an agent door."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

Era = Literal["auto", "legacy"]


@asynccontextmanager
async def mcp_client(address: str, token: str, era: Era = "auto") -> AsyncIterator[Client]:
    """`era`: the revision without sessions, or the ones with a handshake before it."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What it answered, whatever the outcome."""
    answer = await client.call_tool(tool, arguments)
    assert answer.structured_content is not None
    return dict(answer.structured_content)
