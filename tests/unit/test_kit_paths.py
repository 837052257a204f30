"""A door's routes are known as its description has them, without drawing it."""

from typing import Annotated

from fastapi import APIRouter, Body, FastAPI
from pydantic import BaseModel

from deskworld_kit.paths import Paths


class Order(BaseModel):
    number: str


def door() -> FastAPI:
    app, slices, inner = FastAPI(), APIRouter(prefix="/orders"), APIRouter()

    @inner.get("/{number}/lines/{line}")
    @inner.head("/{number}/lines/{line}")
    async def line(number: str, line: int) -> None: ...

    @inner.post("/")
    async def post(order: Order) -> None: ...

    @inner.put("/{number}", openapi_extra={"requestBody": {"content": {"application/xml": {}}}})
    async def put(number: str) -> None: ...

    @inner.patch("/{number}")
    async def patch(number: str, words: Annotated[str, Body(media_type="text/plain")]) -> None: ...

    @inner.get("/page", include_in_schema=False)
    async def page() -> None: ...

    slices.include_router(inner)
    app.include_router(slices)
    return app


def test_routes_are_those_of_the_description() -> None:
    app = door()
    described = {
        (method.upper(), template, frozenset(operation.get("requestBody", {}).get("content", {})))
        for template, operations in app.openapi()["paths"].items()
        for method, operation in operations.items()
    }
    assert {(one.method, one.template, one.takes) for one in Paths(app).known()} == described
    assert len(described) == 5


def test_a_request_is_found_with_what_its_path_names() -> None:
    paths = Paths(door())
    found = paths.find("GET", "/orders/PO-1/lines/2")
    assert found is not None
    assert (found.route.template, found.named) == ("/orders/{number}/lines/{line}", ("PO-1", "2"))
    assert paths.find("DELETE", "/orders/PO-1") is None
    assert paths.methods("/orders/PO-1") == ("PATCH", "PUT")
    assert paths.methods("/elsewhere") == ()
