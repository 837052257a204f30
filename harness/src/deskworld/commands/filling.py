"""A company to look around in, put on a running stack."""

from pathlib import Path

from rich.console import Console

from deskworld import load
from deskworld.commands import worlds


async def load_company(world: str, stack: Path | None, seed: int, vendors: int, *, out: Console, err: Console) -> int:
    return await load.company(worlds.named(world), stack, seed, vendors, out=out, err=err)
