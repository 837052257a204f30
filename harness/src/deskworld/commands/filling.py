"""A company to look around in, or one situation, put on a running stack."""

from pathlib import Path

from rich.console import Console

from deskworld import load
from deskworld.commands import worlds
from deskworld.values.case import Rules


async def load_company(world: str, stack: Path | None, seed: int, vendors: int, *, out: Console, err: Console) -> int:
    return await load.company(worlds.named(world), stack, seed, vendors, out=out, err=err)


async def load_scenario(world: str, name: str, stack: Path | None, seed: int, rules: Rules, *, out: Console) -> int:
    return await load.scenario(worlds.named(world), name, stack, seed, rules, out=out)
