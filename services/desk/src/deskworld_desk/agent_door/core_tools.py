"""Tools that every world has: a note, keeping a hold, waiting."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from deskworld_desk.text import plain
from deskworld_desk.world import Keep, Note, Prepared, Tool, ToolContext, Wait, World

Words = Annotated[str, Field(min_length=1, max_length=4_000), plain]


class NoteArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    text: Words


class ReasonArgs(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    reason: Words


def tools_of(world: World) -> Mapping[str, Tool]:
    """The world's tools and the ones below, in the order in which agents see them."""
    return {**world.tools, **{tool.name: tool for tool in _core(world)}}


def _core(world: World) -> tuple[Tool, ...]:
    return (
        Tool(
            "note_case",
            "Write a note on the case. Nobody is asked and nothing changes; a note is not a move.",
            NoteArgs,
            "note",
            _with(world, "note_case", lambda args: Note(args.text)),
        ),
        Tool(
            "keep_hold",
            "Put a case that was woken from a hold back on hold, with the reason why it stays there.",
            ReasonArgs,
            "move",
            _with(world, "keep_hold", lambda args: Keep(args.reason)),
        ),
        Tool(
            "wait",
            "Go on waiting for an answer that was asked for and has not come.",
            ReasonArgs,
            "move",
            _with(world, "wait", lambda args: Wait(args.reason)),
        ),
    )


def _with(
    world: World, name: str, act: Callable[[Any], Note | Keep | Wait]
) -> Callable[[ToolContext, Any], Awaitable[Prepared]]:
    async def prepare(context: ToolContext, args: Any) -> Prepared:
        return Prepared(world.tool_input(context, name), act(args))

    return prepare
