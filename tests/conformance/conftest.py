"""The conformance suite does not ask which stack it runs on: DESKWORLD_STACK names a stack file; without it, the three
stand-in servers are started alone."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.servers import stand_ins
from tests.support.signing_in import Oidc, oidc


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    given = os.environ.get("DESKWORLD_STACK")
    if given:
        yield json.loads(Path(given).read_text())
        return
    with stand_ins(tmp_path_factory.mktemp("stand-ins")) as doors:
        yield doors


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A browser of its own for each test: no cookie of another's."""
    async with httpx.AsyncClient(timeout=15, trust_env=False) as client:
        yield client


@pytest.fixture
async def issuer(stack: dict[str, Any], http: httpx.AsyncClient) -> Oidc:
    return await oidc(http, stack["issuer"])
