"""A model at the desk: what it is told, what becomes of its calls, and of a provider that is not there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from tests.support.agent import Office, documents, ok, take, turn
from tests.support.scripted_model import (
    ScriptedModel,
    calls,
    dropped,
    error,
    nonsense,
    says,
    scripted,
    serving,
)

from deskworld import candidate
from deskworld.agents import is_model, playbook_digest
from deskworld.agents.starting import check
from deskworld.errors import UsageWrong
from deskworld_agent.model.acting import model_agent
from deskworld_agent.model.asking import Asker
from deskworld_agent.work import Act

HOLD = {"action": "hold", "citations": ["0190-invoice"], "rationale": "held"}


async def at_once(_: float) -> None:
    """Waits for nothing: the provider's pauses are not what is tested."""


@asynccontextmanager
async def agent(model: ScriptedModel, *, limit: int = 4, playbook: str = "Hold everything.") -> AsyncIterator[Act]:
    async with serving(model) as url:
        named = OpenAIChatModel("scripted-1", provider=OpenAIProvider(base_url=url, api_key="none"))
        named.client.max_retries = 0
        async with named:
            yield model_agent(Asker(named, asyncio.Semaphore(limit), pause=at_once), playbook)


def office() -> Office:
    return Office(tools={**documents(), "propose_resolution": ok({"proposal": 1})})


async def test_a_model_reads_and_proposes_with_the_desks_tools() -> None:
    model = scripted(calls(("get_invoice", {})), calls(("propose_resolution", HOLD)), says("Done."))
    desk = office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.made("propose_resolution") == [HOLD]
    assert desk.ended[0]["how"] == "COMPLETED"
    assert [tool["function"]["name"] for tool in model.asked[0]["tools"]] == ["get_invoice"]
    assert "Hold everything." in model.told(0)[0]["content"]
    assert model.told(1)[-1]["role"] == "tool"
    assert "0190-invoice" in model.told(1)[-1]["content"]


async def test_what_each_call_used_is_reported_as_the_provider_said_it() -> None:
    cached = {
        "prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
        "prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens_details": {"reasoning_tokens": 2},
    }  # fmt: skip
    model = scripted(calls(("get_invoice", {})), says("Done.", usage=cached), says("Done."))
    desk = office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["usage"] == [
        {"model": "scripted-1", "input": 120, "output": 8},
        {"model": "scripted-1", "input": 100, "output": 5, "cache_read": 60, "reasoning": 2},
    ]


@pytest.mark.parametrize("cached", [0, None], ids=["nothing of it", "not told"])
async def test_a_cache_that_gave_nothing_is_a_nought_and_one_that_was_not_told_of_is_none(cached: int | None) -> None:
    details = {} if cached is None else {"cached_tokens": cached}
    said = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105, "prompt_tokens_details": details}
    desk = office()
    async with agent(scripted(says("Done.", usage=said))) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["usage"][0].get("cache_read") == cached


async def test_usage_of_nothing_at_all_is_no_report() -> None:
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    desk = office()
    async with agent(scripted(says("Done.", usage=nothing))) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["usage"] == [{"model": "scripted-1"}]


async def test_usage_that_is_not_reported_is_left_out_and_is_no_zero() -> None:
    desk = office()
    async with agent(scripted(says("Done.", usage=None))) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["usage"] == [{"model": "scripted-1"}]


@pytest.mark.parametrize("trouble", [error(429), error(503), nonsense, dropped], ids=["429", "503", "nonsense", "drop"])
async def test_a_call_that_was_dropped_is_made_again_three_times(trouble: object) -> None:
    model = scripted(trouble, trouble, trouble, calls(("propose_resolution", HOLD)), says("Done."))  # type: ignore[arg-type]
    desk = office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert len(model.asked) == 5
    assert desk.made("propose_resolution") == [HOLD]
    assert desk.ended[0]["how"] == "COMPLETED"


@pytest.mark.parametrize("trouble", [error(500), nonsense, dropped], ids=["500", "nonsense", "drop"])
async def test_a_provider_that_stays_away_ends_the_turn_and_is_no_fault_of_the_model(trouble: object) -> None:
    model, desk = scripted(trouble), office()  # type: ignore[arg-type]
    async with agent(model) as act:
        await take(desk, act, turn())
    assert len(model.asked) == 4
    assert desk.ended[0]["how"] == "PROVIDER"


async def test_a_key_that_is_not_taken_is_not_tried_again() -> None:
    model, desk = scripted(error(401)), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert len(model.asked) == 1
    assert desk.ended[0]["how"] == "PROVIDER"
    assert desk.ended[0]["usage"] == []


async def test_a_turn_that_outgrew_the_model_is_the_models_limit_and_no_outage() -> None:
    outgrown = error(400, "This model's maximum context length is 8192 tokens, you asked for 9000.")
    model, desk = scripted(calls(("get_invoice", {})), outgrown), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert len(model.asked) == 2
    assert desk.ended[0]["how"] == "TOKEN_LIMIT"
    assert desk.ended[0]["usage"] == [{"model": "scripted-1", "input": 120, "output": 8}]


async def test_a_call_that_is_refused_for_another_reason_is_no_limit_of_the_models() -> None:
    model, desk = scripted(error(400, "tool schemas are not supported")), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["how"] == "PROVIDER"


async def test_a_dropped_call_may_have_cost_something_and_is_counted_as_unknown() -> None:
    model, desk = scripted(dropped, says("Done.")), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.ended[0]["usage"] == [{"model": "scripted-1"}, {"model": "scripted-1", "input": 120, "output": 8}]


async def test_arguments_that_are_no_object_go_back_to_the_model_and_not_to_the_desk() -> None:
    model = scripted(calls(("propose_resolution", '{"action": ')), calls(("propose_resolution", "[1]")), says("Sorry."))
    desk = office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.calls == []
    assert "no JSON object" in model.told(1)[-1]["content"]


async def test_a_tool_that_is_not_offered_is_refused_by_the_desk_itself() -> None:
    model, desk = scripted(calls(("pay_invoice", {"amount": "1.00"})), says("Oh.")), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.made("pay_invoice") == [{"amount": "1.00"}]
    assert "TOOL_NOT_OFFERED" in model.told(1)[-1]["content"]


async def test_an_answer_that_was_cut_off_moves_nothing() -> None:
    cut = says("I will now", finish="length")
    model, desk = scripted(cut), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert desk.calls == []
    assert desk.ended[0]["how"] == "TOKEN_LIMIT"


async def test_a_model_that_never_ends_its_calls_is_stopped() -> None:
    model, desk = scripted(calls(("get_invoice", {}))), office()
    async with agent(model) as act:
        await take(desk, act, turn())
    assert len(desk.made("get_invoice")) == 24
    assert len(desk.ended) == 1


async def test_no_more_calls_than_allowed_are_with_the_provider_at_once() -> None:
    model, desk = scripted(says("Done."), together=6), office()
    async with agent(model, limit=2) as act:
        await asyncio.gather(*(take(desk, act, turn(case_id=f"c-{nth}")) for nth in range(6)))
    assert model.most == 2
    assert len(desk.ended) == 6


def test_a_model_is_known_by_its_provider_and_a_module_by_its_name() -> None:
    assert is_model("openai:gpt-5")
    assert is_model("openai-chat:local")
    assert is_model("anthropic:claude")
    assert not is_model("my_agent:act")
    assert not is_model("http://127.0.0.1:9/agent")
    assert not is_model("playbook")


def test_a_model_without_its_key_or_library_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageWrong, match="OPENAI_API_KEY"):
        check("openai:gpt-5")
    with pytest.raises(UsageWrong, match="anthropic"):
        check("anthropic:claude")


def test_a_playbook_is_for_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageWrong, match="reads none"):
        check("oracle", tmp_path / "mine.md")


def test_another_playbook_is_another_candidate(tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("Hold everything.\n")
    assert playbook_digest(mine) != playbook_digest(None)
    with pytest.raises(UsageWrong, match=r"nowhere\.md"):
        playbook_digest(tmp_path / "nowhere.md")


def test_the_source_of_a_model_agent_is_the_loop_that_asks_it() -> None:
    assert candidate.digest("openai:gpt-5", control=False, model=True) == candidate.digest("playbook", control=False)
