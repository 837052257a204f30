"""The realm and the policies: from the environment, from the installed package, or from the checkout it runs in."""

import os
from pathlib import Path

from deskworld_embedded.errors import StackFailed

_PACKAGE = Path(__file__).parent


def realm_file() -> Path:
    """Raises StackFailed."""
    return _found("identity", "DESKWORLD_REALM", "infra/keycloak/realm.json", "realm.json")


def policies() -> Path:
    """Raises StackFailed."""
    return _found("policy", "DESKWORLD_POLICIES", "policies", "policies")


def _found(part: str, setting: str, in_checkout: str, in_package: str) -> Path:
    if given := os.environ.get(setting):
        path = Path(given).absolute()
        if not path.exists():
            raise StackFailed(part, f"{setting}={given} does not exist", next_step=f"correct or unset {setting}")
        return path
    packaged = _PACKAGE / "data" / in_package
    candidates = [packaged, *(parent / in_checkout for parent in _PACKAGE.parents[:5])]
    for path in candidates:
        if path.exists():
            return path
    raise StackFailed(part, f"{in_checkout} was not found", next_step=f"set {setting} to its path")
