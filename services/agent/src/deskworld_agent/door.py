"""A client of the agent door: claim a turn, call tools in it, end it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx
from httpx_aiohttp import AiohttpTransport
from pydantic import ValidationError

from deskworld_agent.account import Account
from deskworld_agent.errors import DoorFailed, LeaseLost
from deskworld_agent.patience import growing, pause
from deskworld_agent.wire import Brief, CallResult, Input, Json, Turn

GivesUp = Literal["COMPLETED", "PROVIDER", "TOKEN_LIMIT", "TIMEOUT"]
LONGEST_CLAIM_SECONDS = 30.0
TRY_SECONDS = 120.0
"""How long a call is sent again while the door is unwell: long enough for a company that starts anew on a busy machine.
Whether the turn is still ours is then the desk's to say."""
WAIT_SECONDS = 45.0
"""How long a turn waits in all for what the desk itself cannot reach."""
NO_POLICY = "POLICY_UNAVAILABLE"
"""The one refusal that speaks of now and not of what was asked: without the policy nothing is allowed."""


class OpenTurn:
    """A turn that is ours. Every call of a tool is answered once, however often it is sent."""

    def __init__(self, turn: Turn, http: httpx.AsyncClient, *, try_seconds: float = TRY_SECONDS) -> None:
        self.turn = turn
        self.how: GivesUp = "COMPLETED"
        self._http = http
        self._try_seconds = try_seconds
        self._wait_seconds = min(try_seconds, WAIT_SECONDS)
        self._waited = 0.0
        self._calls = 0
        self._usage: list[Json] = []

    @property
    def case_id(self) -> str:
        return self.turn.case_id

    @property
    def brief(self) -> Brief:
        return self.turn.brief

    @property
    def inputs(self) -> tuple[Input, ...]:
        return self.turn.inputs

    async def call(self, tool: str, /, **args: Any) -> CallResult:
        """A refusal is an answer. Raises LeaseLost, or DoorFailed when the door does not answer."""
        self._calls += 1
        asked = {"call_id": f"call-{self._calls}", "tool": tool, "args": args}
        answer = await self._post("calls", asked)
        try:
            return CallResult.model_validate_json(answer.content)
        except ValidationError as error:
            said = f"answered nonsense: {error}"
            raise DoorFailed(f"the call of {tool}", said, status=answer.status_code) from error

    async def persistently(self, tool: str, /, **args: Any) -> CallResult:
        """The same, asked again while something is broken or away; any other refusal is final. What still fails when
        the turn has waited for long enough is the answer."""
        for seconds in growing():
            answer = await self.call(tool, **args)
            if (
                not (answer.outcome == "FAILED" or answer.code == NO_POLICY)
                or self._waited + seconds > self._wait_seconds
            ):
                return answer
            await pause(seconds)
            self._waited += seconds
        raise AssertionError("pauses never end")

    def used(self, model: str, **counts: int) -> None:
        """What a model was asked for: input, output, cache_read, … A count that is not known is left out."""
        self._usage.append({"model": model, **counts})

    async def heartbeat(self) -> None:
        await self._post("heartbeat", {})

    async def end(self) -> str:
        """How the desk says that the turn ended."""
        answer = await self._post("end", {"how": self.how, "usage": self._usage})
        return str(answer.json().get("how", self.how))

    async def _post(self, what: str, body: Mapping[str, Any]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.turn.token}"}
        path = f"/turns/{self.turn.turn_id}/{what}"
        return await _asked(self._http, path, body, headers, try_seconds=self._try_seconds)


class AgentDoor:
    """`name` is what the timeline calls this agent; `model` and `playbook` (a digest) stand with what it proposes."""

    def __init__(
        self,
        *,
        name: str,
        account: Account,
        http: httpx.AsyncClient,
        try_seconds: float = TRY_SECONDS,
        model: str | None = None,
        playbook: str | None = None,
    ) -> None:
        self.name = name
        self._says = {key: said for key, said in (("model", model), ("playbook", playbook)) if said is not None}
        self._try_seconds = try_seconds
        self._account = account
        self._http = http

    async def sign_in(self) -> None:
        """Raises DoorFailed when the issuer gives this agent no token."""
        await self._account.token()

    async def claim(self, wait: float = 25.0) -> OpenTurn | None:
        """The next turn, or None when none came within `wait` seconds (at most 30)."""
        token = await self._account.token()
        body = {"agent": self.name, "wait": min(wait, LONGEST_CLAIM_SECONDS), **self._says}
        try:
            answer = await _asked(self._http, "/turns/claim", body, {"Authorization": f"Bearer {token}"}, try_seconds=0)
        except DoorFailed as failed:
            if failed.status == httpx.codes.UNAUTHORIZED:
                self._account.forget(token)
            raise
        if answer.status_code == httpx.codes.NO_CONTENT:
            return None
        try:
            turn = Turn.model_validate_json(answer.content)
        except ValidationError as error:
            raise DoorFailed("claiming a turn", f"answered nonsense: {error}", status=answer.status_code) from error
        return OpenTurn(turn, self._http, try_seconds=self._try_seconds)


@asynccontextmanager
async def agent_door(
    url: str,
    *,
    token_url: str,
    secret: str,
    client_id: str = "agent",
    name: str = "agent",
    model: str | None = None,
    playbook: str | None = None,
) -> AsyncIterator[AgentDoor]:
    async with httpx.AsyncClient(
        base_url=url, timeout=LONGEST_CLAIM_SECONDS + 10, transport=AiohttpTransport(), trust_env=False
    ) as http:
        account = Account(token_url=token_url, client_id=client_id, secret=secret, http=http)
        yield AgentDoor(name=name, account=account, http=http, model=model, playbook=playbook)


async def _asked(
    http: httpx.AsyncClient, path: str, body: Mapping[str, Any], headers: Mapping[str, str], *, try_seconds: float
) -> httpx.Response:
    """Sends again what may be sent again. Raises LeaseLost or DoorFailed."""
    clock = asyncio.get_running_loop().time
    until = clock() + try_seconds
    for seconds in growing():
        failed: DoorFailed
        try:
            answer = await http.post(path, json=body, headers=headers)
        except httpx.HTTPError as error:
            failed = DoorFailed(f"POST {path}", str(error) or type(error).__name__)
        else:
            if answer.is_success:
                return answer
            failed = _refused(path, answer)
            if not failed.away:
                raise failed
        if clock() + seconds > until:
            raise failed
        await pause(seconds)
    raise AssertionError("pauses never end")


def _refused(path: str, answer: httpx.Response) -> DoorFailed:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    problem = problem if isinstance(problem, dict) else {}
    code = problem.get("code")
    kind = LeaseLost if code == "LEASE_LOST" else DoorFailed
    why = f"answered {answer.status_code} {code or ''} {problem.get('detail') or ''}".strip()
    return kind(f"POST {path}", why, status=answer.status_code, code=code)
