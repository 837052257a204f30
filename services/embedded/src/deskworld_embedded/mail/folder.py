"""One mailbox. Everything that changes it is in the journal before anybody is told."""

from array import array
from collections.abc import Iterable
from datetime import datetime

from pymap.backend.mailbox import MailboxDataInterface
from pymap.concurrent import Event
from pymap.flags import FlagOp
from pymap.interfaces.message import CachedMessage
from pymap.mailbox import MailboxSnapshot
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials import Flag, ObjectId
from pymap.parsing.specials.flag import Recent, Seen, Wildcard, get_system_flags
from pymap.selected import SelectedMailbox, SelectedSet

from deskworld_embedded.mail.journal import Journal
from deskworld_embedded.mail.message import Message
from deskworld_embedded.mail.selected import Selected
from deskworld_kit import clock

NOT_KEPT = frozenset({Recent, Wildcard})


class Snapshot(MailboxSnapshot):
    @property
    def flags(self) -> frozenset[Flag]:
        return (self.permanent_flags | self.session_flags) - {Wildcard}


class Folder(MailboxDataInterface[Message]):
    """`changes` lists UIDs in the order in which something happened to them; negative ones are gone."""

    def __init__(self, number: int, login: str, name: str, validity: int, journal: Journal) -> None:
        self.number = number
        self.login = login
        self.name = name
        self.next_uid = 1
        self.messages: dict[int, Message] = {}
        self._validity = validity
        self._journal = journal
        self._changes = array("q")
        self._changed = Event.for_asyncio()
        self._selected = SelectedSet()
        self._id = ObjectId(b"F%d-%d" % (number, validity))

    @property
    def mailbox_id(self) -> ObjectId:
        return self._id

    @property
    def readonly(self) -> bool:
        return False

    @property
    def uid_validity(self) -> int:
        return self._validity

    @property
    def permanent_flags(self) -> frozenset[Flag]:
        return (get_system_flags() - {Recent}) | {Wildcard}

    @property
    def selected_set(self) -> SelectedSet:
        return self._selected

    async def update_selected(self, selected: SelectedMailbox, *, wait_on: Event | None = None) -> SelectedMailbox:
        if not isinstance(selected, Selected):
            raise TypeError(selected)
        if wait_on is not None and selected.mod_sequence == len(self._changes) and not wait_on.is_set():
            await wait_on.or_event(self._changed).wait()
        if selected.mod_sequence is None:
            selected.heard(self.messages.values(), ())
        else:
            news = set(self._changes[selected.mod_sequence :])
            here = [self.messages[uid] for uid in sorted(news) if uid in self.messages]
            selected.heard(here, [-uid for uid in news if uid < 0])
        selected.mod_sequence = len(self._changes)
        return selected

    async def append(self, append_msg: AppendMessage, *, recent: bool = False) -> Message:
        when = append_msg.when or clock.now()
        flags = frozenset(append_msg.flag_set) - NOT_KEPT
        value = {"to": [[self.number, self.next_uid, 0]], "at": int(when.timestamp()), "flags": _texts(flags)}
        content = bytes(append_msg.literal)
        kept = self._journal.append("store", value, content)
        message = self.keep(self.next_uid, when, flags, head=(0, 0), body=(kept.at, len(content)))
        message.recent = recent
        self.told(message.uid)
        return message

    async def copy(self, uid: int, destination: "Folder", *, recent: bool = False) -> int | None:
        if uid not in self.messages:
            return None
        value = {"from": [self.number, uid], "to": [destination.number, destination.next_uid]}
        self._journal.append("copy", value)
        return destination.took(self.messages[uid], recent=recent)

    async def move(self, uid: int, destination: "Folder", *, recent: bool = False) -> int | None:
        if uid not in self.messages:
            return None
        value = {"from": [self.number, uid], "to": [destination.number, destination.next_uid]}
        self._journal.append("move", value)
        took = destination.took(self.messages.pop(uid), recent=recent)
        self.told(-uid)
        return took

    async def get(self, uid: int, cached_msg: CachedMessage) -> Message:
        message = self.messages.get(uid)
        if message is not None:
            return message
        if not isinstance(cached_msg, Message):
            raise TypeError(cached_msg)
        return cached_msg.copied(expunged=True)

    async def update(self, uid: int, cached_msg: CachedMessage, flag_set: frozenset[Flag], mode: FlagOp) -> Message:
        message = await self.get(uid, cached_msg)
        flags = frozenset(mode.apply(message.permanent_flags, flag_set - NOT_KEPT))
        if not message.expunged and flags != message.permanent_flags:
            self._journal.append("flags", {"in": self.number, "uid": uid, "flags": _texts(flags)})
            message.permanent_flags = flags
            self.told(uid)
        return message

    async def delete(self, uids: Iterable[int]) -> None:
        here = [uid for uid in uids if uid in self.messages]
        if here:
            self._journal.append("expunge", {"in": self.number, "uids": here})
            for uid in here:
                del self.messages[uid]
            self.told(*(-uid for uid in here))

    async def claim_recent(self, selected: SelectedMailbox) -> None:
        for message in self.messages.values():
            if message.recent:
                message.recent = False
                selected.session_flags.add_recent(message.uid)

    async def cleanup(self) -> None:
        """Nothing to do: the journal is never rewritten while it is open."""

    async def snapshot(self) -> Snapshot:
        unseen = [number for number, kept in enumerate(self.messages.values(), 1) if Seen not in kept.permanent_flags]
        return Snapshot(
            self.mailbox_id,
            self.readonly,
            self.uid_validity,
            self.permanent_flags,
            self.session_flags,
            len(self.messages),
            sum(message.recent for message in self.messages.values()),
            len(unseen),
            unseen[0] if unseen else None,
            self.next_uid,
        )

    def keep(
        self, uid: int, when: datetime, flags: Iterable[Flag], *, head: tuple[int, int], body: tuple[int, int]
    ) -> Message:
        """Takes in what the journal already holds."""
        message = Message(uid, when, flags, store=self._journal, head=head, body=body)
        self.messages[uid] = message
        self.next_uid = uid + 1
        return message

    def took(self, message: Message, *, recent: bool = False) -> int:
        kept = message.copied(self.next_uid)
        kept.recent = recent
        self.messages[kept.uid] = kept
        self.next_uid += 1
        self.told(kept.uid)
        return kept.uid

    def arrived(self, uid: int) -> None:
        """New mail: one of those who look at the mailbox sees it as recent, or the next one who does."""
        looking = self._selected.any_selected
        if looking is not None:
            looking.session_flags.add_recent(uid)
        else:
            self.messages[uid].recent = True
        self.told(uid)

    def told(self, *changes: int) -> None:
        self._changes.extend(changes)
        self._changed.set()


def _texts(flags: Iterable[Flag]) -> list[str]:
    return sorted(str(flag) for flag in flags)
