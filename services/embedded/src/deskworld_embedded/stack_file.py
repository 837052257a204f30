"""The stack file: the addresses and secrets that a harness needs (docs/doors.md)."""

import json
import os
from pathlib import Path
from typing import Any

from deskworld_embedded.credentials import Credentials
from deskworld_embedded.files import write_private
from deskworld_embedded.folders import Folders
from deskworld_embedded.ports import LOOPBACK, Ports

SCHEMA = "deskworld/stack/1"
REALM = "deskworld"

DOORS = (
    "erp", "erp_stage", "desk", "desk_stage", "agent_door", "identity", "policy", "smtp", "submission", "imap",
)  # fmt: skip
"""In the order of `--port-base`."""


def issuer(ports: Ports) -> str:
    return f"{ports.url('identity')}/realms/{REALM}"


def stack(stack_id: str, ports: Ports, credentials: Credentials, folders: Folders) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "id": stack_id,
        "kind": "embedded",
        "erp": ports.url("erp"),
        "erp_stage": ports.url("erp_stage"),
        "desk": ports.url("desk"),
        "desk_stage": ports.url("desk_stage"),
        "agent_door": ports.url("agent_door"),
        "issuer": issuer(ports),
        "policy": ports.url("policy"),
        "smtp": {"host": LOOPBACK, "port": ports.numbers["smtp"]},
        "submission": {"host": LOOPBACK, "port": ports.numbers["submission"]},
        "imap": {"host": LOOPBACK, "port": ports.numbers["imap"]},
        "secrets": {
            "erp_stage": credentials.erp_stage,
            "desk_stage": credentials.desk_stage,
            "agent_client": credentials.agent_client,
            "counterparty_mailbox": credentials.counterparty_mailbox,
            "desk_client": credentials.desk_client,
            "desk_mailbox": credentials.desk_mailbox,
        },
        "folder": str(folders.root),
        "logs": str(folders.logs),
        "pid": os.getpid(),
    }


def write(path: Path, contents: dict[str, Any]) -> None:
    """Raises OSError."""
    write_private(path, json.dumps(contents, indent=1) + "\n")


def read(path: Path) -> dict[str, Any]:
    """Raises OSError, ValueError."""
    contents = json.loads(path.read_text())
    if not isinstance(contents, dict) or contents.get("schema") != SCHEMA:
        raise ValueError(f"{path} is not a stack file of schema {SCHEMA}")
    return contents
