"""The doors of the ERP and the desk: whether a case could be seeded behind them, and whether the secrets fit."""

from collections.abc import Mapping

from deskworld.doors.probe import Said, said_by, stranger
from deskworld.errors import DoorFailed
from deskworld.values.stack import Stack

DESK_ASK = "/stage/open-cases"
ERP_ASK = "/stage/witness?vendor_id=00000000-0000-0000-0000-000000000000"


def doors(stack: Stack) -> Mapping[str, str]:
    return {
        "ERP": stack.erp,
        "ERP stage": stack.erp_stage,
        "desk": stack.desk,
        "desk stage": stack.desk_stage,
        "agent door": stack.agent_door,
    }


async def health(name: str, url: str) -> str:
    """Raises DoorFailed with what the service says of each part that is not well."""
    said = await said_by(name, url, "/health")
    checks = _checks(name, url, said)
    wrong = {part: state for part, state in checks.items() if state != "ok"}
    if said.status == 200 and not wrong:
        return f"{url} " + (", ".join(f"{part}: ok" for part in checks) or "ok")
    listed = "; ".join(f"{part}: {state}" for part, state in wrong.items()) or f"it answers {said.status}"
    raise DoorFailed(f"{name} at {url} is not well: {listed}", next_step=_next_step(wrong))


NEXT = {
    "database": "is Postgres up, and can the service's database login still sign in? look at the logs of both",
    "identity": "is the identity provider up, and is OIDC_JWKS_URL of the service its address?",
    "erp": "is the ERP up, and does it know the desk's client? its own line above says more",
    "dispatcher": "look at the ERP's log: it says how its session on the outbox ended",
    "policy": "is the policy server up, and does it serve policies/? its own line below says more",
    "mailbox": "is the mail server up, and is DESK_IMAP_PASSWORD its login's?",
    "submission": "is the mail server up, and is DESK_SMTP_PASSWORD its login's?",
}
"""In the order in which a cause comes before what it causes."""


def _next_step(wrong: Mapping[str, str]) -> str:
    return next((step for part, step in NEXT.items() if part in wrong), "look at the service's log")


def _checks(name: str, url: str, said: Said) -> Mapping[str, str]:
    document = said.document
    if not (isinstance(document, dict) and document.get("status") in ("ok", "unwell")):
        raise stranger(name, url, said)
    found = document.get("checks")
    return {str(part): str(state) for part, state in found.items()} if isinstance(found, dict) else {}


async def secret(name: str, url: str, given: str, path: str) -> str:
    """Raises DoorFailed when the door does not know the secret, or does not say."""
    said = await said_by(name, url, path, token=given)
    if said.status == 401:
        raise DoorFailed(
            f"{name} at {url} does not know the secret that this stack is said to have",
            next_step="run from the folder whose `.env` the stack was started with, or give its own stack file",
        )
    if said.status not in (200, 404):
        raise DoorFailed(
            f"{name} at {url} answers {said.status} to its secret: {said.text[:200]}",
            next_step="look at the service's log",
        )
    return "fits"
