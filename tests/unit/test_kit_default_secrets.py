"""A default secret opens doors on the loopback only."""

from typing import ClassVar

import pytest
from fastapi import FastAPI
from pydantic_settings import SettingsConfigDict

from deskworld_kit.serve import Bind, listening
from deskworld_kit.settings import Settings, default_secrets_beyond_loopback


class DoorSettings(Settings):
    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(env_prefix="DOOR_")

    office_bind: str
    stage_secret: str


def settings(bind: str, secret: str) -> DoorSettings:
    return DoorSettings.model_validate(
        {
            "office_bind": bind,
            "stage_secret": secret,
            "database_url": "postgresql://door@db/door",
            "oidc_issuer": "http://issuer.test",
            "oidc_jwks_url": "http://issuer.test/keys",
        }
    )


@pytest.mark.parametrize("bind", ["127.0.0.1:1", "localhost:1", "[::1]:1", "127.0.0.1:1,[::1]:2"])
def test_a_default_secret_is_good_on_the_loopback(bind: str) -> None:
    assert default_secrets_beyond_loopback(settings(bind, "loopback-stage"), None) == []


@pytest.mark.parametrize("bind", ["0.0.0.0:1", "10.1.2.3:1", "erp-office:1", "127.0.0.1:1,erp-office:1", "[::]:1"])
def test_a_default_secret_is_refused_on_any_other_address(bind: str) -> None:
    (said,) = default_secrets_beyond_loopback(settings(bind, "loopback-stage"), None)
    assert "DOOR_STAGE_SECRET" in said
    assert "loopback-stage" not in said, "a log is no place for a secret"


def test_a_container_listens_anywhere_as_long_as_it_is_published_on_the_loopback() -> None:
    assert default_secrets_beyond_loopback(settings("0.0.0.0:1", "loopback-stage"), "127.0.0.1") == []


@pytest.mark.parametrize("published", ["0.0.0.0", "10.1.2.3", "somewhere.example", ""])
def test_a_container_published_elsewhere_needs_secrets_of_its_own(published: str) -> None:
    assert default_secrets_beyond_loopback(settings("127.0.0.1:1", "loopback-stage"), published)
    assert default_secrets_beyond_loopback(settings("127.0.0.1:1", "Zx3Qm0"), published) == []


def test_the_service_does_not_start(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    named = {
        "OFFICE_BIND": "0.0.0.0:1",
        "STAGE_SECRET": "loopback-stage",
        "DATABASE_URL": "postgresql://door:desk-loopback@db/door",
        "OIDC_ISSUER": "http://issuer.test",
        "OIDC_JWKS_URL": "http://issuer.test/keys",
    }
    monkeypatch.delenv("DESKWORLD_PUBLISHED", raising=False)
    for name, value in named.items():
        monkeypatch.setenv(f"DOOR_{name}", value)
    with pytest.raises(SystemExit) as ended:
        DoorSettings.from_environment()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "DOOR_STAGE_SECRET" in said
    assert "DOOR_DATABASE_URL" in said, "a password in an address is a secret too"


def test_a_door_may_listen_on_several_addresses() -> None:
    app = FastAPI()
    doors = listening("office", app, "127.0.0.1:8100, erp-office:8100")
    assert [door.bind for door in doors] == [Bind("127.0.0.1", 8100), Bind("erp-office", 8100)]
    assert {door.app for door in doors} == {app}
