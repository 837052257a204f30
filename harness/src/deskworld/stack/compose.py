"""The compose stack: found by what its desk answers on the loopback, addressed by its settings (docs/doors.md)."""

from collections.abc import Mapping

from deskworld.doors.probe import NotThere, said_by
from deskworld.errors import DoorFailed, StackUnavailable
from deskworld.stack.dotenv import fresh_secret
from deskworld.values.stack import Address, Secrets, Stack

LOOPBACK = "127.0.0.1"
BASE = 8100
DOORS = (
    "erp", "erp_stage", "desk", "desk_stage", "agent_door", "identity", "policy", "smtp", "submission", "imap",
)  # fmt: skip
"""In the order of their ports."""
OF_THE_REALM = {
    "desk_client": "desk-loopback-secret",
    "agent_client": "agent-loopback-secret",
    "people": "deskworld-loopback",
}
SECRETS = (
    "erp_stage", "desk_stage", "webhook", "desk_mailbox", "staff_mailbox", "counterparty_mailbox",
    "postgres", "erp_database", "desk_database", "keycloak_admin", *OF_THE_REALM,
)  # fmt: skip
LOOK_SECONDS = 3.0


def ports(settings: Mapping[str, str]) -> dict[str, int]:
    """Raises StackUnavailable for one that is no port."""
    return {door: _port(settings, _port_name(door), BASE + place) for place, door in enumerate(DOORS)}


def host(settings: Mapping[str, str]) -> str:
    """The address that the doors are published on."""
    return settings.get("DESKWORLD_ADDRESS") or LOOPBACK


async def running(settings: Mapping[str, str]) -> tuple[Stack | None, str]:
    """The stack whose desk answers with a stack id; without one, what was met in its place ("" for nothing).

    A stack that is not well is found all the same: whoever started it meant it.
    """
    url = f"http://{host(settings)}:{ports(settings)['desk']}"
    try:
        said = await said_by("desk", url, "/health", within=LOOK_SECONDS)
    except NotThere:
        return None, ""
    except DoorFailed as error:
        return None, f"{error.what}; so no compose stack was found"
    named = said.document.get("stack") if isinstance(said.document, dict) else None
    if not isinstance(named, dict) or named.get("kind") != "compose":
        return None, f"what answers at {url} is no compose stack"
    return stack(settings, str(named.get("id"))), ""


def stack(settings: Mapping[str, str], stack_id: str) -> Stack:
    at, where = ports(settings), host(settings)
    url = {door: f"http://{where}:{port}" for door, port in at.items()}
    return Stack.model_validate(
        {
            "schema": "deskworld/stack/1",
            "id": stack_id,
            "kind": "compose",
            **{door: url[door] for door in ("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy")},
            "issuer": f"{url['identity']}/realms/deskworld",
            **{door: Address(host=where, port=at[door]) for door in ("smtp", "submission", "imap")},
            "secrets": Secrets(
                erp_stage=secret(settings, "erp_stage"),
                desk_stage=secret(settings, "desk_stage"),
                counterparty_mailbox=secret(settings, "counterparty_mailbox"),
                desk_mailbox=secret(settings, "desk_mailbox"),
                **{lock: secret(settings, lock) for lock in OF_THE_REALM},
            ),
        }
    )


def fresh_settings(base: int) -> dict[str, str]:
    """What `harness init` writes: a port a door and a fresh secret a lock. Raises StackUnavailable."""
    if not 1024 <= base <= 65_500:
        raise StackUnavailable(f"a port base of {base} leaves no ports", next_step="choose 1024 to 65500")
    return settings_for({door: base + place for place, door in enumerate(DOORS)})


def settings_for(at: Mapping[str, int]) -> dict[str, str]:
    """Each door at its port, and fresh secrets."""
    return {
        **{_port_name(door): str(port) for door, port in at.items()},
        **{_secret_name(lock): fresh_secret() for lock in SECRETS},
    }


def _port(settings: Mapping[str, str], name: str, default: int) -> int:
    given = settings.get(name) or str(default)
    if not given.isdecimal() or not 1 <= int(given) <= 65_535:
        raise StackUnavailable(f"{name}={given} is no port", next_step="mend it in the environment or in .env")
    return int(given)


def secret(settings: Mapping[str, str], lock: str) -> str:
    return settings.get(_secret_name(lock)) or OF_THE_REALM.get(lock) or f"loopback-{lock.replace('_', '-')}"


def _port_name(door: str) -> str:
    return f"DESKWORLD_PORT_{door.upper()}"


def _secret_name(lock: str) -> str:
    return f"DESKWORLD_SECRET_{lock.upper()}"
