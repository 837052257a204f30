"""What the embedded stack costs before anything is played, and after."""

from tests.bench.ground import Ground
from tests.bench.result import Result

from deskworld.stack.embedded import measured


async def up_warm(ground: Ground) -> list[Result]:
    return [Result("stack up, warm", round(ground.up_seconds, 2), "s", 3)]


async def memory_idle(ground: Ground) -> list[Result]:
    return [await memory(ground, "stack memory, before anything was played")]


async def memory_after(ground: Ground) -> list[Result]:
    return [await memory(ground, "stack memory, after the campaigns")]


async def memory(ground: Ground, name: str) -> Result:
    """What the machine spends: a page shared by n processes counts once. Where that is unknown, it counts n times."""
    found = (await measured(ground.stack))["total"]
    kind = "pss" if found["pss_mb"] > 0 else "rss"
    return Result(name, round(found[f"{kind}_mb"], 1), f"MB {kind}", 400)
