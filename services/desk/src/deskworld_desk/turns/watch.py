"""What is told of turns and tools beside the timeline: spans and counts. Nothing that anybody wrote is in it.

Spans follow OpenTelemetry's conventions for GenAI: `invoke_agent` for a turn, `execute_tool` for a call. Model counts
are never added across models.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from deskworld_desk.turns.tables import Turn
from deskworld_kit import clock
from deskworld_kit.ids import new_id
from deskworld_kit.telemetry.span import Span

if TYPE_CHECKING:
    # the libraries behind these are imported where they are turned on
    from deskworld_kit.telemetry.metrics import Metrics
    from deskworld_kit.telemetry.spans import Spans

NOT_OFFERED = "_OTHER"
COUNTS = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cache_read": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_creation.input_tokens",
    "reasoning": "gen_ai.usage.reasoning.output_tokens",
}
MODELS_NAMED = 50
"""A client says which model it used: only so many names become labels."""


class Watch:
    def __init__(self, spans: "Spans | None", metrics: "Metrics | None") -> None:
        self._spans = spans
        self._counts = _Counts(metrics) if metrics is not None else None

    def tool_called(self, turn: Turn, tool: str | None, *, outcome: str, code: str | None, began: datetime) -> None:
        """`tool`: None where it is none that was offered, since that name is the agent's own text."""
        named, ended = tool or NOT_OFFERED, clock.now()
        if self._counts is not None:
            self._counts.called(named, outcome, (ended - began).total_seconds())
        if self._spans is not None:
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": named,
                "gen_ai.tool.type": "function",
                "gen_ai.conversation.id": turn.case_id,
                "deskworld.turn.id": turn.id,
                "deskworld.outcome": outcome,
            }
            failed = (code or outcome) if outcome != "OK" else None
            span = Span(
                f"execute_tool {named}", turn.id, began, ended, attributes,
                own=new_id(), parent=turn.id, failed=failed,
            )  # fmt: skip
            self._spans.tell(span)

    def turn_ended(self, turn: Turn, how: str, usage: Sequence[Mapping[str, Any]]) -> None:
        ended = clock.now()
        if self._counts is not None:
            self._counts.ended(how, (ended - turn.started_at).total_seconds(), usage)
        if self._spans is not None:
            attributes: dict[str, Any] = {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.provider.name": "deskworld",
                "gen_ai.agent.name": turn.agent,
                "gen_ai.conversation.id": turn.case_id,
                "deskworld.turn.id": turn.id,
                "deskworld.turn.number": turn.number,
                "deskworld.turn.attempt": turn.attempt,
                "deskworld.turn.how": how,
                "deskworld.turn.labels": tuple(turn.labels),
                "deskworld.turn.fingerprint": turn.fingerprint or "",
            }
            if len(usage) == 1:
                attributes |= _counted(usage[0])
            events = [("deskworld.usage", _counted(one)) for one in usage]
            failed = how if how in {"LEASE_LOST", "PROVIDER", "TIMEOUT", "TOKEN_LIMIT", "INVALID", "EMPTY"} else None
            self._spans.tell(
                Span(
                    f"invoke_agent {turn.agent}",
                    turn.id,
                    turn.started_at,
                    ended,
                    attributes,
                    client=True,
                    failed=failed,
                    events=events,
                )
            )


def _counted(usage: Mapping[str, Any]) -> dict[str, Any]:
    """A count that was not reported is not there."""
    counts = {name: usage[count] for count, name in COUNTS.items() if count in usage}
    return {"gen_ai.response.model": usage["model"], **counts}


class _Counts:
    def __init__(self, metrics: "Metrics") -> None:
        self._models: set[str] = set()
        self._called = metrics.histogram(
            "gen_ai_execute_tool_duration_seconds", "Tool calls by tool and outcome", ("tool", "outcome")
        )
        self._ended = metrics.histogram(
            "gen_ai_invoke_agent_duration_seconds", "Turns by how they ended", ("how",), long=True
        )
        self._tokens = metrics.counter(
            "gen_ai_client_token_usage_total", "Tokens that agents reported, by model and kind", ("model", "kind")
        )
        self._unreported = metrics.counter(
            "deskworld_usage_missing_total", "Turns for which a model reported no input count", ("model",)
        )

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        self._called.labels(tool, outcome).observe(seconds)

    def ended(self, how: str, seconds: float, usage: Sequence[Mapping[str, Any]]) -> None:
        self._ended.labels(how).observe(seconds)
        for one in usage:
            model = self._model(str(one["model"]))
            for kind in COUNTS:
                if kind in one:
                    self._tokens.labels(model, kind).inc(one[kind])
            if "input" not in one:
                self._unreported.labels(model).inc()

    def _model(self, name: str) -> str:
        if name not in self._models and len(self._models) >= MODELS_NAMED:
            return NOT_OFFERED
        self._models.add(name)
        return name
