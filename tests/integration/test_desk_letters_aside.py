"""Mail that joins no case lies before AP managers until one of them joins it to a case or dismisses it."""

from typing import Any

import pytest
from tests.support.correspondence import AGREED
from tests.support.desk_inside import Inside, person
from tests.support.mailroom import Mailroom, reply

from deskworld_desk.letters.aside import dismiss, join_to_case, listed, shown
from deskworld_desk.timeline.reading import own_rows_since
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem

MANAGER = person("grace.hall")


@pytest.fixture
def mailroom(core: Inside) -> Mailroom:
    return Mailroom(core)


async def aside(core: Inside) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = await listed(core.desk, MANAGER, cursor=cursor, limit=3)
        items += page["items"]
        cursor = page["next"]
        if cursor is None:
            assert page["count"] == len(items)
            return items


async def own_rows(core: Inside, kind: str, mail_id: str) -> list[dict[str, Any]]:
    async with core.desk.db.transaction() as session:
        rows = await own_rows_since(session, 0)
    return [row for row in rows if row["kind"] == kind and row["data"]["mail_id"] == mail_id]


async def unmatched(core: Inside, mailroom: Mailroom, *fields: str, body: str = AGREED, of: str | None = None) -> str:
    await mailroom.deliver(reply(body, *fields, **({} if of is None else {"of": of})))
    return str((await aside(core))[-1]["mail_id"])


async def test_what_joins_no_case_is_listed_page_by_page_and_read_as_text(core: Inside, mailroom: Mailroom) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    await mailroom.write(case_id)
    before = len(await aside(core))
    for number in range(4):
        await unmatched(core, mailroom, f"Subject: [VND-{number}] your request")
    items = await aside(core)
    assert [item["subject"] for item in items[before:]] == [f"[VND-{number}] your request" for number in range(4)]
    last = await shown(core.desk, MANAGER, items[-1]["mail_id"])
    assert (last["text"], last["why"], last["header_from"], last["class"]) == (
        AGREED,
        "unmatched",
        "ap@muster.example",
        "answer",
    )
    assert case_id in last["wrote_to"]


@pytest.mark.parametrize("username", ["anna.keller", "emma.lind", "ines.vogel", "kira.stone"])
async def test_only_ap_managers_see_it_and_act_on_it(core: Inside, mailroom: Mailroom, username: str) -> None:
    mail_id, who = await unmatched(core, mailroom), person(username)
    for attempt in (
        listed(core.desk, who),
        shown(core.desk, who, mail_id),
        join_to_case(core.desk, who, mail_id, new_id()),
        dismiss(core.desk, who, mail_id, "an advertisement"),
    ):
        with pytest.raises(Problem, match="NOT_AUTHORISED"):
            await attempt


async def test_joined_by_a_manager_it_is_read_and_an_answer_of_the_contact_that_the_case_wrote_to(
    core: Inside, mailroom: Mailroom
) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    letter = await mailroom.write(case_id)
    await mailroom.state(case_id, "AWAITING_ANSWER")
    mail_id = await unmatched(core, mailroom, "Subject: [VND-77120] your request")
    joined = await join_to_case(core.desk, MANAGER, mail_id, case_id)
    await mailroom.work()
    assert joined["case_id"] == case_id
    (received,) = await core.rows(case_id, "mail.received")
    assert received["actor"] == {"type": "person", "id": "grace.hall"}
    told = {name: received["data"][name] for name in ("sender", "joined_by", "letter_id", "class")}
    assert told == {"sender": "known", "joined_by": "person", "letter_id": letter["letter_id"], "class": "answer"}
    (reading,) = await core.rows(case_id, "reading.made")
    assert (reading["data"]["intent"], reading["cause"]) == ("CONFIRMS_PRICE_AGREED", received["seq"])
    view = await core.view(case_id)
    assert (view["state"], view["waiting_on"]) == ("INVESTIGATING", [])
    assert mail_id not in {item["mail_id"] for item in await aside(core)}


async def test_joined_by_a_manager_a_strangers_mail_stays_a_strangers(core: Inside, mailroom: Mailroom) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    await mailroom.write(case_id)
    mail_id = await unmatched(core, mailroom, of="eve@outside.example")
    await join_to_case(core.desk, MANAGER, mail_id, case_id)
    await mailroom.work()
    (received,) = await core.rows(case_id, "mail.received")
    assert (received["data"]["sender"], received["data"]["letter_id"]) == ("stranger", None)
    assert [one["kind"] for one in (await core.view(case_id))["waiting_on"]] == ["letter"]
    assert (await core.untold(case_id))[-1] == "reply:CONFIRMS_PRICE_AGREED:stranger"


async def test_joined_although_nobody_can_read_it_it_counts_as_unread(core: Inside, mailroom: Mailroom) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    await mailroom.write(case_id)
    mail_id = await unmatched(core, mailroom, "Content-Type: application/pkcs7-mime; smime-type=enveloped-data")
    assert (await shown(core.desk, MANAGER, mail_id))["unreadable"] == "encrypted (S/MIME)"
    await join_to_case(core.desk, MANAGER, mail_id, case_id)
    await mailroom.work()
    assert [row["data"]["failed"] for row in await core.rows(case_id, "reading.made")] == [True]


async def test_dismissed_it_is_kept_and_nobody_is_asked_any_more(core: Inside, mailroom: Mailroom) -> None:
    mail_id = await unmatched(core, mailroom)
    assert await dismiss(core.desk, MANAGER, mail_id, "an advertisement") == {
        "mail_id": mail_id,
        "reason": "an advertisement",
    }
    (row,) = await own_rows(core, "mail.dismissed", mail_id)
    assert (row["data"]["by"]["username"], row["data"]["reason"]) == ("grace.hall", "an advertisement")
    assert mail_id not in {item["mail_id"] for item in await aside(core)}
    assert (await shown(core.desk, MANAGER, mail_id))["state"] == "DISMISSED"


async def test_what_somebody_acted_on_is_closed_for_the_next(core: Inside, mailroom: Mailroom) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    dismissed, joined = await unmatched(core, mailroom), await unmatched(core, mailroom, body="more")
    await dismiss(core.desk, MANAGER, dismissed, "an advertisement")
    await join_to_case(core.desk, MANAGER, joined, case_id)
    await mailroom.work()
    other = person("hugo.silva")
    for mail_id in (dismissed, joined):
        with pytest.raises(Problem, match="MAIL_CLOSED"):
            await dismiss(core.desk, other, mail_id, "again")
        with pytest.raises(Problem, match="MAIL_CLOSED"):
            await join_to_case(core.desk, other, mail_id, case_id)


async def test_what_is_not_there_cannot_be_acted_on(core: Inside, mailroom: Mailroom) -> None:
    case_id = (await core.opened(rules="off"))["exception_id"]
    letter = await mailroom.write(case_id)
    await mailroom.deliver(reply(AGREED, answers=letter["message_id"]))
    of_a_case = (await core.rows(case_id, "mail.received"))[0]["data"]["mail_id"]
    for mail_id in (new_id(), of_a_case):
        with pytest.raises(Problem, match="NOT_FOUND"):
            await shown(core.desk, MANAGER, mail_id)
    with pytest.raises(Problem, match="NOT_FOUND"):
        await join_to_case(core.desk, MANAGER, await unmatched(core, mailroom), new_id())


async def test_the_same_mail_is_set_aside_once_also_when_the_mailbox_is_numbered_anew(
    core: Inside, mailroom: Mailroom
) -> None:
    """Whether it can be read, is poison, or is too large to be fetched; and a mail that differs is another."""
    before = len(await aside(core))
    mails = [reply("one"), reply("one"), b"\xff\xfe no header at all"]
    nested = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(400))
    head = reply("").partition(b"\r\n\r\n")[0]
    for validity in (7, 8):
        mailroom.validity = validity
        await mailroom.deliver(*mails, nested)
        await mailroom.take(head, size=60_000_000, whole=False)
        await mailroom.work()
        await mailroom.poison(b"broke the desk")
        await mailroom.poison(b"broke the desk too")
    found = (await aside(core))[before:]
    assert [item["why"] for item in found] == ["unmatched"] * 3 + [
        "unreadable",
        "too-large",
        "unreadable",
        "unreadable",
    ]
