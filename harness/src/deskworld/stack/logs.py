"""What the parts of an embedded stack say: a file each."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from deskworld.errors import StackUnavailable, UsageWrong
from deskworld.values.stack import Stack


def logs_of(stack: Stack, part: str | None) -> dict[str, Path]:
    """By part. Raises StackUnavailable where a stack keeps its logs elsewhere, UsageWrong for an unknown part."""
    if stack.logs is None:
        step = f"`docker compose logs {part or ''}".rstrip() + "`" if stack.kind == "compose" else "ask who runs it"
        raise StackUnavailable(f"the stack {stack.id} ({stack.kind}) keeps its logs elsewhere", next_step=step)
    found = {path.stem: path for path in sorted(Path(stack.logs).glob("*.log"))}
    if part is None:
        return found
    if part not in found:
        raise UsageWrong(f"there is no log of {part!r}", next_step=f"there are: {', '.join(found) or 'none yet'}")
    return {part: found[part]}


def last(path: Path, lines: int) -> Sequence[str]:
    """Raises StackUnavailable."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in deque(file, maxlen=lines)]
    except OSError as error:
        raise StackUnavailable(f"{path} cannot be read: {error}", next_step="is the stack of this user?") from error
