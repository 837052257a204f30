"""The three stand-in servers alone, for tests that need no ERP and no desk: started in a second, stopped at the end."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deskworld_kit import clock

ROOT = Path(__file__).parents[2]
LOOPBACK = "127.0.0.1"
MAILBOXES = {"counterparty": "counterparties", "desk": "desk"}
LOGINS = {"desk": "desk-mail", "staff": "staff-mail", "counterparties": "counterparty-mail"}


class StandIn:
    """One server process. It can be killed and started again on the same address with the same folder."""

    def __init__(self, name: str, ports: list[int], settings: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.ports = ports
        self._settings = settings
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"deskworld_embedded.{self.name}"],
                cwd=ROOT,
                env={**os.environ, **self._settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        for port in self.ports:
            self._until_it_listens(port)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def complaints(self) -> str:
        return self._log.read_text()

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(10)

    def _until_it_listens(self, port: int, within: float = 15) -> None:
        assert self._process is not None
        deadline = clock.monotonic() + within
        pause = select.poll()  # with nothing to poll it is a pause of milliseconds
        while clock.monotonic() < deadline:
            assert self._process.poll() is None, f"{self.name} ended: {self.complaints()}"
            try:
                socket.create_connection((LOOPBACK, port), timeout=1).close()
            except OSError:
                pause.poll(10)
            else:
                return
        raise AssertionError(f"{self.name} did not listen on {port} within {within} s: {self.complaints()}")


def free_ports(count: int) -> list[int]:
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind((LOOPBACK, 0))
        return [int(one.getsockname()[1]) for one in held]
    finally:
        for one in held:
            one.close()


def mail_server(folder: Path) -> StandIn:
    smtp, submission, imap = free_ports(3)
    settings = {
        "MAIL_SMTP_BIND": f"{LOOPBACK}:{smtp}",
        "MAIL_SUBMISSION_BIND": f"{LOOPBACK}:{submission}",
        "MAIL_IMAP_BIND": f"{LOOPBACK}:{imap}",
        "MAIL_FOLDER": str(folder / "mail"),
        "MAIL_LOGINS": json.dumps(LOGINS),
    }
    return StandIn("mail", [smtp, submission, imap], settings, folder / "mail.log")


def identity_server(folder: Path, realm: Path = ROOT / "infra" / "keycloak" / "realm.json") -> StandIn:
    (port,) = free_ports(1)
    settings = {
        "IDENTITY_BIND": f"{LOOPBACK}:{port}",
        "IDENTITY_ISSUER_BASE": f"http://{LOOPBACK}:{port}",
        "IDENTITY_REALM": str(realm),
        "IDENTITY_FOLDER": str(folder / "identity"),
    }
    return StandIn("identity", [port], settings, folder / "identity.log")


def policy_server(folder: Path, policies: Path = ROOT / "policies") -> StandIn:
    (port,) = free_ports(1)
    settings = {"POLICY_BIND": f"{LOOPBACK}:{port}", "POLICY_FOLDER": str(policies)}
    return StandIn("policy", [port], settings, folder / "policy.log")


def mail_doors(server: StandIn) -> dict[str, Any]:
    smtp, submission, imap = server.ports
    return {
        "smtp": {"host": LOOPBACK, "port": smtp},
        "submission": {"host": LOOPBACK, "port": submission},
        "imap": {"host": LOOPBACK, "port": imap},
        "secrets": {f"{one}_mailbox": LOGINS[login] for one, login in MAILBOXES.items()},
    }


def issuer_of(server: StandIn) -> str:
    return f"http://{LOOPBACK}:{server.ports[0]}/realms/deskworld"


@contextmanager
def running(*servers: StandIn) -> Iterator[None]:
    started: list[StandIn] = []
    try:
        for server in servers:
            started.append(server)
            server.start()
        yield
    finally:
        for server in started:
            if server._process is not None and server._process.poll() is None:
                server.stop()


@contextmanager
def stand_ins(folder: Path) -> Iterator[dict[str, Any]]:
    """A stack file's doors of mail, identity and policy; `secrets` also holds what a full stack keeps to itself."""
    mail, identity, policy = mail_server(folder), identity_server(folder), policy_server(folder)
    with running(mail, identity, policy):
        yield {
            "schema": "deskworld/stack/1",
            "id": "stand-ins",
            "kind": "embedded",
            "issuer": issuer_of(identity),
            "policy": f"http://{LOOPBACK}:{policy.ports[0]}",
            **mail_doors(mail),
            "secrets": {
                "agent_client": "agent-loopback-secret",
                "desk_client": "desk-loopback-secret",
                "counterparty_mailbox": LOGINS["counterparties"],
                "desk_mailbox": LOGINS["desk"],
            },
        }
