"""What one IMAP session has been told about its mailbox, kept so that news costs what is new, not what is there."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence, Set

from pymap.flags import FlagOp, PermanentFlags, SessionFlags
from pymap.interfaces.message import CachedMessage
from pymap.parsing.command import Command
from pymap.parsing.primitives import List, Number
from pymap.parsing.response import ResponseBye, UntaggedResponse
from pymap.parsing.response.specials import ExistsResponse, ExpungeResponse, FetchResponse, RecentResponse
from pymap.parsing.specials import FetchAttribute, FetchValue, Flag, ObjectId, SequenceSet
from pymap.selected import SelectedMailbox, SelectedSet, SynchronizedMessages

FLAGS, UID = FetchAttribute(b"FLAGS"), FetchAttribute(b"UID")


class Listing(SynchronizedMessages):
    """The session's numbering: message sequence numbers stand for UIDs as the client knows them."""

    def __init__(self) -> None:
        super().__init__()
        self._order: list[int] = []
        self._known: dict[int, CachedMessage] = {}

    @property
    def exists(self) -> int:
        return len(self._order)

    @property
    def max_uid(self) -> int:
        return self._order[-1] if self._order else 0

    def __contains__(self, uid: int) -> bool:
        return uid in self._known

    def put(self, message: CachedMessage) -> None:
        if message.uid not in self._known:
            insort(self._order, message.uid)
        self._known[message.uid] = message

    def remove(self, uid: int) -> int:
        """The sequence number that it had."""
        number = self.number(uid)
        del self._order[number - 1]
        del self._known[uid]
        return number

    def number(self, uid: int) -> int:
        return bisect_left(self._order, uid) + 1

    def get(self, uid: int) -> CachedMessage | None:
        return self._known.get(uid)

    def get_uids(self, seq_set: SequenceSet) -> Sequence[tuple[int, int]]:
        if seq_set.uid:
            wanted = seq_set.flatten(self.max_uid)
            return [(self.number(uid), uid) for uid in sorted(wanted) if uid in self._known]
        return [(number, self._order[number - 1]) for number in sorted(seq_set.flatten(self.exists)) if number > 0]

    def get_all(self, seq_set: SequenceSet) -> Sequence[tuple[int, CachedMessage]]:
        return [(number, self._known[uid]) for number, uid in self.get_uids(seq_set)]


class Selected(SelectedMailbox):
    def __init__(
        self,
        mailbox_id: ObjectId,
        readonly: bool,  # noqa: FBT001 - pymap's signature
        permanent_flags: PermanentFlags,
        session_flags: SessionFlags,
        selected_set: SelectedSet,
        lookup: str,
    ) -> None:
        listing = Listing()
        super().__init__(mailbox_id, readonly, permanent_flags, session_flags, selected_set, lookup, _messages=listing)
        self._listing = listing
        self._told: dict[int, frozenset[Flag]] = {}
        self._recent_told = 0
        self._untold: set[int] = set()
        self._changed: set[int] = set()
        self._gone: list[int] = []
        self._silenced: dict[int, frozenset[Flag]] = {}
        self._greeted = False

    def heard(self, messages: Iterable[CachedMessage], expunged: Iterable[int]) -> None:
        for message in messages:
            if message.uid not in self._listing:
                self._untold.add(message.uid)
                self._told[message.uid] = message.permanent_flags
            self._listing.put(message)
            self._changed.add(message.uid)
        for uid in expunged:
            if uid in self._untold:  # came and went between two answers: the client never counted it
                self._drop(uid)
            elif uid in self._listing:
                self._gone.append(uid)

    def silence(self, seq_set: SequenceSet, flag_set: Set[Flag], flag_op: FlagOp) -> None:
        for uid, message in ((message.uid, message) for _, message in self._listing.get_all(seq_set)):
            self._silenced[uid] = flag_op.apply(message.permanent_flags, self.permanent_flags & flag_set)

    def fork(self, command: Command) -> tuple["Selected", Iterable[UntaggedResponse]]:
        """The news since the last command, for the client. This object goes on: nothing of it needs copying."""
        if self._is_deleted:
            return self, [ResponseBye(b"Selected mailbox no longer exists.")]
        news: list[UntaggedResponse] = []
        if not self.hide_expunged:
            news += [ExpungeResponse(self._drop(uid)) for uid in sorted(set(self._gone), reverse=True)]
            self._gone.clear()
        if self._untold:
            news.append(ExistsResponse(self._listing.exists))
        if self.session_flags.recent != self._recent_told:
            self._recent_told = self.session_flags.recent
            news.append(RecentResponse(self._recent_told))
        news += self._flag_news(with_uid=getattr(command, "uid", False))
        if not self._greeted:  # the answer to SELECT has said it all
            news, self._greeted = [], True
        self._untold.clear()
        self._changed.clear()
        self._silenced.clear()
        self.hide_expunged = False
        return self, news

    def _drop(self, uid: int) -> int:
        self.session_flags.remove([uid])
        self._told.pop(uid, None)
        self._untold.discard(uid)
        self._changed.discard(uid)
        return self._listing.remove(uid)

    def _flag_news(self, *, with_uid: bool) -> Iterable[UntaggedResponse]:
        news: list[UntaggedResponse] = []
        for uid in sorted(self._changed):
            message = self._listing.get(uid)
            if message is None:
                continue
            flags = message.permanent_flags
            if flags != self._told[uid] and flags != self._silenced.get(uid):
                shown = List(message.get_flags(self.session_flags), sort=True)
                values = [FetchValue.of(FLAGS, shown)]
                if with_uid:
                    values.append(FetchValue.of(UID, Number(uid)))
                news.append(FetchResponse(self._listing.number(uid), values))
            self._told[uid] = flags
        return news
