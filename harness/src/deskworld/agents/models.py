"""A model as the agent: by pydantic-ai's name for it, with a playbook. An extra: who asks none does without."""

import asyncio
import hashlib
from importlib.util import find_spec
from pathlib import Path

from deskworld.errors import UsageWrong
from deskworld_agent.playbook import written
from deskworld_agent.work import Act

INSTALLED = find_spec("pydantic_ai") is not None
HINT = "" if INSTALLED else "; a model (openai:NAME) needs the extra deskworld[model]"


def is_model(agent: str) -> bool:
    """Whether the name begins with a provider; a module of the same name is not reached."""
    provider, colon, _ = agent.partition(":")
    if not colon or not INSTALLED or not provider.isascii() or "." in provider or "/" in agent.partition("://")[0]:
        return False
    from deskworld_agent.model.naming import is_provider  # noqa: PLC0415 - an extra, and slow to load

    return is_provider(provider)


def model(agent: str, playbook: Path | None, *, at_once: int) -> Act:
    """Raises UsageWrong: it cannot be asked, or its playbook cannot be read."""
    # an extra, and slow to load
    from deskworld_agent.model.acting import model_agent  # noqa: PLC0415 - as above
    from deskworld_agent.model.asking import Asker  # noqa: PLC0415 - as above
    from deskworld_agent.model.naming import ModelUnusable, model_named  # noqa: PLC0415 - as above

    text = _bytes(playbook).decode(errors="replace")
    try:
        return model_agent(Asker(model_named(agent), asyncio.Semaphore(at_once)), text)
    except ModelUnusable as error:
        raise UsageWrong(
            str(error),
            next_step="set its key (OPENAI_API_KEY, …) or install its library; a server of your own: OPENAI_BASE_URL "
            "and --agent openai-chat:NAME",
        ) from error


def playbook_digest(playbook: Path | None) -> str:
    """SHA-256 of the file, or of the playbook that ships. Raises UsageWrong."""
    return hashlib.sha256(_bytes(playbook)).hexdigest()


def _bytes(playbook: Path | None) -> bytes:
    if playbook is None:
        return written()
    try:
        return playbook.read_bytes()
    except OSError as error:
        raise UsageWrong(f"--playbook {playbook}: {error.strerror}", next_step="name a file with the text") from error
