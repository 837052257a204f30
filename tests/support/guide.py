"""The agents of the guide, as they stand on its page."""

import re
from types import ModuleType

from tests.support.repository import ROOT

GUIDE = ROOT / "docs" / "guides" / "your-agent.md"


def code(name: str) -> str:
    """The block that the page calls by this name of a file."""
    found = re.search(rf"\(`{re.escape(name)}`\):\n\n```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found is not None, f"{GUIDE} has no {name}"
    return found[1]


def module(name: str) -> ModuleType:
    made = ModuleType(name.removesuffix(".py"))
    exec(compile(code(name), str(GUIDE), "exec"), vars(made))
    return made
