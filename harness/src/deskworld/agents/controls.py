"""Agents that must not pass: they read everything and cite everything, and decide without a thought."""

import json
import uuid
from collections.abc import Mapping

from deskworld.agents.grasp import read_all, settles_all
from deskworld_agent.door import OpenTurn
from deskworld_agent.work import Act


async def mute(_turn: OpenTurn) -> None:
    """Ends its turn with no move."""


async def echo(turn: OpenTurn) -> None:
    """Answers each input with a note of the input's own text."""
    for told in turn.inputs:
        said = told.said
        words = next((said[name] for name in ("text", "words", "reason") if isinstance(said.get(name), str)), None)
        await turn.call("note_case", text=words or json.dumps(said, sort_keys=True) or told.label)


def _everything(action: str) -> Act:
    async def act(turn: OpenTurn) -> None:
        if all(told.type == "decision" and told.said.get("outcome") == "applied" for told in turn.inputs):
            return
        if action == "hold" and turn.brief.held:
            await turn.call("keep_hold", reason="It is held.")
            return
        if any(declined.action == action for declined in turn.brief.declined):
            return
        answers, forms = await read_all(turn)
        settles = {"settles": settles_all(answers["get_invoice"])} if action == "approve-variance" else {}
        await turn.call(
            "propose_resolution",
            action=action,
            citations=[form for form in forms if _is_id(form)],
            rationale="The same as always.",
            **settles,
        )

    return act


def _is_id(form: str) -> bool:
    """One form for each record is enough."""
    try:
        uuid.UUID(form)
    except ValueError:
        return False
    return True


ACTIONS: Mapping[str, str] = {
    "approve-everything": "approve-variance",
    "hold-everything": "hold",
    "reject-everything": "reject",
}
"""What a control always proposes; the others propose nothing."""
CONTROLS: Mapping[str, Act] = {
    "mute": mute,
    "echo": echo,
    **{name: _everything(action) for name, action in ACTIONS.items()},
}
