"""Whatever is sent to a door, the right 4xx comes back as a problem document, and nothing is done."""

import base64
import hmac
import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support.erp import RunningErp, invoice, line, situation
from tests.support.kit import key

from deskworld_kit import clock
from deskworld_kit.ids import new_id

JSON = {"content-type": "application/json"}
UUID = "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b"
NUL, LONE = r'"a\u0000b"', r'"\ud800"'
DEEP = "[" * 100_000 + "]" * 100_000

BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "not UTF-8": b'{"comment": "\xff\xfe\xfa"}',
    "null": b"null",
    "a list": b"[]",
    "a number": b"1",
    "deep lists": DEEP.encode(),
    "deep objects": (b'{"a":' * 50_000) + b"1" + b"}" * 50_000,
    "an unknown field": b'{"surprise": 1}',
    "a lone surrogate as a name": b'{"\\ud800": 1}',
    "a NUL as a name": b'{"a\\u0000b": 1}',
    "a number of 10,000 digits": b'{"expected_version": ' + b"9" * 10_000 + b"}",
    "NaN": b'{"expected_version": NaN}',
    "Infinity": b'{"expected_version": Infinity}',
    "1e400": b'{"expected_version": 1e400}',
}


def write_routes(client: httpx.AsyncClient) -> Iterator[tuple[str, str]]:
    described = client._transport.app.openapi()  # type: ignore[attr-defined]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {})
            if body.get("required") and "application/json" in body["content"]:
                yield method.upper(), _filled(path)


def _filled(path: str) -> str:
    named = {"action": "hold", "username": "ines.vogel", "number": "PO-1", "item": "BOLT"}
    return re.sub(r"\{(\w+)\}", lambda found: named.get(found.group(1), UUID), path)


@pytest.mark.parametrize("door", ["office", "stage"])
@pytest.mark.parametrize("name", BODIES)
async def test_a_body_that_is_no_request_is_refused_at_every_route(erp: RunningErp, door: str, name: str) -> None:
    client = getattr(erp, door)
    for method, path in write_routes(client):
        headers = {**JSON, "Idempotency-Key": new_id()} | (erp.headers("ines.vogel") if door == "office" else {})
        answer = await client.request(method, path, content=BODIES[name], headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json"), (
            f"{method} {path}: {answer.status_code} {answer.text[:200]}"
        )


@pytest.mark.parametrize("door", ["office", "stage"])
async def test_ten_megabytes_are_too_large_at_every_route(erp: RunningErp, door: str) -> None:
    client, large = getattr(erp, door), b'{"comment": "' + b"x" * 10_000_000 + b'"}'
    for method, path in write_routes(client):
        headers = {**JSON, "Idempotency-Key": new_id()} | (erp.headers("ines.vogel") if door == "office" else {})
        answer = await client.request(method, path, content=large, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE"), f"{method} {path}"


async def test_a_body_that_does_not_say_how_long_it_is_is_cut_off(erp: RunningErp) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 10_000_000:
            sent += 100_000
            yield b" " * 100_000

    headers = {**JSON, **erp.headers("ines.vogel"), "Idempotency-Key": new_id()}
    for path in (f"/invoices/{UUID}/hold", "/subscriptions"):
        sent = 0
        answer = await erp.office.post(path, content=endless(), headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE"), path


@pytest.mark.parametrize("door", ["office", "stage"])
@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
)
async def test_another_media_type_is_refused_at_every_route(erp: RunningErp, door: str, media_type: str) -> None:
    client = getattr(erp, door)
    for method, path in write_routes(client):
        headers = {"Idempotency-Key": new_id()} | (erp.headers("ines.vogel") if door == "office" else {})
        headers |= {"content-type": media_type} if media_type else {}
        answer = await client.request(method, path, content=b"{}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE"), f"{method} {path}"
        assert "application/json" in answer.headers["accept"]


WRONG_AMOUNTS = [
    "NaN", "Infinity", "1e400", "-1", "0", "1000.00", '"NaN"', '"1e3"', '"-0.00"', '"-1.00"', '"0.00"', '"0.001"',
    f'"{"9" * 40}"', f'"0.{"0" * 40}1"', "9" * 40, '" 1.00"', '"1,00"', '"１.00"', '"1.00\\u0000"', LONE, "true", "[]",
]  # fmt: skip


@pytest.mark.parametrize("amount", WRONG_AMOUNTS)
async def test_an_amount_that_is_none_pays_nothing(erp: RunningErp, amount: str) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = seeded.record("invoice")["id"]
    content = f'{{"expected_version": 1, "amount": {amount}}}'.encode()
    headers = {**JSON, **erp.headers("grace.hall"), "Idempotency-Key": new_id()}
    answer = await erp.office.post(f"/invoices/{found}/short-pay", content=content, headers=headers)
    assert (answer.status_code, answer.json()["code"]) in {(400, "INVALID_REQUEST"), (422, "INVALID_AMOUNT")}
    assert (await seeded.invoice())["status"] == "EXCEPTION"


@pytest.mark.parametrize("text", [NUL, LONE, r'"\u0008"', r'"\udc80\ud800"', '"' + "x" * 5000 + '"'])
async def test_what_is_no_text_is_refused_and_the_refusal_can_be_read(erp: RunningErp, text: str) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    content = f'{{"expected_version": 1, "comment": {text}}}'.encode()
    headers = {**JSON, **erp.headers("grace.hall"), "Idempotency-Key": new_id()}
    path = f"/invoices/{seeded.record('invoice')['id']}/reject"
    answer = await erp.office.post(path, content=content, headers=headers)
    assert (answer.status_code, answer.json()["values"]["field"]) == (400, "comment")
    named = json.dumps(situation(invoice(number="@@"))).replace('"@@"', text)
    answer = await erp.stage.post("/stage/situations", content=named.encode(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "header",
    [
        {"Idempotency-Key": ""},
        {"Idempotency-Key": "x" * 300},
        {"Idempotency-Key": "a\tb"},
        {},
    ],
)
async def test_a_command_needs_a_key_that_can_be_kept(erp: RunningErp, header: dict[str, str]) -> None:
    headers = {**JSON, **erp.headers("grace.hall"), **header}
    answer = await erp.office.post(f"/invoices/{UUID}/reject", content=b'{"expected_version": 1}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


def unsigned(claims: dict[str, Any]) -> str:
    return f"{_part({'alg': 'none', 'kid': 'first'})}.{_part(claims)}."


def _part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def confused(claims: dict[str, Any]) -> str:
    """Signed with the public key as if it were a shared secret (RFC 8725, 2.1)."""
    public = key("first").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{_part({'alg': 'HS256', 'kid': 'first'})}.{_part(claims)}"
    signature = hmac.digest(public, signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def wrong_tokens(erp: RunningErp) -> dict[str, str]:
    now = clock.now()
    claims = {
        "iss": "http://issuer.test/realms/deskworld",
        "aud": ["erp"],
        "sub": "s",
        "preferred_username": "ines.vogel",
        "realm_access": {"roles": ["controller"]},
        "iat": int(now.timestamp()),
        "exp": int((now + timedelta(hours=1)).timestamp()),
    }
    good = erp.token("ines.vogel")
    return {
        "expired": erp.issuer.token(lives=-60, preferred_username="ines.vogel"),
        "not for this audience": erp.issuer.token(aud="desk"),
        "for agents": erp.issuer.token(aud="desk-agent"),
        "of another issuer": erp.issuer.token(iss="http://elsewhere.test/realms/deskworld"),
        "signed by another key": erp.issuer.token(signed_by="stranger"),
        "of an unknown key": erp.issuer.token(kid="unknown"),
        "unsigned": unsigned(claims),
        "algorithm confusion": confused(claims),
        "signature cut off": good.rpartition(".")[0] + ".",
        "signature changed": good[:-8] + ("A" * 8 if good[-8:] != "A" * 8 else "B" * 8),
        "no token": "",
        "no JWT": "x.y.z",
        "enormous": "x" * 60_000,
        "without expiry": erp.issuer.token(exp=None),
        "without subject": erp.issuer.token(sub=None),
    }


async def test_a_token_that_does_not_hold_opens_nothing(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = seeded.record("invoice")["id"]
    for name, token in wrong_tokens(erp).items():
        headers = {"Authorization": f"Bearer {token}"}
        read = await erp.office.get(f"/invoices/{found}", headers=headers)
        headers |= {"Idempotency-Key": new_id()}
        command = await erp.office.post(f"/invoices/{found}/reject", json={"expected_version": 1}, headers=headers)
        staged = await erp.stage.get("/stage/witness", params={"vendor_id": seeded.vendor_id}, headers=headers)
        for answer in (read, command, staged):
            assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED"), name
            assert answer.headers["www-authenticate"].startswith("Bearer"), name
    for scheme in ("Basic aW5lczp2b2dlbA==", erp.token("ines.vogel"), "bearer", "Bearer"):
        assert (await erp.office.get(f"/invoices/{found}", headers={"Authorization": scheme})).status_code == 401
    assert (await seeded.invoice())["status"] == "EXCEPTION"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT"])
async def test_a_method_that_a_route_has_not_is_said_to_be_not_allowed(erp: RunningErp, method: str) -> None:
    answer = await erp.office.request(method, f"/invoices/{UUID}", headers=erp.headers("ines.vogel"))
    assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in answer.headers["allow"]


@pytest.mark.parametrize(
    "path", ["/nowhere", "/invoices/", "//", "/stage/reset", "/%2e%2e/etc/passwd", "/invoices/%ff%fe"]
)
async def test_a_path_that_leads_nowhere_is_not_found(erp: RunningErp, path: str) -> None:
    answer = await erp.office.get(path, headers=erp.headers("ines.vogel"))
    assert answer.status_code in {400, 404}
    assert answer.headers["content-type"] == "application/problem+json"
