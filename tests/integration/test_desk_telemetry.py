"""What a desk at work tells of itself, and that no words, no arguments and no token are in it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from prometheus_client import generate_latest
from tests.support.agents_desk import agents_desk

from deskworld_desk.settings import DeskSettings
from deskworld_desk.telemetry import gauges, telemetry
from deskworld_desk.turns.watch import Watch
from deskworld_kit.telemetry.metrics import Metrics
from deskworld_kit.telemetry.spans import Spans

WORDS = "SECRET-WORDS of a letter"


class Kept(SpanExporter):
    def __init__(self) -> None:
        self.told: list[str] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.told += [span.to_json() for span in spans]
        return SpanExportResult.SUCCESS


async def test_a_turn_is_told_without_a_word_of_it(erp_postgres: Path) -> None:
    kept, metrics = Kept(), Metrics()
    spans = Spans("deskworld-desk", kept)
    async with agents_desk(erp_postgres, "telemetry", watch=Watch(spans, metrics)) as office, office.http() as http:
        case_id = await office.open_case()
        office.shelves.broken = True
        agent = {"Authorization": f"Bearer {office.token()}"}
        given = (await http.post("/turns/claim", json={"agent": "tester"}, headers=agent)).json()
        own = {"Authorization": f"Bearer {given['token']}"}
        with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines:
            for tool, args in (
                ("look_at_shelf", {}),
                ("look_at_shelf", {"shelf": "locked"}),
                (WORDS, {"text": WORDS}),
                ("ask_keeper", {"question": WORDS}),
            ):
                body = {"call_id": f"{tool} {given['token']} {args}", "tool": tool, "args": args}
                await http.post(f"/turns/{given['turn_id']}/calls", json=body, headers=own)
            usage = [{"model": "m", "input": 12}]
            await http.post(f"/turns/{given['turn_id']}/end", json={"usage": usage}, headers=own)
    spans.close()
    (broken,) = lines
    assert (broken["event"], broken["case_id"], broken["turn_id"]) == ("tool broke", case_id, given["turn_id"])
    seen = [json.loads(span) for span in kept.told]
    assert [span["attributes"].get("error.type") for span in seen] == [
        "INTERNAL",
        "LOCKED",
        "TOOL_NOT_OFFERED",
        None,
        None,
    ]
    assert {span["context"]["trace_id"] for span in seen} == {seen[0]["context"]["trace_id"]}
    page = generate_latest(metrics.registry).decode()
    assert 'gen_ai_execute_tool_duration_seconds_count{outcome="FAILED",tool="look_at_shelf"} 1.0' in page
    everything = "".join([*kept.told, page, *(str(line) for line in lines)])
    for secret in (WORDS, given["token"], office.token()):
        assert secret not in everything


async def test_how_the_desk_stands_is_read_from_its_rows(erp_postgres: Path) -> None:
    async with agents_desk(erp_postgres, "gauges") as office, office.http() as http:
        for _ in range(2):
            await office.open_case()
        agent = {"Authorization": f"Bearer {office.token()}"}
        await http.post("/turns/claim", json={"agent": "tester"}, headers=agent)
        seen = {(name, *labels.values()): value for name, _, labels, value in await gauges(office.desk)}
    assert seen["deskworld_cases", "INVESTIGATING"] == 2
    assert seen["deskworld_cases", "RESOLVED"] == 0
    assert (seen["deskworld_turns_running",], seen["deskworld_cases_untold",]) == (1, 1)
    assert (seen["deskworld_agents_waiting",], seen["deskworld_agents_paused",]) == (0, 0)


@pytest.mark.parametrize("metrics", [False, True])
@pytest.mark.parametrize("traces", ["off", "file"])
def test_the_settings_say_what_is_told(tmp_path: Path, metrics: bool, traces: str) -> None:
    where = traces if traces == "off" else f"file:{tmp_path / 'spans.jsonl'}"
    settings = DeskSettings.model_construct(metrics=metrics, traces=where, build="1")
    with telemetry(settings) as told:
        assert (told.metrics is not None) is metrics
        assert (told.watch is not None) is (metrics or traces != "off")
