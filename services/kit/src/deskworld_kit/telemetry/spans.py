"""Spans over OpenTelemetry. Import this where spans are turned on, and nowhere else.

A span is told when it has ended, as one value. Its ids follow from the ids of what it is about, so that spans of one
turn belong together though they ended in different requests, or before and after a restart.
"""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from deskworld_kit.telemetry.span import Span

FILE = "file:"
_own_id: ContextVar[tuple[int, int] | None] = ContextVar("own_id", default=None)


class Spans:
    def __init__(self, service: str, exporter: SpanExporter, *, version: str = "") -> None:
        resource = Resource.create(
            {"service.name": service, "service.version": version, "service.namespace": "deskworld"}
        )
        # a provider of our own: libraries that write spans of themselves by the global one go on writing none
        self._provider = TracerProvider(resource=resource, id_generator=_Ids(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("deskworld")

    def tell(self, span: Span) -> None:
        """Returns at once; spans are sent from a thread of their own, and are dropped when nobody takes them."""
        trace = _number(span.trace, 16)
        around = None
        if span.parent is not None:
            context = SpanContext(
                trace, _number(span.parent, 8), is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)
            )
            around = set_span_in_context(NonRecordingSpan(context))
        with _ids(trace, _number(span.own or span.trace, 8)):
            told = self._tracer.start_span(
                span.name,
                context=around,
                kind=SpanKind.CLIENT if span.client else SpanKind.INTERNAL,
                attributes=span.attributes,
                start_time=_nanoseconds(span.began),
            )
        for name, attributes in span.events:
            told.add_event(name, attributes, timestamp=_nanoseconds(span.ended))
        if span.failed is not None:
            told.set_attribute("error.type", span.failed)
            told.set_status(Status(StatusCode.ERROR))
        told.end(_nanoseconds(span.ended))

    def close(self) -> None:
        """What was told is sent; gives up after 5 s."""
        self._provider.force_flush(5_000)
        self._provider.shutdown()


@contextmanager
def spans(service: str, where: str, *, version: str = "") -> Iterator[Spans]:
    """`where`: an OTLP/HTTP endpoint, or `file:<path>`, which is appended to."""
    with ExitStack() as stack:
        exporter: SpanExporter
        if where.startswith(FILE):
            out = stack.enter_context(Path(where.removeprefix(FILE)).open("a", encoding="utf-8"))
            exporter = ConsoleSpanExporter(out=out, formatter=lambda span: f"{span.to_json(indent=None)}\n")
        else:
            exporter = OTLPSpanExporter(endpoint=where, timeout=5)
        told = Spans(service, exporter, version=version)
        stack.callback(told.close)
        yield told


class _Ids(IdGenerator):
    """The ids that were asked for; random ones for what asks for none."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_trace_id(self) -> int:
        own = _own_id.get()
        return own[0] if own else self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        own = _own_id.get()
        return own[1] if own else self._random.generate_span_id()


@contextmanager
def _ids(trace: int, span: int) -> Iterator[None]:
    token = _own_id.set((trace, span))
    try:
        yield
    finally:
        _own_id.reset(token)


def _number(name: str, size: int) -> int:
    """Never zero, which is no id (W3C Trace Context)."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:size]) or 1


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1_000
