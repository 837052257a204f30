"""Mail's pure parts against simpler models: no message breaks the reader of headers, no order of events breaks a
session's numbering, no journal loses what came before a tear."""

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pymap.flags import PermanentFlags, SessionFlags
from pymap.parsing.command import Command
from pymap.parsing.command.any import NoOpCommand
from pymap.parsing.specials import FetchRequirement, Flag, ObjectId
from pymap.parsing.specials.flag import Seen, Wildcard
from pymap.selected import SelectedSet

from deskworld_embedded.mail.domains import mailbox_of, may_send
from deskworld_embedded.mail.envelope import Envelope
from deskworld_embedded.mail.headers import fields, split, unfolded
from deskworld_embedded.mail.journal import Journal
from deskworld_embedded.mail.message import Message
from deskworld_embedded.mail.selected import Selected
from deskworld_kit import clock

mail_like = st.lists(
    st.sampled_from(
        [
            b"\r\n",
            b"\n",
            b"\r",
            b" ",
            b"\t",
            b":",
            b"Subject",
            b"From",
            b"Date",
            b"<a@b>",
            b"=?utf-8?Q?x?=",
            b"\0",
            b"\xff",
        ]
    )
    | st.binary(max_size=8),
    max_size=40,
).map(b"".join)


@given(mail_like)
def test_any_bytes_are_a_header_and_a_body(raw: bytes) -> None:
    head, body = split(raw)
    assert head + body == raw
    for name, text in fields(head):
        assert text in head
        assert name in text
        unfolded(text)


@given(mail_like)
def test_any_header_has_an_envelope_of_ten_parts(raw: bytes) -> None:
    rendered = bytes(Envelope.of(split(raw)[0]))
    assert rendered.startswith(b"(")
    assert rendered.endswith(b")")
    assert b"\0" not in rendered


mime_like = st.lists(
    st.sampled_from(
        [
            b"Content-Type: multipart/mixed; boundary=b\r\n",
            b"Content-Type: message/rfc822\r\n",
            b"Content-Type: text/plain; charset=x\r\n",
            b"Content-Type: ;=\r\n",
            b"Content-Disposition: attachment; filename*=utf-8''%ff\r\n",
            b"Content-Disposition: ;;\r\n",
            b"Content-Transfer-Encoding: base64\r\n",
            b"Content-ID: <\xff>\r\n",
            b"\r\n",
            b"--b\r\n",
            b"--b--\r\n",
            b"text\r\n",
            b"\xff\0",
        ]
    )
    | mail_like,
    max_size=30,
).map(b"".join)


@example(b"Content-Transfer-Encoding: x-nobody-knows\r\n\r\ntext\r\n")
@given(mime_like)
async def test_any_message_is_served_whole_and_its_structure_is_answered(raw: bytes) -> None:
    class Kept:
        def read(self, at: int, size: int) -> bytes:
            return raw

    message = Message(1, clock.now(), (), store=Kept(), head=(0, 0), body=(0, len(raw)))
    loaded = await message.load_content(FetchRequirement.CONTENT)
    assert bytes(loaded.get_body()) == raw
    assert loaded.get_size() == len(raw)
    assert bytes(loaded.get_message_headers()) + bytes(loaded.get_message_text()) == raw
    structure = loaded.get_body_structure()
    for rendered in (bytes(structure), bytes(structure.extended)):
        assert rendered.startswith(b"(")
        assert rendered.endswith(b")")
    for section in ([1], [1, 1], [2]):
        for part in (loaded.get_body(section), loaded.get_headers(section), loaded.get_message_text(section)):
            bytes(part)
        bytes(loaded.get_message_headers(section, [b"Subject"]))
        bytes(loaded.get_body(section, binary=True))
    loaded.contains(b"text")


@dataclass
class Client:
    """What a client knows who does as RFC 3501 says: numbers shift with EXPUNGE, EXISTS adds at the end."""

    uids: list[int] = field(default_factory=list)

    def hears(self, lines: list[bytes], server: list[int]) -> None:
        for line in lines:
            number, _, what = line.removeprefix(b"* ").strip().partition(b" ")
            if what == b"EXPUNGE":
                del self.uids[int(number) - 1]
            elif what == b"EXISTS":
                self.uids += [uid for uid in server if not self.uids or uid > self.uids[-1]]
                assert len(self.uids) == int(number)


class _Nothing:
    def read(self, at: int, size: int) -> bytes:
        return b"\0" * size


def _message(uid: int, flags: frozenset[Flag] = frozenset()) -> Message:
    return Message(uid, clock.now(), flags, store=_Nothing(), head=(0, 0), body=(0, 0))


events = st.lists(st.sampled_from(["arrive", "expunge", "flag", "told", "told-hidden"]), max_size=60)


@given(events, st.randoms(use_true_random=False))
def test_a_clients_numbers_agree_with_the_servers_whatever_happens(happened: list[str], random: object) -> None:
    choose = random.choice  # type: ignore[attr-defined]
    permanent, session = PermanentFlags([Seen, Wildcard]), SessionFlags([])
    selected = Selected(ObjectId(b"F1"), False, permanent, session, SelectedSet(), "INBOX")
    command: Command = NoOpCommand(b"t")
    selected.fork(command)
    client, alive, next_uid = Client(), list[int](), 1
    messages: dict[int, Message] = {}
    for event in [*happened, "told"]:
        if event == "arrive":
            messages[next_uid] = _message(next_uid)
            alive.append(next_uid)
            selected.heard([messages[next_uid]], [])
            next_uid += 1
        elif event == "expunge" and alive:
            gone = choose(alive)
            alive.remove(gone)
            selected.heard([], [gone])
        elif event == "flag" and alive:
            uid = choose(alive)
            messages[uid].permanent_flags = messages[uid].permanent_flags ^ {Seen}
            selected.heard([messages[uid]], [])
        elif event.startswith("told"):
            selected.hide_expunged = event == "told-hidden"
            _, news = selected.fork(command)
            server = [uid for _, uid in _listed(selected)]
            client.hears([bytes(line) for line in news], server)
            assert client.uids == server
    assert client.uids == alive


def _listed(selected: Selected) -> list[tuple[int, int]]:
    listing = selected.messages
    return [(number, uid) for number, uid in enumerate(listing._order, 1) if listing.number(uid) == number]  # type: ignore[attr-defined]


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=8), st.data())
def test_a_journal_torn_anywhere_holds_all_that_was_whole_before_the_tear(
    contents: list[bytes], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        journal = Journal(path)
        ends = []
        for number, content in enumerate(contents):
            kept = journal.append("store", {"number": number}, content)
            ends.append(kept.at + kept.size)
        journal.close()
        tear = data.draw(st.integers(0, ends[-1]))
        with path.open("r+b") as file:
            file.truncate(tear)
        again = Journal(path)
        found = [(record.value["number"], again.read(record.at, record.size)) for record in again.replay()]
        whole = sum(end <= tear for end in ends)
        assert found == list(enumerate(contents))[:whole]
        again.append("store", {"number": 99}, b"after")
        assert [record.value["number"] for record in again.replay()][-1] == 99
        again.close()


@pytest.mark.parametrize(
    ("address", "login"),
    [
        ("ap@deskworld.example", "desk"),
        ("AP@DeskWorld.Example", "desk"),
        ("anna.keller@staff.deskworld.example", "staff"),
        ("ap@v-1.vendors.deskworld.example", "counterparties"),
        ("x@vendors.deskworld.example", "counterparties"),
        ("ceo@deskw0rld.outside.example", "counterparties"),
        ('"a@b"@outside.example', "counterparties"),
        ("x@evilvendors.deskworld.example", None),
        ("x@outside.example.com", None),
        ("x@other.deskworld.example", None),
        ("x@deskworld.example.", None),
        ("@deskworld.example", None),
        ("postmaster", None),
        ("<>", None),
    ],
)
def test_an_address_belongs_to_one_mailbox_or_to_none(address: str, login: str | None) -> None:
    assert mailbox_of(address) == login
    for sender in ("desk", "staff", "counterparties"):
        assert may_send(sender, address) == (sender == login)
