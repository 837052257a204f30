"""A stack that somebody else runs, given by its addresses in the environment."""

from collections.abc import Mapping

from pydantic import ValidationError

from deskworld.errors import StackUnavailable
from deskworld.values.stack import Stack

URLS = ("erp", "erp_stage", "desk", "desk_stage", "agent_door", "issuer", "policy")
MAIL = ("smtp", "submission", "imap")
SECRETS = ("erp_stage", "desk_stage", "agent_client", "counterparty_mailbox")
MORE_SECRETS = ("desk_client", "desk_mailbox", "people")


def stack(environment: Mapping[str, str]) -> Stack | None:
    """`DESKWORLD_ERP_URL` …, `DESKWORLD_SMTP=host:port` …, `DESKWORLD_SECRET_…`; None where no address is given.

    Raises StackUnavailable when only some are: half a stack of somebody's and half of another's is no stack.
    """
    urls = {door: f"DESKWORLD_{door.upper()}_URL" for door in URLS}
    mail = {door: f"DESKWORLD_{door.upper()}" for door in MAIL}
    if not any(environment.get(name) for name in (*urls.values(), *mail.values())):
        return None
    locks = {lock: f"DESKWORLD_SECRET_{lock.upper()}" for lock in (*SECRETS, *MORE_SECRETS)}
    needed = (*urls.values(), *mail.values(), *(locks[lock] for lock in SECRETS))
    missing = [name for name in needed if not environment.get(name)]
    if missing:
        raise StackUnavailable(
            f"the environment gives a stack's addresses, but not {', '.join(missing)}",
            next_step="set all of them, or none; --stack takes a file that has them all",
        )
    try:
        return Stack.model_validate(
            {
                "schema": "deskworld/stack/1",
                "id": environment.get("DESKWORLD_STACK_ID") or "given",
                "kind": "given",
                **{door: environment[name].rstrip("/") for door, name in urls.items()},
                **{door: _address(environment[name]) for door, name in mail.items()},
                "secrets": {lock: environment[name] for lock, name in locks.items() if environment.get(name)},
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise StackUnavailable(
            f"the environment's stack: {field}: {first['msg']}", next_step="a mail door is HOST:PORT, all else a URL"
        ) from error


def _address(text: str) -> dict[str, str]:
    host, _, port = text.rpartition(":")
    return {"host": host.strip("[]"), "port": port}
