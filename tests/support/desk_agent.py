"""A client of the agent door, as far as the desk's tests need one."""

from dataclasses import dataclass
from typing import Any

import httpx
from tests.support.desk import Company, Seeded


@dataclass
class Turn:
    company: Company
    given: dict[str, Any]
    _calls: int = 0

    @property
    def labels(self) -> list[str]:
        return [one["label"] for one in self.given["inputs"]]

    async def post(self, what: str, body: Any = None) -> httpx.Response:
        path = f"/turns/{self.given['turn_id']}/{what}"
        return await self.company.ask("agent", "POST", path, by=self.given["token"], json=body)

    async def call(self, tool: str, /, *, call_id: str | None = None, **args: Any) -> dict[str, Any]:
        self._calls += 1
        body = {"call_id": call_id or f"call-{self._calls}", "tool": tool, "args": args}
        answer = await self.post("calls", body)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def end(self, how: str = "COMPLETED", *usage: dict[str, Any]) -> str:
        answer = await self.post("end", {"how": how, "usage": list(usage)})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["how"])

    async def propose(self, action: str, *citations: str, **more: Any) -> dict[str, Any]:
        return await self.call(
            "propose_resolution",
            action=action,
            citations=list(citations),
            rationale="It follows from what was read.",
            **more,
        )


async def claim(company: Company, *, wait: float = 10.0, agent: str = "tester") -> Turn | None:
    token = await company.agent_token()
    answer = await company.ask("agent", "POST", "/turns/claim", by=token, json={"agent": agent, "wait": wait})
    if answer.status_code == 204:
        return None
    assert answer.status_code == 200, answer.text
    return Turn(company, answer.json())


async def turn_of(seeded: Seeded) -> Turn:
    """The next turn of this case; turns of others, which an earlier test left behind, are ended."""
    while True:
        turn = await claim(seeded.company)
        assert turn is not None, f"no turn of case {seeded.case_id} came; log: {seeded.company.desk.log()[-1500:]}"
        if turn.given["case_id"] == seeded.case_id:
            return turn
        await turn.end()
