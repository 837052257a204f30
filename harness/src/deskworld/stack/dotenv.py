"""Settings as Compose reads them: the environment first, then the `.env` beside the compose file."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from deskworld.errors import StackUnavailable, UsageWrong

COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")


def home(start: Path) -> Path | None:
    """The nearest folder from `start` upward that holds a compose file."""
    return next(
        (folder for folder in (start, *start.parents) if any((folder / name).is_file() for name in COMPOSE_FILES)), None
    )


def settings(folder: Path | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Raises StackUnavailable when there is an `.env` that cannot be read."""
    return {**({} if folder is None else _read(folder / ".env")), **environment}


def _read(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise StackUnavailable(f"{path} cannot be read: {error}", next_step="make it readable to you") from error
    pairs = (line.strip().removeprefix("export ").partition("=") for line in lines if not line.strip().startswith("#"))
    return {name.strip(): _bare(value) for name, equals, value in pairs if equals}


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()


def write(folder: Path, lines: Mapping[str, str]) -> Path:
    """Makes `.env`, readable by its owner only. Raises UsageWrong when there is one: what was set up with its secrets
    would not open any more."""
    path = folder / ".env"
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageWrong(
            f"{path} is there already, and is never overwritten",
            next_step="for new secrets: `docker compose down -v` forgets what the old ones open, then remove the file",
        ) from None
    except OSError as error:
        raise StackUnavailable(f"{path} cannot be written: {error}", next_step="choose a --folder that can") from error
    return path


def fresh_secret() -> str:
    """192 bits of letters, digits, `-` and `_`: nothing that a URL, a shell or a `.env` reads otherwise."""
    return secrets.token_urlsafe(24)
