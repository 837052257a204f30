"""One call of a model: how many at once, how long, how often again, and what it is on record as having used."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import httpx
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from deskworld_agent.patience import pause

log = logging.getLogger(__name__)
AGAIN_AFTER_SECONDS = (1.0, 4.0, 16.0)
"""A call that was dropped is made again three times; then the provider is away."""
CALL_SECONDS = 120.0
OF_THE_MOMENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Answers that speak of now and not of what was asked; 529 is Anthropic's word for overloaded."""
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
Used = Callable[[str, dict[str, int]], None]


TOO_LONG = ("context_length", "context length", "context_size", "context size", "context window", "prompt is too long")
"""How providers say of a call that was refused (400, 413) that the model cannot hold so much."""


class ProviderAway(Exception):
    """A model's provider did not answer, or does not let us ask: nothing that the model did."""


class TooLong(Exception):
    """The turn has grown longer than what the model can read at once: a limit of the model's, and no outage."""


@dataclass(frozen=True, slots=True)
class Asker:
    """`at_once`: how many calls the provider is given side by side, whatever the number of turns."""

    model: Model
    at_once: asyncio.Semaphore
    again_after: Sequence[float] = AGAIN_AFTER_SECONDS
    seconds: float = CALL_SECONDS
    pause: Callable[[float], Awaitable[None]] = field(default=pause)

    @property
    def name(self) -> str:
        return self.model.model_name

    async def ask(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters, used: Used
    ) -> ModelResponse:
        """`used` hears of every call that may have cost something, in counts as they were reported.

        Raises ProviderAway, TooLong.
        """
        for seconds in (*self.again_after, None):
            try:
                answer = await self._once(messages, parameters)
            except (AgentRunError, httpx.HTTPError, TimeoutError, ValueError) as error:
                if not isinstance(error, ModelHTTPError):
                    # it was perhaps worked on and billed: what it used is not known
                    used(self.name, {})
                if _too_long(error):
                    raise TooLong(self.name) from error
                why = _said(error)
                if seconds is None or not _may_pass(error):
                    raise ProviderAway(f"{self.name}: {why}") from error
                log.warning("model %s: %s; asked again in %.0f s", self.name, why, seconds)
                await self.pause(seconds)
            else:
                used(self.name, counted(answer))
                return answer
        raise AssertionError("the last try returns or raises")

    async def _once(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        async with self.at_once, asyncio.timeout(self.seconds):
            return await model_request(
                self.model,
                list(messages),
                model_settings=ModelSettings(timeout=self.seconds),
                model_request_parameters=parameters,
            )


def counted(answer: ModelResponse) -> dict[str, int]:
    """A count that was not reported is left out. The library answers 0 for it, and keeps as the value's own attributes
    what it was told. A nought is believed of a cache alone: no call reads and writes nothing."""
    told = vars(answer.usage)
    found = {name: told[name] for name in COUNTS if name in told}
    found["reasoning"] = answer.usage.details.get("reasoning_tokens", 0)
    return {name.removesuffix("_tokens"): count for name, count in found.items() if count or name.startswith("cache")}


def _may_pass(error: Exception) -> bool:
    """An answer that nobody can read is taken for a dropped one."""
    return error.status_code in OF_THE_MOMENT if isinstance(error, ModelHTTPError) else True


def _too_long(error: Exception) -> bool:
    if not isinstance(error, ModelHTTPError) or error.status_code not in {400, 413}:
        return False
    said = str(error.body).lower()
    return any(words in said for words in TOO_LONG)


def _said(error: Exception) -> str:
    """What kind of failure it was. The provider's own words may quote what it was sent."""
    return f"answered {error.status_code}" if isinstance(error, ModelHTTPError) else type(error).__name__
