"""The realm and the policies: where the environment says, or in the checkout that this package is part of."""

import os
from pathlib import Path

from deskworld_embedded.errors import StackFailed

_CHECKOUT = Path(__file__).parents[4]


def realm_file() -> Path:
    """Raises StackFailed."""
    return _found("identity", "DESKWORLD_REALM", "infra/keycloak/realm.json")


def policies() -> Path:
    """Raises StackFailed."""
    return _found("policy", "DESKWORLD_POLICIES", "policies")


def _found(part: str, setting: str, in_checkout: str) -> Path:
    if given := os.environ.get(setting):
        path = Path(given).absolute()
        if not path.exists():
            raise StackFailed(part, f"{setting}={given} does not exist", next_step=f"correct or unset {setting}")
        return path
    path = _CHECKOUT / in_checkout
    if path.exists():
        return path
    raise StackFailed(part, f"{in_checkout} was not found", next_step=f"set {setting} to its path")
