import httpx
import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from deskworld_kit import problems
from deskworld_kit.problems import MEDIA_TYPE, Problem


class Amount(BaseModel):
    amount: int


def shop() -> httpx.AsyncClient:
    app = FastAPI()
    problems.install(app)

    @app.post("/pay", responses=problems.responses(409))
    async def pay(body: Amount) -> None:
        if body.amount == 0:
            raise HTTPException(413)
        if body.amount == 1:
            raise RuntimeError("the secret is s3cret")
        raise Problem(409, "STALE_VERSION", "the invoice moved on", headers={"Retry-After": "1"}, version=7)

    return httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://erp.test")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/pay", {"amount": 5}, 409, "STALE_VERSION"),
        ("POST", "/pay", {"amount": "much"}, 400, "INVALID_REQUEST"),
        ("POST", "/pay", {"amount": 0}, 413, "TOO_LARGE"),
        ("POST", "/pay", {"amount": 1}, 500, "INTERNAL"),
        ("GET", "/pay", None, 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/nowhere", None, 404, "NOT_FOUND"),
    ],
)
async def test_every_error_is_a_problem_document(
    method: str, path: str, body: dict[str, object] | None, status: int, code: str
) -> None:
    answer = await shop().request(method, path, json=body)
    document = answer.json()
    assert answer.status_code == document["status"] == status
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert document["code"] == code
    assert document["instance"] == path
    problems.ProblemDocument.model_validate(document)


async def test_a_refusal_carries_its_values_and_headers() -> None:
    answer = await shop().post("/pay", json={"amount": 5})
    assert answer.json()["values"] == {"version": 7}
    assert answer.json()["type"] == "urn:deskworld:problem:stale-version"
    assert answer.headers["retry-after"] == "1"


async def test_a_malformed_request_names_the_field_and_the_value() -> None:
    answer = await shop().post("/pay", json={"amount": "much"})
    assert "body.amount" in answer.json()["detail"]
    assert "'much'" in answer.json()["detail"]


async def test_a_huge_value_is_named_in_short() -> None:
    answer = await shop().post("/pay", json={"amount": "x" * 10_000})
    assert len(answer.content) < 1_000


async def test_what_broke_inside_is_not_told_outside() -> None:
    answer = await shop().post("/pay", json={"amount": 1})
    assert "s3cret" not in answer.text
