"""What bars a payment after a doubtful letter is lifted by two people and by nothing else."""

from collections.abc import AsyncIterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
import pytest_asyncio
from tests.support.desk import Company
from tests.support.erp import ROLES, run_sql

from deskworld_desk.cases.docket import Dockets
from deskworld_desk.cases.snapshot import case_now
from deskworld_desk.cases.tables import Case
from deskworld_desk.desk import Desk
from deskworld_desk.flags.clearing import ask_to_clear, confirm, keep
from deskworld_desk.flags.raising import raise_flags
from deskworld_desk.flags.reading import flags_of, standing_flags
from deskworld_desk.migrate import migrate
from deskworld_desk.quarantine.reading import Reading
from deskworld_desk.timeline.kinds import Actor, PersonNoted
from deskworld_desk.timeline.kinds import Person as By
from deskworld_desk.timeline.reading import rows_of
from deskworld_desk.timeline.stream import Broadcast
from deskworld_desk.world import Names
from deskworld_kit import chain, clock
from deskworld_kit.identity import Principal
from deskworld_kit.ids import new_id
from deskworld_kit.problems import Problem
from deskworld_kit.sessions import lean_database

NAMES = {"ap": Names(subject="exception_id", record="invoice_id", party="vendor_id")}


def person(username: str) -> Principal:
    return Principal(
        subject=f"sub-{username}", username=username, client="workbench", roles=frozenset({ROLES[username]})
    )


EMMA, GRACE, HUGO, INES = map(person, ("emma.lind", "grace.hall", "hugo.silva", "ines.vogel"))
ANNA, KIRA = person("anna.keller"), person("kira.stone")


@pytest_asyncio.fixture(scope="module")
async def desk(company: Company) -> AsyncIterator[Desk]:
    """Rows in a database of its own; nobody listens and nothing runs in the background."""
    await run_sql(company.home, "CREATE DATABASE desk_flags")
    await migrate(f"postgresql://postgres@/desk_flags?host={company.home}")
    db = lean_database(f"postgresql+asyncpg://desk_service@/desk_flags?host={company.home}", pool=4, overflow=4)

    async def nothing(_first: int, _last: int) -> Any:
        raise AssertionError("nobody asked for rows again")

    broadcast = Broadcast(last=0, fill=nothing)
    dockets = Dockets(db=db, broadcast=broadcast, names=NAMES, on_outage=lambda: None)
    yield cast("Desk", SimpleNamespace(db=db, dockets=dockets))
    await db.close()


async def a_case(desk: Desk) -> str:
    case = Case(
        id=new_id(), world="ap", record_id=new_id(), party_id=new_id(), reason="NO_PO", amount="1.00", currency="EUR",
        opening={}, state="INVESTIGATING", rules="on", owner="agent", record_version=1, record_status="EXCEPTION",
        rechecked_version=1, status_version=1, office_ahead=timedelta(), memory_versions={},
        held=False, declined=[], memory={}, hash=chain.GENESIS, opened_at=clock.now(), turns=0, input_tokens=0, seq=0,
        instructions_seen=False, reader_failed=False, rerun_used=False,
    )  # fmt: skip
    async with desk.db.transaction() as session:
        session.add(case)
    return case.id


async def read(desk: Desk, case_id: str, **found: bool) -> None:
    """A mail of the case is read, and this is what the reader found."""
    async with desk.dockets.of_case(case_id) as docket:
        case = docket.cases[case_id]
        words = PersonNoted(by=By(username="x", sub="x"), text="the reading's row")
        row = docket.write(case, words, Actor(type="desk", id="lexicon"))
        raise_flags(docket, case, new_id(), Reading(reader="lexicon", **found), row)


async def barred(desk: Desk, case_id: str) -> tuple[bool, bool]:
    """Whether policy is told of instructions, and of a reader that failed."""
    async with desk.db.transaction() as session:
        now = await case_now(session, await session.get_one(Case, case_id))
    return now.instructions_seen, now.reader_failed


async def timeline(desk: Desk, case_id: str) -> list[dict[str, Any]]:
    async with desk.db.transaction() as session:
        return (await rows_of(session, [case_id]))[case_id]


async def the_flag(desk: Desk, case_id: str, which: int = 0) -> str:
    return str((await flags_of(desk, case_id, KIRA))[which]["flag_id"])


async def refused(call: Any) -> tuple[int, str]:
    with pytest.raises(Problem) as caught:
        await call
    return caught.value.status, caught.value.code


async def test_two_people_clear_a_flag_and_the_row_names_both(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    assert await barred(desk, case_id) == (True, False)
    flag_id = await the_flag(desk, case_id)
    await ask_to_clear(desk, flag_id, EMMA, "a greeting from their new director")
    assert await barred(desk, case_id) == (True, False)
    await confirm(desk, flag_id, GRACE)
    assert await barred(desk, case_id) == (False, False)
    rows = await timeline(desk, case_id)
    assert chain.verify(rows) is None
    asked, cleared = rows[-2:]
    assert (asked["kind"], asked["cause"], asked["actor"]["id"]) == ("person.noted", 1, "emma.lind")
    assert (cleared["kind"], cleared["cause"], cleared["actor"]["id"]) == ("flag.cleared", asked["seq"], "grace.hall")
    said = cleared["data"]
    assert (said["by"]["username"], said["confirmed_by"]["username"]) == ("emma.lind", "grace.hall")
    assert (said["flag"], said["reason"]) == ("instructions", "a greeting from their new director")


async def test_nobody_confirms_what_they_asked_for(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    flag_id = await the_flag(desk, case_id)
    await ask_to_clear(desk, flag_id, GRACE, "harmless")
    assert await refused(confirm(desk, flag_id, GRACE)) == (403, "NOT_AUTHORISED")
    assert await barred(desk, case_id) == (True, False)


async def test_roles_say_who_asks_and_who_confirms(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, failed=True)
    flag_id = await the_flag(desk, case_id)
    for nobody in (ANNA, KIRA):
        assert await refused(ask_to_clear(desk, flag_id, nobody, "x")) == (403, "NOT_AUTHORISED")
    await ask_to_clear(desk, flag_id, HUGO, "a scan; I read it myself")
    for nobody in (ANNA, KIRA, EMMA):
        assert await refused(confirm(desk, flag_id, nobody)) == (403, "NOT_AUTHORISED")
        assert await refused(keep(desk, flag_id, nobody, "x")) == (403, "NOT_AUTHORISED")
    await confirm(desk, flag_id, INES)
    assert await barred(desk, case_id) == (False, False)


async def test_without_a_reason_given_first_there_is_nothing_to_confirm(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    flag_id = await the_flag(desk, case_id)
    assert await refused(confirm(desk, flag_id, GRACE)) == (409, "FLAG_NOT_ASKED")
    assert await refused(confirm(desk, new_id(), GRACE)) == (404, "NOT_FOUND")


async def test_that_the_reader_failed_and_that_it_saw_instructions_are_cleared_apart(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True, failed=True)
    for which, left in ((0, None), (1, (False, False))):
        flag_id = await the_flag(desk, case_id, which)
        await ask_to_clear(desk, flag_id, EMMA, "read by me")
        await confirm(desk, flag_id, GRACE)
        if left is None:
            assert sorted(await barred(desk, case_id)) == [False, True]
        else:
            assert await barred(desk, case_id) == left


async def test_one_letters_clearance_says_nothing_of_the_next_letter(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    first = await the_flag(desk, case_id)
    await ask_to_clear(desk, first, EMMA, "harmless")
    await read(desk, case_id, contains_instructions=True)
    await confirm(desk, first, GRACE)
    assert await barred(desk, case_id) == (True, False)
    assert [flag["state"] for flag in await flags_of(desk, case_id, KIRA)] == ["CLEARED", "RAISED"]


async def test_a_second_person_may_keep_the_flag_and_it_can_be_asked_for_again(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    flag_id = await the_flag(desk, case_id)
    await ask_to_clear(desk, flag_id, EMMA, "harmless")
    await keep(desk, flag_id, GRACE, "it names a new account")
    assert await refused(confirm(desk, flag_id, HUGO)) == (409, "FLAG_NOT_ASKED")
    await ask_to_clear(desk, flag_id, HUGO, "called them: the old account stands")
    await keep(desk, flag_id, HUGO, "asked too early")
    assert await barred(desk, case_id) == (True, False)
    assert [row["actor"]["id"] for row in (await timeline(desk, case_id))[1:]] == [
        "emma.lind",
        "grace.hall",
        "hugo.silva",
        "hugo.silva",
    ]


async def test_the_same_step_again_changes_nothing_and_a_step_too_late_is_refused(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)
    flag_id = await the_flag(desk, case_id)
    for _ in range(2):
        await ask_to_clear(desk, flag_id, EMMA, "harmless")
    assert await refused(ask_to_clear(desk, flag_id, GRACE, "harmless")) == (409, "FLAG_ASKED")
    for _ in range(2):
        await confirm(desk, flag_id, GRACE)
    assert len(await timeline(desk, case_id)) == 3
    assert await refused(ask_to_clear(desk, flag_id, EMMA, "again")) == (409, "FLAG_CLEARED")
    assert await refused(confirm(desk, flag_id, HUGO)) == (409, "FLAG_CLEARED")


async def test_the_list_says_what_this_person_may_do(desk: Desk) -> None:
    case_id = await a_case(desk)
    await read(desk, case_id, contains_instructions=True)

    async def may(who: Principal) -> tuple[bool, bool]:
        (found,) = [flag for flag in await standing_flags(desk, who) if flag["case_id"] == case_id]
        return found["may_ask"], found["may_confirm"]

    assert [await may(who) for who in (EMMA, GRACE, ANNA)] == [(True, False), (True, False), (False, False)]
    await ask_to_clear(desk, await the_flag(desk, case_id), GRACE, "harmless")
    assert [await may(who) for who in (EMMA, GRACE, INES)] == [(False, False), (False, False), (False, True)]
    await confirm(desk, await the_flag(desk, case_id), INES)
    assert case_id not in [flag["case_id"] for flag in await standing_flags(desk, INES)]
