"""The small parts at a service's door: health, stage secret, settings, addresses, ids, logs."""

import json
import subprocess
import sys
import uuid
from typing import ClassVar

import httpx
import pytest
from fastapi import Depends, FastAPI
from pydantic_settings import SettingsConfigDict

from deskworld_kit import clock
from deskworld_kit.database import database
from deskworld_kit.health import health_router
from deskworld_kit.http import client
from deskworld_kit.ids import new_id
from deskworld_kit.problems import install
from deskworld_kit.serve import Bind, parse_bind
from deskworld_kit.settings import Settings
from deskworld_kit.stage import stage_secret


class ErpSettings(Settings):
    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(env_prefix="ERP_")

    bind: str = "127.0.0.1:0"


def asking(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://erp.test")


@pytest.mark.parametrize(("database", "status", "word"), [("ok", 200, "ok"), ("no answer in 2 s", 503, "unwell")])
async def test_health_says_whether_a_case_could_be_seeded(database: str, status: int, word: str) -> None:
    async def check() -> dict[str, str]:
        return {"database": database, "outbox": "ok"}

    app = FastAPI()
    app.include_router(health_router(check))
    answer = await asking(app).get("/health")
    assert answer.status_code == status
    assert answer.json() == {"status": word, "checks": {"database": database, "outbox": "ok"}}


async def test_a_door_that_leads_to_a_named_stack_says_which() -> None:
    async def check() -> dict[str, str]:
        return {}

    app = FastAPI()
    app.include_router(health_router(check, stack={"id": "deskworld", "kind": "compose"}))
    answer = await asking(app).get("/health")
    assert answer.json() == {"status": "ok", "checks": {}, "stack": {"id": "deskworld", "kind": "compose"}}


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Bearer s3cret", 200),
        ("bearer s3cret", 200),
        ("Bearer s3cre", 401),
        ("Bearer s3cret2", 401),
        ("Basic s3cret", 401),
        ("Bearer", 401),
        (None, 401),
        ("Bearer s3crét", 401),
    ],
)
async def test_the_stage_door_opens_for_its_secret_alone(header: str | None, status: int) -> None:
    app = FastAPI(dependencies=[Depends(stage_secret("s3cret"))])
    install(app)

    @app.get("/stage/witness")
    async def witness() -> dict[str, str]:
        return {}

    headers = {} if header is None else {b"Authorization": header.encode()}
    assert (await asking(app).get("/stage/witness", headers=headers)).status_code == status


def test_an_empty_stage_secret_opens_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        stage_secret("")


@pytest.mark.parametrize(
    ("text", "bind"),
    [("127.0.0.1:8101", Bind("127.0.0.1", 8101)), ("[::1]:0", Bind("::1", 0)), ("erp:65535", Bind("erp", 65535))],
)
def test_an_address_is_host_and_port(text: str, bind: Bind) -> None:
    assert parse_bind(text) == bind


@pytest.mark.parametrize("text", ["8101", ":8101", "erp:", "erp:http", "erp:65536", "erp:-1", ""])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT"):
        parse_bind(text)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "OIDC_ISSUER", "OIDC_JWKS_URL"):
        monkeypatch.setenv(f"ERP_{name}", name.lower())
    settings = ErpSettings.from_environment()
    assert (settings.database_url, settings.bind) == ("database_url", "127.0.0.1:0")


def test_missing_settings_are_named_one_by_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ERP_DATABASE_URL", "postgresql://erp")
    with pytest.raises(SystemExit) as ended:
        ErpSettings.from_environment()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "ERP_OIDC_ISSUER" in said
    assert "ERP_OIDC_JWKS_URL" in said
    assert "ERP_DATABASE_URL" not in said


def test_ids_sort_by_the_time_they_were_made() -> None:
    made = [new_id() for _ in range(1_000)]
    assert made == sorted(made)
    assert {uuid.UUID(one).version for one in made} == {7}


def test_the_clock_is_aware_and_its_seconds_only_grow() -> None:
    assert clock.now().tzinfo is not None
    assert clock.monotonic() <= clock.monotonic()


async def test_a_plain_postgres_address_is_taken() -> None:
    held = database("postgresql://erp@127.0.0.1:1/erp")
    assert held.engine.url.drivername == "postgresql+asyncpg"
    await held.close()


async def test_a_door_where_nobody_listens_raises_an_error_of_httpx() -> None:
    async with client(base_url="http://127.0.0.1:1", timeout=2) as http:
        # the aiohttp transport reports a refused connection as ConnectTimeout: catch their common parent
        with pytest.raises(httpx.TransportError):
            await http.get("/health")


def test_a_log_line_is_one_json_object_on_standard_error() -> None:
    program = (
        "import structlog; from deskworld_kit.telemetry.logs import configure_logging; configure_logging('erp');"
        "structlog.get_logger().info('invoice received', number='INV-1'); structlog.get_logger().debug('not shown')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
    line = json.loads(done.stderr)
    assert (line["service"], line["event"], line["level"], line["number"]) == (
        "erp", "invoice received", "info", "INV-1",
    )  # fmt: skip
    assert done.stdout == ""
