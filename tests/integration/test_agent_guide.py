"""The guide's agents, extracted from its page, work a real case of a company of real programs."""

import asyncio

import pytest
from tests.support.desk import Company, of
from tests.support.guide import module


@pytest.mark.parametrize(("name", "agent"), [("my_agent.py", "agent"), ("my_mcp_agent.py", "mine")])
async def test_it_works_a_case(company: Company, monkeypatch: pytest.MonkeyPatch, name: str, agent: str) -> None:
    monkeypatch.setenv("DOOR", company.desk.url("agent"))
    monkeypatch.setenv("TOKEN_URL", f"{company.issuer}/protocol/openid-connect/token")
    monkeypatch.setenv("SECRET", "agent-loopback-secret")
    seeded = await company.seed(rules="off")
    working = asyncio.create_task(module(name).main())
    try:
        _, rows = await seeded.until("the end of its turn", lambda _, rows: bool(of(rows, "turn.ended")))
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    assert [row["data"]["tool"] for row in of(rows, "tool.called")] == ["get_invoice", "propose_resolution"]
    (proposal,) = of(rows, "proposal.made")
    assert (proposal["data"]["action"], proposal["actor"]) == ("hold", {"type": "agent", "id": agent})
    assert of(rows, "turn.ended")[0]["data"]["how"] == "COMPLETED"
