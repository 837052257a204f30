"""Who is signed in, and which codes wait to be redeemed: in a journal, so that killing the process loses nothing."""

import json
import os
import secrets
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Session:
    """Times in seconds since the epoch."""

    id: str
    user_id: str
    started: int
    seen: int
    by_page: bool


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code (RFC 6749, 4.1.2) and all that its redeemer must show."""

    id: str
    session_id: str
    client_id: str
    redirect_uri: str
    scope: str
    nonce: str
    challenge: str
    fresh: bool
    until: int
    spent: bool = False


class Sessions:
    """`now` gives seconds since the epoch; `idle` and `lifespan` are seconds."""

    def __init__(self, folder: Path, *, now: Callable[[], int], idle: int, lifespan: int) -> None:
        self._now = now
        self._idle = idle
        self._lifespan = lifespan
        self._sessions: dict[str, Session] = {}  # in the order in which they were last seen
        self._codes: dict[str, Code] = {}
        self._used: dict[str, dict[str, int]] = {}  # session → refresh token id → times used
        path = folder / "sessions.journal"
        self._replay(path)
        self._journal = self._compacted(path)

    def open(self, user_id: str, *, by_page: bool) -> Session:
        self._forget_old()
        session = Session(str(uuid.uuid4()), user_id, self._now(), self._now(), by_page)
        self._sessions[session.id] = session
        self._write("session", asdict(session))
        return session

    def find(self, session_id: str) -> Session | None:
        """None when it has ended, by logout or by time."""
        session = self._sessions.get(session_id)
        return session if session is not None and self._lives(session) else None

    def touch(self, session: Session) -> Session:
        seen = replace(session, seen=self._now())
        self._sessions.pop(session.id, None)
        self._sessions[session.id] = seen
        self._write("session", asdict(seen))
        return seen

    def end(self, session_id: str) -> None:
        if self._sessions.pop(session_id, None) is not None:
            self._used.pop(session_id, None)
            self._write("end", {"id": session_id})

    def issue(self, code: Code) -> Code:
        kept = replace(code, id=secrets.token_urlsafe(32))
        self._codes[kept.id] = kept
        self._write("code", asdict(kept))
        return kept

    def code(self, code_id: str) -> Code | None:
        return self._codes.get(code_id)

    def spend(self, code: Code) -> None:
        self._codes[code.id] = replace(code, spent=True)
        self._write("code", asdict(self._codes[code.id]))

    def use_refresh(self, session_id: str, token_id: str) -> int:
        """How often this refresh token has been used, this time included."""
        used = self._used.setdefault(session_id, {})
        used[token_id] = used.get(token_id, 0) + 1
        self._write("used", {"session": session_id, "token": token_id, "times": used[token_id]})
        return used[token_id]

    def seconds_left(self, session: Session) -> int:
        return min(self._idle, session.started + self._lifespan - self._now())

    def _lives(self, session: Session) -> bool:
        return self._now() < min(session.seen + self._idle, session.started + self._lifespan)

    def _forget_old(self) -> None:
        for session in list(self._sessions.values()):
            if self._lives(session):
                break
            self._sessions.pop(session.id)
            self._used.pop(session.id, None)
        for code in list(self._codes.values()):
            if self._now() < code.until + self._idle:  # kept a while, so that a replay is known for one
                break
            self._codes.pop(code.id)

    def _write(self, what: str, value: dict[str, Any]) -> None:
        """One write, so that a reader after a crash finds the line whole or not at all."""
        os.write(self._journal, json.dumps([what, value]).encode() + b"\n")

    def _replay(self, path: Path) -> None:
        if not path.exists():
            return
        for line in path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            what, value = json.loads(line)
            match what:
                case "session":
                    self._sessions.pop(value["id"], None)
                    self._sessions[value["id"]] = Session(**value)
                case "end":
                    self._sessions.pop(value["id"], None)
                    self._used.pop(value["id"], None)
                case "code":
                    self._codes[value["id"]] = Code(**value)
                case "used":
                    self._used.setdefault(value["session"], {})[value["token"]] = value["times"]
        self._forget_old()

    def _compacted(self, path: Path) -> int:
        """The journal with only what still counts, open for appending."""
        aside = path.with_suffix(".new")
        journal = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        self._journal = journal
        for session in self._sessions.values():
            self._write("session", asdict(session))
        for code in self._codes.values():
            self._write("code", asdict(code))
        for session_id, used in self._used.items():
            for token_id, times in used.items():
                self._write("used", {"session": session_id, "token": token_id, "times": times})
        aside.rename(path)
        return journal
