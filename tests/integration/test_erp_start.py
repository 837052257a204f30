"""The service as a process: it says what it lacks, and does not start without it."""

import os
import subprocess
import sys
from pathlib import Path

SETTINGS = {
    "ERP_DATABASE_URL": "postgresql://nobody@/nowhere",
    "ERP_OIDC_ISSUER": "http://issuer.test/realms/deskworld",
    "ERP_OIDC_JWKS_URL": "http://issuer.test/certs",
    "ERP_OFFICE_BIND": "127.0.0.1:1",
    "ERP_STAGE_BIND": "127.0.0.1:1",
    "ERP_STAGE_SECRET": "secret",
}


def start(**changes: str) -> tuple[int, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("ERP_")}
    settings = {name: value for name, value in {**SETTINGS, **changes}.items() if value}
    done = subprocess.run(
        [sys.executable, "-m", "deskworld_erp"], env={**known, **settings}, capture_output=True, timeout=60, check=False
    )
    return done.returncode, done.stderr.decode()


def test_a_missing_tolerance_stops_it_by_name(tmp_path: Path) -> None:
    path = tmp_path / "tolerances.yaml"
    path.write_text("price: {percent: '2', amount: {}}\nrounding: {line: {}, document: {}}\nduplicate_window_days: 7\n")
    status, said = start(ERP_TOLERANCES=str(path))
    assert status == 2
    assert "quantity: Field required" in said


def test_a_missing_setting_stops_it_by_name() -> None:
    status, said = start(ERP_STAGE_SECRET="")
    assert status == 2
    assert "ERP_STAGE_SECRET" in said


def test_an_unknown_way_of_holding_authority_stops_it() -> None:
    status, said = start(ERP_AUTHORITY="sometimes")
    assert status == 2
    assert "ERP_AUTHORITY" in said
