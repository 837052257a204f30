"""A model in a test: a server that speaks OpenAI's Chat Completions and answers from a script."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.support import little_doors

Json = dict[str, Any]
Say = Callable[[Json], Response]
"""From what was asked to what is answered."""
USAGE = {"prompt_tokens": 120, "completion_tokens": 8, "total_tokens": 128}


@dataclass
class ScriptedModel:
    """Answers in the script's order; the last answer stays. `most`: how many calls were ever there at once; with
    `together` it waits for a moment for so many."""

    script: deque[Say]
    asked: list[Json] = field(default_factory=list)
    together: int = 0
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    now: int = 0
    most: int = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        body: Json = await request.json()
        self.asked.append(body)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.together and self.now < self.together:
                async with self.arrived:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self.arrived.wait_for(lambda: self.most >= self.together), 0.2)
            async with self.arrived:
                self.arrived.notify_all()
            say = self.script.popleft() if len(self.script) > 1 else self.script[0]
            return say(body)
        finally:
            self.now -= 1

    def told(self, place: int = -1) -> list[Json]:
        """The messages of one call."""
        found: list[Json] = self.asked[place]["messages"]
        return found


def scripted(*says: Say, together: int = 0) -> ScriptedModel:
    return ScriptedModel(deque(says), together=together)


def calls(*made: tuple[str, Any], usage: Json | None = USAGE) -> Say:
    """Calls of tools: a name, and arguments or the very text that stands in their place."""
    found = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for place, (name, args) in enumerate(made)
    ]
    return _completion({"role": "assistant", "content": None, "tool_calls": found}, "tool_calls", usage)


def says(text: str, *, usage: Json | None = USAGE, finish: str = "stop") -> Say:
    return _completion({"role": "assistant", "content": text}, finish, usage)


def error(status: int, message: str = "not now") -> Say:
    said = {"error": {"message": message, "type": "error", "code": str(status)}}
    return lambda _: JSONResponse(said, status)


def nonsense(_: Json) -> Response:
    return Response(b"<html>hello</html>", media_type="application/json")


def dropped(_: Json) -> Response:
    """Announces more than it sends: the connection ends in the middle of the answer."""
    return Response(b'{"id": "x", ', headers={"content-length": "4096"}, media_type="application/json")


def by_situation(scripts: Mapping[str, Sequence[Say]]) -> Say:
    """By the reason of the exception that the turn is about; of each script the next with every round of the turn."""

    def say(asked: Json) -> Response:
        messages = asked["messages"]
        reason = json.loads(messages[1]["content"])["case"]["exception"]["reason"]
        rounds: int = sum(message["role"] == "assistant" for message in messages)
        script = scripts[reason]
        return script[min(rounds, len(script) - 1)](asked)

    return say


def proposes(action: str) -> Say:
    """A proposal that cites all that the tools of this turn returned."""

    def say(asked: Json) -> Response:
        read = [json.loads(message["content"]) for message in asked["messages"] if message["role"] == "tool"]
        ids = [one for answer in read for one in answer["ids"]]
        return calls(("propose_resolution", {"action": action, "citations": ids, "rationale": "As agreed."}))(asked)

    return say


def _completion(message: Json, finish: str, usage: Json | None) -> Say:
    def say(asked: Json) -> Response:
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        }
        return JSONResponse(body if usage is None else {**body, "usage": usage})

    return say


@asynccontextmanager
async def serving(model: ScriptedModel) -> AsyncIterator[str]:
    """Its base URL, as OPENAI_BASE_URL has it."""
    async with little_doors.serving(model.app()) as address:
        yield f"{address}/v1"
