"""The stand-in servers as processes: settings, addresses, size, end."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest
from tests.support.servers import (
    LOOPBACK,
    ROOT,
    identity_server,
    mail_server,
    policy_server,
    running,
)


@pytest.mark.parametrize(
    ("module", "settings", "said"),
    [
        ("mail", {}, "MAIL_SMTP_BIND"),
        ("mail", {"MAIL_SMTP_BIND": "0.0.0.0:2525"}, "loopback"),
        (
            "identity",
            {"IDENTITY_BIND": "127.0.0.1:0", "IDENTITY_FOLDER": "{tmp}", "IDENTITY_REALM": "/nowhere.json"},
            "nowhere",
        ),
        ("identity", {"IDENTITY_BIND": "example.com:80"}, "loopback"),
        ("policy", {"POLICY_BIND": "127.0.0.1:99999"}, "HOST:PORT"),
        ("policy", {"POLICY_BIND": "127.0.0.1:0", "POLICY_FOLDER": "/nowhere"}, "not a folder"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, module: str, settings: Mapping[str, str], said: str) -> None:
    given = {name: value.replace("{tmp}", str(tmp_path)) for name, value in settings.items()}
    ended = subprocess.run(
        [sys.executable, "-m", f"deskworld_embedded.{module}"],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_taken_address_is_named(tmp_path: Path) -> None:
    server = policy_server(tmp_path)
    with running(server):
        at = f"{LOOPBACK}:{server.ports[0]}"
        ended = subprocess.run(
            [sys.executable, "-m", "deskworld_embedded.policy"],
            cwd=ROOT,
            env={**os.environ, "POLICY_BIND": at, "POLICY_FOLDER": str(ROOT / "policies")},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert ended.returncode == 2
    assert at in ended.stderr


def test_each_server_is_small_and_ends_when_told(tmp_path: Path) -> None:
    for server in (mail_server(tmp_path), identity_server(tmp_path), policy_server(tmp_path)):
        server.start()
        assert psutil.Process(server.pid).memory_info().rss < 60 * 1024 * 1024
        assert server.stop() == 0, server.complaints()
        assert server.complaints() == ""
