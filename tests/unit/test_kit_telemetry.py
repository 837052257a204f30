"""Spans and metrics: what is told of a turn, what never is, and that nothing is imported while they are off."""

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog
from fastapi import FastAPI
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from pydantic import TypeAdapter, ValidationError

from deskworld_desk.turns.tables import Turn
from deskworld_desk.turns.watch import MODELS_NAMED, Watch
from deskworld_kit import clock
from deskworld_kit.problems import install
from deskworld_kit.telemetry.logs import about
from deskworld_kit.telemetry.metrics import Metrics, at_the_stage
from deskworld_kit.telemetry.settings import Traces
from deskworld_kit.telemetry.spans import Spans, spans

BEGAN = datetime(2026, 3, 10, 9, tzinfo=UTC)


class Kept(SpanExporter):
    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.spans += spans
        return SpanExportResult.SUCCESS


def turn(**changes: Any) -> Turn:
    plain: dict[str, Any] = {
        "id": "turn-1",
        "case_id": "case-1",
        "number": 2,
        "attempt": 1,
        "agent": "playbook",
        "started_at": BEGAN,
        "labels": ["reply:DENIES:instructions"],
        "fingerprint": "f" * 64,
    }
    return Turn(**plain | changes)


def told(watch_them: Any) -> list[ReadableSpan]:
    kept = Kept()
    sent = Spans("deskworld-desk", kept)
    watch_them(Watch(sent, None))
    sent.close()
    return kept.spans


def test_a_turn_and_its_calls_are_one_trace_however_many_requests_they_took() -> None:
    def happened(watch: Watch) -> None:
        watch.tool_called(turn(), "get_invoice", outcome="OK", code=None, began=BEGAN)
        watch.tool_called(turn(), "email_vendor", outcome="REFUSED", code="NO_CONTACT", began=BEGAN)
        watch.turn_ended(turn(), "COMPLETED", [{"model": "m", "input": 12, "reasoning": 0}])

    read, refused, whole = told(happened)
    assert (whole.name, read.name) == ("invoke_agent playbook", "execute_tool get_invoice")
    for call in (read, refused):
        assert call.parent is not None
        assert whole.context is not None
        assert call.context is not None
        assert (call.parent.span_id, call.context.trace_id) == (whole.context.span_id, whole.context.trace_id)
    assert whole.parent is None
    assert dict(read.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_invoice",
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": "case-1",
        "deskworld.turn.id": "turn-1",
        "deskworld.outcome": "OK",
    }
    assert (refused.attributes or {})["error.type"] == "NO_CONTACT"
    attributes = whole.attributes or {}
    assert attributes["deskworld.turn.labels"] == ("reply:DENIES:instructions",)
    assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.response.model"]) == (12, "m")
    assert attributes["gen_ai.usage.reasoning.output_tokens"] == 0
    assert "gen_ai.usage.output_tokens" not in attributes


def test_counts_of_two_models_are_told_apart_and_never_added() -> None:
    usage = [{"model": "big", "input": 10}, {"model": "small", "input": 5, "output": 1}]
    (whole,) = told(lambda watch: watch.turn_ended(turn(), "COMPLETED", usage))
    assert "gen_ai.usage.input_tokens" not in (whole.attributes or {})
    assert [dict(event.attributes or {}) for event in whole.events] == [
        {"gen_ai.response.model": "big", "gen_ai.usage.input_tokens": 10},
        {"gen_ai.response.model": "small", "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 1},
    ]


def test_the_name_of_a_tool_that_was_not_offered_is_an_agents_own_text_and_is_not_told() -> None:
    (call,) = told(
        lambda watch: watch.tool_called(turn(), None, outcome="REFUSED", code="TOOL_NOT_OFFERED", began=BEGAN)
    )
    assert call.name == "execute_tool _OTHER"


@pytest.mark.parametrize(
    ("how", "failed"), [("COMPLETED", False), ("KEPT", False), ("LEASE_LOST", True), ("INVALID", True)]
)
def test_a_turn_that_came_to_nothing_is_an_error(how: str, failed: bool) -> None:
    (whole,) = told(lambda watch: watch.turn_ended(turn(), how, []))
    assert whole.status.is_ok is not failed
    assert ("error.type" in (whole.attributes or {})) is failed


def test_spans_go_into_a_file_a_line_each(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    for _ in range(2):
        with spans("deskworld-desk", f"file:{file}", version="1") as sent:
            Watch(sent, None).turn_ended(turn(), "KEPT", [])
    first, second = [json.loads(line) for line in file.read_text().splitlines()]
    assert first["name"] == "invoke_agent playbook"
    assert first["resource"]["attributes"]["service.name"] == "deskworld-desk"
    assert first["context"]["trace_id"] == second["context"]["trace_id"]


def test_a_collector_that_is_away_costs_spans_and_nothing_else() -> None:
    with spans("deskworld-desk", "http://127.0.0.1:9/v1/traces") as sent:
        Watch(sent, None).turn_ended(turn(), "KEPT", [])


@pytest.mark.parametrize("value", ["on", "collector:4318", ""])
def test_where_spans_go_is_an_address_a_file_or_off(value: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Traces).validate_python(value)


async def _page(metrics: Metrics, app: FastAPI, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stage.test") as http:
        return await http.get("/metrics", headers=headers)


def _door(metrics: Metrics) -> FastAPI:
    async def gauges() -> list[tuple[str, str, dict[str, str], float]]:
        return [
            ("deskworld_cases", "Cases by state", {"state": "ON_HOLD"}, 2.0),
            ("deskworld_turns_running", "t", {}, 1.0),
        ]

    app = FastAPI()
    install(app)

    @app.get("/things/{thing_id}")
    async def thing(thing_id: str) -> str:
        return thing_id

    at_the_stage(metrics, {"stage": app}, "s3cret", gauges)
    return app


async def test_metrics_are_asked_for_with_the_stages_secret_and_name_no_record() -> None:
    metrics = Metrics()
    watch, app = Watch(None, metrics), _door(metrics)
    watch.tool_called(turn(), "get_invoice", outcome="OK", code=None, began=clock.now() - timedelta(seconds=1))
    watch.turn_ended(turn(), "COMPLETED", [{"model": "m", "input": 12}, {"model": "quiet"}])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stage.test") as http:
        assert (await http.get("/things/0199d2c4")).status_code == 200
        assert (await http.get("/nowhere/else")).status_code == 404
        assert (await http.get("/metrics")).status_code == 401
    answer = await _page(metrics, app, Authorization="Bearer s3cret")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert 'deskworld_cases{state="ON_HOLD"} 2.0' in lines
    assert 'gen_ai_execute_tool_duration_seconds_count{outcome="OK",tool="get_invoice"} 1.0' in lines
    assert 'gen_ai_invoke_agent_duration_seconds_count{how="COMPLETED"} 1.0' in lines
    assert 'gen_ai_client_token_usage_total{kind="input",model="m"} 12.0' in lines
    assert 'deskworld_usage_missing_total{model="quiet"} 1.0' in lines
    asked = 'http_server_request_duration_seconds_count{door="stage",method="GET",route="%s",status="%d"} 1.0'
    assert asked % ("/things/{thing_id}", 200) in lines
    assert asked % ("none", 404) in lines
    assert "0199d2c4" not in answer.text


async def test_names_of_models_do_not_grow_without_bound() -> None:
    metrics = Metrics()
    watch = Watch(None, metrics)
    for number in range(MODELS_NAMED + 20):
        watch.turn_ended(turn(), "COMPLETED", [{"model": f"model-{number}", "input": 1}])
    answer = await _page(metrics, _door(metrics), Authorization="Bearer s3cret")
    assert 'gen_ai_client_token_usage_total{kind="input",model="_OTHER"} 20.0' in answer.text.splitlines()


def test_a_line_of_the_log_says_what_the_work_is_about() -> None:
    with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        log = structlog.get_logger()
        with about(case_id="case-1", turn_id="turn-1"):
            log.warning("not read")
        log.warning("after")
    assert [(line["event"], line.get("case_id"), line.get("turn_id")) for line in lines] == [
        ("not read", "case-1", "turn-1"),
        ("after", None, None),
    ]


def test_while_they_are_off_the_libraries_behind_them_are_not_imported() -> None:
    # OpenTelemetry's API without its SDK does nothing; the web framework brings it along
    code = (
        "import sys, deskworld_desk.__main__, deskworld_desk.app, deskworld_erp.__main__;"
        "off = ('opentelemetry.sdk', 'opentelemetry.exporter', 'prometheus_client', 'mcp');"
        "print([name for name in off if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
