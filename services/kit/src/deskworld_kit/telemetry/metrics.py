"""Metrics in Prometheus' text format. Import this where metrics are turned on, and nowhere else."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Receive, Scope, Send

from deskworld_kit import clock
from deskworld_kit.stage import stage_secret

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
LONG_SECONDS = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 900)
Gauges = Callable[[], Awaitable[Sequence[tuple[str, str, Mapping[str, str], float]]]]
"""Read when somebody asks: name, what it says, labels, value."""


class Metrics:
    """Of one service. Labels come from closed sets: nothing that a caller writes becomes one."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Histogram(
            "http_server_request_duration_seconds",
            "Requests by door, route and status",
            ("door", "method", "route", "status"),
            buckets=SECONDS,
            registry=self.registry,
        )

    def counter(self, name: str, about: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(name, about, labels, registry=self.registry)

    def histogram(self, name: str, about: str, labels: Sequence[str] = (), *, long: bool = False) -> Histogram:
        return Histogram(name, about, labels, buckets=LONG_SECONDS if long else SECONDS, registry=self.registry)

    def watch(self, door: str, app: FastAPI) -> None:
        """Measures the door's requests; before it serves any."""
        app.add_middleware(_Watched, door=door, requests=self._requests)

    def routes(self, gauges: Gauges | None = None) -> APIRouter:
        """`GET /metrics`, for the door that no agent reaches."""
        router = APIRouter(tags=["metrics"])

        @router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
        async def metrics() -> Response:
            now = CollectorRegistry()
            known: dict[str, Gauge] = {}
            for name, about, labels, value in await gauges() if gauges is not None else ():
                gauge = known.get(name) or known.setdefault(name, Gauge(name, about, tuple(labels), registry=now))
                (gauge.labels(**labels) if labels else gauge).set(value)
            return Response(generate_latest(self.registry) + generate_latest(now), media_type=CONTENT_TYPE_LATEST)

        return router


def at_the_stage(metrics: Metrics, doors: Mapping[str, FastAPI], secret: str, gauges: Gauges | None = None) -> None:
    """Measures all doors of a service, and answers at the one called `stage`, with that door's secret. No agent reaches
    it, and nobody with an office token. Before any door serves."""
    for name, door in doors.items():
        metrics.watch(name, door)
    doors["stage"].include_router(metrics.routes(gauges), dependencies=[Depends(stage_secret(secret))])


class _Watched:
    def __init__(self, app: ASGIApp, *, door: str, requests: Histogram) -> None:
        self._app, self._door, self._requests = app, door, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = clock.monotonic(), 500

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            labels = (self._door, _method(scope), _route(scope), str(status))
            self._requests.labels(*labels).observe(clock.monotonic() - began)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "_OTHER"


def _route(scope: Scope) -> str:
    """As the door's description writes it; a path that leads nowhere is not spelled out."""
    return str(getattr(scope.get("route"), "path", None) or "none")
