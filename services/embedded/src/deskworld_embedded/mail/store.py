"""All mailboxes of all logins, over one journal. What `deliver` has returned from is kept."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pymap.parsing.specials import Flag

from deskworld_embedded.mail.folder import Folder
from deskworld_embedded.mail.journal import Journal, Record
from deskworld_kit import clock

INBOX = "INBOX"


class Store:
    """Raises OSError from whatever writes, when the disk does not take it; then nothing has happened."""

    def __init__(self, folder: Path, logins: Sequence[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder / "mail.journal")
        self._folders: dict[int, Folder] = {}
        self._names: dict[str, dict[str, Folder]] = {}
        self._subscribed: dict[str, dict[str, bool]] = {}
        self._last_number = 0
        self._last_validity = 0
        for record in self._journal.replay():
            self._redo(record)
        for login in logins:
            if INBOX not in self._names.get(login, {}):
                self.create(login, INBOX)

    def deliver(self, sender: str, recipients: Sequence[tuple[str, str]], content: bytes) -> None:
        """One copy for each (login, address), all or none of them."""
        now = clock.now()
        heads = [_head(sender, address) for _, address in recipients]
        boxes = [self._names[login][INBOX] for login, _ in recipients]
        value = {"to": _places(boxes, heads), "at": int(now.timestamp()), "flags": []}
        kept = self._journal.append("store", value, content + b"".join(heads))
        for box, uid in self._stored(kept):
            box.arrived(uid)

    def folders(self, login: str) -> dict[str, Folder]:
        return self._names[login]

    def create(self, login: str, name: str) -> Folder:
        """Raises ValueError when it is there already."""
        if name in self._names.get(login, {}):
            raise ValueError(name)
        validity = max(int(clock.now().timestamp()), self._last_validity + 1)
        value: dict[str, Any] = {"number": self._last_number + 1, "login": login, "name": name, "validity": validity}
        self._journal.append("create", value)
        return self._created(**value)

    def remove(self, login: str, name: str) -> None:
        """Raises KeyError."""
        folder = self._names[login][name]
        self._journal.append("remove", {"in": folder.number})
        self._removed(folder)

    def rename(self, login: str, before: str, after: str) -> None:
        """Raises KeyError."""
        folder = self._names[login][before]
        self._journal.append("rename", {"in": folder.number, "name": after})
        self._renamed(folder, after)

    def subscribe(self, login: str, name: str, *, on: bool) -> None:
        self._journal.append("subscribe", {"login": login, "name": name, "on": on})
        self._subscribed.setdefault(login, {})[name] = on

    def subscribed(self, login: str) -> list[str]:
        return [name for name, on in self._subscribed.get(login, {}).items() if on and name in self._names[login]]

    def _redo(self, record: Record) -> None:
        value = record.value
        match record.what:
            case "store":
                for _ in self._stored(record):
                    pass
            case "flags":
                flags = frozenset(Flag(text) for text in value["flags"])
                self._folders[value["in"]].messages[value["uid"]].permanent_flags = flags
            case "expunge":
                for uid in value["uids"]:
                    del self._folders[value["in"]].messages[uid]
            case "copy" | "move":
                (source, uid), (destination, _) = value["from"], value["to"]
                self._folders[destination].took(self._folders[source].messages[uid])
                if record.what == "move":
                    del self._folders[source].messages[uid]
            case "create":
                self._created(**value)
            case "remove":
                self._removed(self._folders[value["in"]])
            case "rename":
                self._renamed(self._folders[value["in"]], value["name"])
            case "subscribe":
                self._subscribed.setdefault(value["login"], {})[value["name"]] = value["on"]

    def _stored(self, kept: Record) -> Iterator[tuple[Folder, int]]:
        """The content comes first, then each delivery's own head."""
        value: dict[str, Any] = kept.value
        when = datetime.fromtimestamp(value["at"], UTC)
        flags = frozenset(Flag(text) for text in value["flags"])
        size = kept.size - sum(head for _, _, head in value["to"])
        at = kept.at + size
        for number, uid, head in value["to"]:
            box = self._folders[number]
            box.keep(uid, when, flags, head=(at, head), body=(kept.at, size))
            at += head
            yield box, uid

    def _created(self, number: int, login: str, name: str, validity: int) -> Folder:
        folder = Folder(number, login, name, validity, self._journal)
        self._folders[number] = folder
        self._names.setdefault(login, {})[name] = folder
        self._last_number = max(self._last_number, number)
        self._last_validity = max(self._last_validity, validity)
        return folder

    def _removed(self, folder: Folder) -> None:
        del self._names[folder.login][folder.name]
        del self._folders[folder.number]
        folder.told()

    def _renamed(self, folder: Folder, after: str) -> None:
        del self._names[folder.login][folder.name]
        folder.name = after
        self._names[folder.login][after] = folder


def _places(boxes: Sequence[Folder], heads: Sequence[bytes]) -> list[list[int]]:
    """A mailbox that two recipients share takes two messages, one after the other."""
    next_uid = {box.number: box.next_uid for box in boxes}
    places = []
    for box, head in zip(boxes, heads, strict=True):
        places.append([box.number, next_uid[box.number], len(head)])
        next_uid[box.number] += 1
    return places


def _head(sender: str, recipient: str) -> bytes:
    """RFC 5321, 4.4: the return path stands first."""
    return f"Return-Path: <{sender}>\r\nDelivered-To: {recipient}\r\n".encode()
