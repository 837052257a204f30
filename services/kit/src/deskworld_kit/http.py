"""HTTP clients: httpx's API over aiohttp's transport, which costs a fifth of the CPU."""

from typing import Any

import httpx
from httpx_aiohttp import AiohttpTransport


def client(*, base_url: str = "", timeout: float = 10.0, **options: Any) -> httpx.AsyncClient:
    """A client with persistent connections. `timeout` in seconds, for each phase of a request."""
    return httpx.AsyncClient(
        base_url=base_url, timeout=timeout, transport=AiohttpTransport(), trust_env=False, **options
    )
