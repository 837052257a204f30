"""Odd mail of every kind that we know: what can be read of it is read, what cannot is said, and nothing is made up."""

import json
from collections import Counter

import pytest
from tests.corpus.mails.kinds import ALL
from tests.corpus.mails.mutations import mutated
from tests.corpus.mails.wire import WORDS, Odd

from deskworld_desk.mail.parse import Parsed, parse
from deskworld_desk.mail.trace import identity
from deskworld_desk.mail.words import TEXT_LIMIT

MUTATIONS, SEED = 2_000, 1
KINDS = {"answer", "auto-reply", "bounce", "calendar"}


def told(parsed: Parsed) -> list[str]:
    """Everything that is stored or shown of a message."""
    single = (parsed.message_id, parsed.header_from, parsed.envelope_from, parsed.delivered_to, parsed.unreadable)
    many = (*parsed.in_reply_to, *parsed.references, *parsed.returned, *parsed.attachments, *parsed.versions)
    reported = [part for each in parsed.deliveries for part in (each.recipient, each.action, each.status)]
    return [each for each in (*single, parsed.subject, parsed.text, *many, *parsed.defects, *reported) if each]


def check(parsed: Parsed) -> None:
    for each in told(parsed):
        assert "\x00" not in each
        assert json.loads(json.dumps(each.encode("utf-8").decode())) == each
    assert parsed.kind in KINDS
    assert parsed.unreadable is None or parsed.text == ""
    assert len(parsed.text) <= 2 * TEXT_LIMIT + 2
    assert all(len(ids) <= 100 for ids in (parsed.in_reply_to, parsed.references, parsed.returned, parsed.deliveries))


def test_there_are_at_least_a_hundred_and_twenty_kinds_and_each_has_a_name_of_its_own() -> None:
    names = Counter(odd.name for odd in ALL)
    assert len(ALL) >= 120
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("odd", ALL, ids=lambda odd: odd.name)
def test_what_can_be_read_is_read_and_what_cannot_is_said(odd: Odd) -> None:
    parsed = parse(odd.raw)
    check(parsed)
    assert parsed.kind == odd.kind
    if odd.reads == "unreadable":
        assert parsed.unreadable
    else:
        assert parsed.unreadable is None
    if odd.kind == "answer":
        assert (WORDS in parsed.text) == (odd.reads == "words")


@pytest.mark.parametrize("part", range(4))
def test_no_damage_makes_the_parser_fail_or_tell_what_cannot_be_stored(part: int) -> None:
    for number in range(part, MUTATIONS, 4):
        raw = mutated(SEED, number)
        parsed = parse(raw)
        check(parsed)
        if number % 20 == part:
            assert parse(raw) == parsed
            # what begins with a blank goes on with the field above it
            passed_on = b"Received: from a by b\r\n\tfor c\r\n" + raw
            assert raw[:1] in {b" ", b"\t"} or identity(passed_on) == identity(raw)


def test_damage_is_drawn_by_seed_and_differs() -> None:
    assert mutated(SEED, 7) == mutated(SEED, 7)
    assert len({mutated(SEED, number) for number in range(200)}) > 190
