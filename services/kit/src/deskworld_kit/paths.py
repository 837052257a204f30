"""Which route of a door a request is for, as the door's own description writes it."""

from dataclasses import dataclass
from re import Pattern

from fastapi import FastAPI
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
            self._known = [
                Route(
                    method.upper(),
                    template,
                    compile_path(template)[0],
                    frozenset(operation.get("requestBody", {}).get("content", {})),
                )
                for template, operations in self._door.openapi()["paths"].items()
                for method, operation in operations.items()
            ]
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
