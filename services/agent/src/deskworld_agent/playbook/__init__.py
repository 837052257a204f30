"""A scripted analyst that knows no scenario: it reads, asks, writes and proposes as playbook.md says."""

from deskworld_agent.playbook.act import playbook

__all__ = ["playbook"]
