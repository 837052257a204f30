"""A scripted analyst that knows no scenario: it reads, asks, writes and proposes as playbook.md says."""

import hashlib
from importlib.resources import files

from deskworld_agent.playbook.act import playbook

__all__ = ["digest", "playbook", "written"]


def digest() -> str:
    """SHA-256 of playbook.md."""
    return hashlib.sha256(written()).hexdigest()


def written() -> bytes:
    """playbook.md."""
    return files(__name__).joinpath("playbook.md").read_bytes()
