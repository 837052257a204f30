"""Agents are started by name, and each case finds its script however early its turn comes."""

import asyncio

import pytest

from deskworld import catalogue
from deskworld.agents import NAMES, Cast, working
from deskworld.agents.controls import CONTROLS
from deskworld.agents.starting import chosen
from deskworld.compiler import compile_case
from deskworld.errors import StackUnavailable, UsageWrong
from deskworld.values.case import Case, Seeded, SeededRecord
from deskworld.values.stack import Stack
from deskworld.worlds import WORLDS

NOWHERE = Stack.model_validate(
    {
        "schema": "deskworld/stack/1", "id": "nowhere", "kind": "given",
        **dict.fromkeys(("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy"), "http://127.0.0.1:9"),
        "issuer": "http://127.0.0.1:9/realms/nowhere",
        **{name: {"host": "127.0.0.1", "port": 9} for name in ("smtp", "submission", "imap")},
        "secrets": {"erp_stage": "-", "desk_stage": "-", "agent_client": "-", "counterparty_mailbox": "-"},
    }
)  # fmt: skip


def a_case() -> Case:
    world = WORLDS["ap"]
    scenario = next(one for one in catalogue.load_all(world.scenarios).values() if one.facts)
    return compile_case(scenario, seed=1, tag="abcdefghij", rules="off", world=world)


def seeded(case: Case) -> Seeded:
    records = {
        ref: SeededRecord(kind="record", id=f"id-{ref}", forms=(f"id-{ref}", f"number-{ref}"))
        for ref in case.expect.facts
    }
    return Seeded(records=records, exceptions=(), case_id="x-1", siblings=("x-2",))


async def test_a_turn_that_is_there_before_its_script_waits_for_it() -> None:
    case, cast = a_case(), Cast()
    waiting = asyncio.create_task(cast.script("x-1"))
    assert not waiting.done()
    cast.hand_out(case, seeded(case))
    found = await asyncio.wait_for(waiting, 20)
    assert found is not None
    assert found.moves == case.oracle
    assert found.facts == tuple(frozenset({f"id-{ref}", f"number-{ref}"}) for ref in case.expect.facts)


async def test_a_sibling_has_no_script() -> None:
    case, cast = a_case(), Cast()
    cast.hand_out(case, seeded(case))
    assert await cast.script("x-2") is None


async def test_a_case_of_somebody_else_has_no_script_after_a_while() -> None:
    assert await Cast(awaited=0.01).script("x-9") is None


@pytest.mark.parametrize("name", [name for name in NAMES if name != "none"])
def test_every_name_is_an_agent(name: str) -> None:
    assert callable(chosen(name, Cast()))


def test_an_agent_of_yours_is_named_as_module_and_function() -> None:
    assert chosen("deskworld.agents.controls:mute", Cast()) is CONTROLS["mute"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("playbok", "did you mean playbook"),
        ("nobody", "there are: playbook"),
        ("no.such.module:agent", "module:function"),
        ("deskworld.agents.controls:nothing", "module:function"),
        ("deskworld.agents.controls:CONTROLS", "async function"),
        (":", "module:function"),
    ],
)
def test_a_name_that_nobody_has_says_what_to_do(name: str, said: str) -> None:
    with pytest.raises(UsageWrong) as wrong:
        chosen(name, Cast())
    assert said in wrong.value.next_step


async def test_without_a_door_the_agent_is_not_started() -> None:
    with pytest.raises(StackUnavailable, match="sign in"):
        async with working("mute", NOWHERE, side_by_side=2):
            pass


async def test_an_agent_that_is_attached_from_outside_is_not_started_here() -> None:
    async with working("none", NOWHERE, side_by_side=2) as cast:
        assert isinstance(cast, Cast)
