"""The two stacks: given ones, or ones of their own that are gone afterwards."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.repository import ROOT

from deskworld.errors import StackUnavailable
from deskworld.stack import compose, dotenv, embedded, files
from deskworld.stack.containers import DeskworldStack
from deskworld.values.stack import Stack

RUNNING = "running"
"""In place of a stack file: the compose stack that the environment and .env describe."""


@dataclass(frozen=True, slots=True)
class Both:
    embedded: Stack
    compose: Stack


@asynccontextmanager
async def both(given_embedded: str | None, given_compose: str | None) -> AsyncIterator[Both]:
    """Raises StackUnavailable."""
    async with AsyncExitStack() as opened:
        # one after the other: side by side they would wait for each other's processor
        there = await _given(given_compose) if given_compose else await opened.enter_async_context(_containers())
        if given_embedded:
            here = files.read(Path(given_embedded))
        else:
            here = await opened.enter_async_context(embedded.started("both-stacks"))
        _are(here, there)
        yield Both(here, there)


async def _given(named: str) -> Stack:
    if named != RUNNING:
        return files.read(Path(named))
    found, met = await compose.running(dotenv.settings(ROOT, os.environ))
    if found is None:
        raise StackUnavailable(
            f"no compose stack runs here{met and f': {met}'}", next_step="`docker compose up -d --wait` starts one"
        )
    return found


@asynccontextmanager
async def _containers() -> AsyncIterator[Stack]:
    """Built first: images of older sources would prove something about those."""
    containers = DeskworldStack(ROOT, build=True)
    try:
        await asyncio.to_thread(containers.start)
        yield containers.stack
    finally:
        await asyncio.to_thread(containers.stop)


def _are(here: Stack, there: Stack) -> None:
    """A stack that is compared with itself agrees."""
    if (here.kind, there.kind) != ("embedded", "compose"):
        raise StackUnavailable(
            f"{here.id} is {here.kind} and {there.id} is {there.kind}; wanted are an embedded and a compose stack",
            next_step="name one of each, or leave them out: they are started then",
        )
