"""Which route of a door a request is for, as the door's own description writes it.

Read from the routes: the description itself takes half a second to draw, and no first request waits for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from re import Pattern

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.routing import compile_path


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    template: str
    pattern: Pattern[str]
    takes: frozenset[str]
    """Media types of the body; none where the route takes no body."""


@dataclass(frozen=True, slots=True)
class Found:
    route: Route
    named: tuple[str, ...]
    """What the path names, in order."""


class Paths:
    def __init__(self, door: FastAPI) -> None:
        self._door = door
        self._known: list[Route] | None = None

    def known(self) -> list[Route]:
        if self._known is None:
            self._known = list(_described(self._door))
        return self._known

    def templates(self) -> list[str]:
        return sorted({route.template for route in self.known()})

    def methods(self, path: str) -> tuple[str, ...]:
        return tuple(sorted({route.method for route in self.known() if route.pattern.match(path)}))

    def find(self, method: str, path: str) -> Found | None:
        for route in self.known():
            if route.method == method and (match := route.pattern.match(path)):
                return Found(route, tuple(match.groupdict().values()))
        return None


def _described(door: FastAPI) -> Iterator[Route]:
    for route in iter_route_contexts(door.routes):
        if isinstance(route.original_route, APIRoute) and route.include_in_schema:
            template = str(route.path_format)
            for method in sorted(route.methods or ()):
                yield Route(method, template, compile_path(template)[0], _takes(route))


def _takes(route: RouteContext) -> frozenset[str]:
    written = (route.openapi_extra or {}).get("requestBody", {}).get("content", {})
    read = () if route.body_field is None else (route.body_field.field_info.media_type,)
    return frozenset({*written, *read})
