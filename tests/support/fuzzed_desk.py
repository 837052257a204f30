"""The desk's doors for a fuzzer: cases in several states, what names them, and what opens each door."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.desk import STAGE, Company, Seeded
from tests.support.desk_agent import Turn, turn_of
from tests.support.erp import run_sql

from deskworld_desk.turns.claiming import hashed

Name = Literal["office", "stage", "agent"]
NAMES: tuple[Name, ...] = ("office", "stage", "agent")
CONTROLLER = "ines.vogel"
HOURS = 10 * 3600


@dataclass(frozen=True, slots=True)
class FuzzedDoor:
    """`known`: what the parameters of paths are, so that requests come to something."""

    address: str
    credential: str
    known: Mapping[str, str]
    without: str = "/stream$"


async def fuzzed_door(company: Company, name: Name) -> FuzzedDoor:
    if name == "agent":
        return await _agent_door(company)
    asked = await company.seed(price="11.90")
    decision = await asked.until_asked()
    known = {"path.case_id": asked.case_id, "path.decision_id": decision["decision_id"],
             "path.vendor_id": asked.vendor_id}  # fmt: skip
    if name == "stage":
        return FuzzedDoor(company.desk.url("stage"), STAGE, known)
    known |= {"path.question_id": await _question(company), **await _bank_change(company)}
    return FuzzedDoor(company.desk.url("office"), await company.token(CONTROLLER), known)


async def _agent_door(company: Company) -> FuzzedDoor:
    """A turn that the agent's own token opens too, since a fuzzer has one credential; its lease outlasts the fuzzer."""
    seeded = await company.seed(rules="off")
    turn, token = await turn_of(seeded), await company.agent_token()
    turn_id = turn.given["turn_id"]
    await run_sql(
        company.home,
        f"UPDATE turns SET token_hash = '{hashed(token)}', token_until = now() + interval '{HOURS} seconds', "
        f"lease_seconds = {HOURS}, lease_until = now() + interval '{HOURS} seconds' WHERE id = '{turn_id}'",
        database_name="desk",
    )
    return FuzzedDoor(company.desk.url("agent"), token, {"path.turn_id": turn_id})


async def _question(company: Company) -> str:
    turn = await _turn(company)
    asked = await turn.call("ask_buyer", question="Is 10.40 agreed?")
    await turn.end()
    return str(asked["result"]["question_id"])


async def _turn(company: Company, **situation: Any) -> Turn:
    return await turn_of(await company.seed(rules="off", **situation))


async def _bank_change(company: Company) -> dict[str, str]:
    seeded: Seeded = await company.seed(price="10.00", bank_change=True)
    return {"path.change_id": str(seeded.record("change")["id"])}


async def left_as_it_was(company: Company) -> None:
    """A fuzzer at the office door pauses agents, who are needed by others."""
    answer = await company.ask("desk", "POST", "/oversight/resume", by=CONTROLLER)
    assert answer.status_code in {200, 409}, answer.text
