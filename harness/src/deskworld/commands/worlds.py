"""A world by its name."""

from deskworld.errors import UsageWrong
from deskworld.world import World
from deskworld.worlds import WORLDS


def named(name: str) -> World:
    if name not in WORLDS:
        raise UsageWrong(f"there is no world {name!r}", next_step=f"there are: {', '.join(WORLDS)}")
    return WORLDS[name]
