"""The policy server over a bundle of its own: OPA's answers, exact numbers, broken edits."""

import json
from pathlib import Path

import httpx
from tests.support.servers import (
    LOOPBACK,
    StandIn,
    policy_server,
    running,
)

from deskworld_kit import clock

BUNDLE = """package shop
import rego.v1
default open := false
open if input.hour >= 9
tags contains tag if some tag in ["b", "a"]
echo := input
twice := 1 if input.twice
twice := 2 if input.twice
limit := data.shop.data.limit
"""


def bundle(folder: Path, text: str = BUNDLE) -> Path:
    (folder / "shop" / "data").mkdir(parents=True, exist_ok=True)
    (folder / "shop" / "shop.rego").write_text(text)
    (folder / "shop" / "shop_test.rego").write_text("package shop_test\nthis is no rego\n")
    (folder / "shop" / "data" / "data.json").write_text('{"limit": "500.00"}')
    (folder / "shop" / "data" / "notes.json").write_text('{"limit": "1.00"}')
    (folder / "data.yaml").write_text("region: north\n")
    return folder


async def ask(http: httpx.AsyncClient, server: StandIn, path: str, value: str | None = None) -> httpx.Response:
    url = f"http://{LOOPBACK}:{server.ports[0]}/v1/data/{path}"
    return await (http.get(url) if value is None else http.post(url, content=f'{{"input": {value}}}'))


async def test_a_bundle_is_read_and_answered_as_opa_does(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is True
            assert (await ask(http, server, "shop/open", "{}")).json()["result"] is False
            assert (await ask(http, server, "shop/tags")).json()["result"] == ["a", "b"]
            assert (await ask(http, server, "shop/limit")).json()["result"] == "500.00"
            assert (await ask(http, server, "region")).json()["result"] == "north"
            assert "result" not in (await ask(http, server, "shop/echo")).json()
            whole = (await ask(http, server, "shop", "{}")).json()["result"]
            assert whole["tags"] == ["a", "b"]
            assert whole["echo"] == {}


async def test_numbers_are_kept_exactly_or_refused(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            for exact in (
                "9007199254740993",
                "18446744073709551615",
                "-9223372036854775808",
                "0.1",
                "1e3",
                "0.30",
                "-0",
            ):
                answer = await ask(http, server, "shop/echo", exact)
                assert answer.status_code == 200, exact
                assert answer.json()["result"] == json.loads(exact), exact
            for rounded in (
                "18446744073709551616",
                "123456789012345678901234567890",
                "0.12345678901234567890123",
                "1e999",
            ):
                answer = await ask(http, server, "shop/echo", rounded)
                assert answer.status_code == 400, rounded
                assert "exactly" in answer.json()["message"]


async def test_half_a_letter_in_the_input_is_read_as_opa_reads_it(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            assert (await ask(http, server, "shop/echo", '"a\\ud800b"')).json()["result"] == "a\ufffdb"
            assert (await ask(http, server, "shop/echo", '"\\ud83d\\ude00"')).json()["result"] == "\U0001f600"


async def test_an_evaluation_that_fails_says_where(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await ask(http, server, "shop/twice", '{"twice": true}')
            assert answer.status_code == 500
            body = answer.json()
            assert body["code"] == "internal_error"
            assert body["errors"][0]["code"] == "eval_conflict_error"
            assert body["errors"][0]["location"]["file"] == "shop/shop.rego"
            assert "backtrace" not in answer.text.lower()
            assert (await ask(http, server, "shop/twice", "{}")).status_code == 200


async def test_a_broken_edit_leaves_the_last_good_policy_in_force_and_is_not_well(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "policies")
    server = policy_server(tmp_path, folder)
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            url = f"http://{LOOPBACK}:{server.ports[0]}/health"

            async def health_becomes(status: int) -> httpx.Response:
                deadline = clock.monotonic() + 20
                while (answer := await http.get(url)).status_code != status:
                    assert clock.monotonic() < deadline, f"health stayed {answer.status_code}"
                    await clock.pause(0.02)
                return answer

            bundle(folder, BUNDLE + "\nopen := \n")
            trouble = await health_becomes(500)
            assert "shop/shop.rego" in trouble.json()["error"]
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is True
            bundle(folder, BUNDLE.replace(">= 9", ">= 11"))
            await health_becomes(200)
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is False


async def test_a_policy_that_never_loaded_decides_nothing(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies", "package shop\nopen := "))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await ask(http, server, "shop/open", "{}")
            assert answer.status_code == 500
            assert "result" not in answer.json()
            assert (await http.get(f"http://{LOOPBACK}:{server.ports[0]}/health")).status_code == 500
