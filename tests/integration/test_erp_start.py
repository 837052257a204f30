"""The service as a process: it says what it lacks, and does not start without it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.erp import invoice, running, situation

from deskworld_kit.ids import new_id

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


async def test_without_its_database_it_says_so_and_asks_to_be_tried_again(tmp_path: Path) -> None:
    async with running(tmp_path, "nowhere") as erp:
        health = await erp.office.get("/health")
        assert (health.status_code, health.json()["status"]) == (503, "unwell")
        answer = await erp.office.get(f"/invoices/{new_id()}", headers=erp.headers("desk"))
        assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
        assert answer.headers["retry-after"] == "1"
        seeded = await erp.stage.post("/stage/situations", json=situation(invoice()))
        assert (seeded.status_code, seeded.json()["code"]) == (503, "UNAVAILABLE")
