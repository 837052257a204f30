"""Stack files: the addresses of a running stack, and where `harness up` leaves them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from deskworld.errors import StackUnavailable
from deskworld.values.stack import Stack

DEFAULT = "default"


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Per user; `DESKWORLD_STATE`, else the XDG base directories' state home."""
    given = environment.get("DESKWORLD_STATE")
    if given:
        return Path(given)
    home = environment.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "deskworld"


def running_file(name: str = DEFAULT, environment: Mapping[str, str] = os.environ) -> Path:
    return state_folder(environment) / f"stack-{name}.json"


def read(path: Path) -> Stack:
    """Raises StackUnavailable naming the file and the field."""
    try:
        return Stack.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StackUnavailable(
            f"stack file {path} cannot be read: {error}", next_step="`harness up` makes one, or leave --stack out"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise StackUnavailable(
            f"stack file {path}: {field}: {first['msg']}", next_step="docs/doors.md has the form of a stack file"
        ) from error


def write(stack: Stack, path: Path) -> None:
    """Readable by its owner only: it holds the stage's secrets. Raises StackUnavailable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(stack.model_dump_json(by_alias=True, indent=1))
        part.replace(path)
    except OSError as error:
        raise StackUnavailable(
            f"{path} cannot be written: {error}", next_step="set DESKWORLD_STATE to a folder that can"
        ) from error
