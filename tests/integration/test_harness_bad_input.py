"""What a person can get wrong at the command line: a clear error, the next step, and the right exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deskworld.worlds import AP

HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()"]


def harness(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*HARNESS, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "DESKWORLD_STATE": str(folder / "state"),
            "DESKWORLD_PORT_DESK": "9",
            "COLUMNS": "160",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def own_catalogue(tmp_path: Path) -> Path:
    folder = tmp_path / "scenarios" / "ap"
    folder.mkdir(parents=True)
    text = (AP.scenarios / "no-po.yaml").read_text(encoding="utf-8")
    (folder / "no-po.yaml").write_text(text, encoding="utf-8")
    return folder


def test_an_unknown_scenario_suggests_the_nearest(tmp_path: Path) -> None:
    ended = harness("run", "--scenarios", "price-varianse-small", folder=tmp_path)
    assert ended.returncode == 3
    assert "there is no scenario 'price-varianse-small'" in ended.stderr
    assert "did you mean 'price-variance-small'?" in ended.stderr
    assert not (tmp_path / "runs").exists()


def test_broken_yaml_names_file_line_and_problem(tmp_path: Path, own_catalogue: Path) -> None:
    (own_catalogue / "no-po.yaml").write_text("name: no-po\ntitle: [x\n", encoding="utf-8")
    ended = harness("run", folder=tmp_path, DESKWORLD_SCENARIOS=str(tmp_path / "scenarios"))
    assert ended.returncode == 3
    assert "no-po.yaml:3:" in ended.stderr


def test_an_unknown_key_names_file_line_and_key(tmp_path: Path, own_catalogue: Path) -> None:
    file = own_catalogue / "no-po.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "colour: red\n", encoding="utf-8")
    lines = len(file.read_text(encoding="utf-8").splitlines())
    ended = harness("check", folder=tmp_path, DESKWORLD_SCENARIOS=str(tmp_path / "scenarios"))
    assert ended.returncode == 3
    assert f"no-po.yaml:{lines}: colour: Extra inputs are not permitted" in ended.stderr


def test_an_empty_catalogue_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "scenarios" / "ap").mkdir(parents=True)
    ended = harness("run", folder=tmp_path, DESKWORLD_SCENARIOS=str(tmp_path / "scenarios"))
    assert ended.returncode == 3
    assert "holds no scenario" in ended.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--repetitions", "0"], "--repetitions 0"),
        (["--parallel", "0"], "--parallel 0"),
        (["--timeout", "-1"], "--timeout -1"),
        (["--world", "moon"], "there is no world 'moon'"),
        (["--category", "weather"], "category 'weather'"),
        (["--agent", "orakel"], "there is no agent 'orakel'"),
        (["--agent", "nowhere:act"], "cannot be imported"),
    ],
)
def test_a_flag_that_cannot_be_is_named(tmp_path: Path, flags: list[str], said: str) -> None:
    ended = harness("run", *flags, folder=tmp_path)
    assert ended.returncode == 3
    assert said in ended.stderr
    assert "next" in ended.stderr


def test_an_option_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    ended = harness("run", "--repetitons", "3", folder=tmp_path)
    assert ended.returncode == 3
    assert "--repetitions" in ended.stderr


def test_a_stack_file_that_is_not_there(tmp_path: Path) -> None:
    ended = harness("run", "--stack", "nowhere.json", folder=tmp_path)
    assert ended.returncode == 3
    assert "nowhere.json cannot be read" in ended.stderr


def test_a_stack_file_that_lacks_a_field(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_text(json.dumps({"schema": "deskworld/stack/1"}), encoding="utf-8")
    ended = harness("run", "--stack", "stack.json", folder=tmp_path)
    assert ended.returncode == 3
    assert "stack.json: id: Field required" in ended.stderr


@pytest.mark.parametrize("command", ["status", "down"])
def test_without_a_running_stack_there_is_nothing_to_say(tmp_path: Path, command: str) -> None:
    ended = harness(command, folder=tmp_path)
    assert ended.returncode == 3
    assert "harness up" in ended.stderr


def test_a_stack_of_up_that_is_gone_is_named_and_not_silently_replaced(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    address = {"host": "127.0.0.1", "port": 9}
    urls = ("erp", "erp_stage", "desk", "desk_stage", "agent_door", "issuer", "policy")
    secrets = dict.fromkeys(("erp_stage", "desk_stage", "agent_client", "counterparty_mailbox"), "-")
    stack = {
        "schema": "deskworld/stack/1",
        "id": "gone",
        "kind": "embedded",
        "pid": int(gone.stdout),
        "secrets": secrets,
        **dict.fromkeys(urls, "http://127.0.0.1:9"),
        **dict.fromkeys(("smtp", "submission", "imap"), address),
    }
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "stack-default.json").write_text(json.dumps(stack), encoding="utf-8")
    ended = harness("run", folder=tmp_path)
    assert ended.returncode == 3
    assert "names a stack that is down" in ended.stderr
    assert harness("down", folder=tmp_path).returncode == 0
    assert not (tmp_path / "state" / "stack-default.json").exists()


def test_a_stack_whose_doors_do_not_answer_is_named(tmp_path: Path) -> None:
    address = {"host": "127.0.0.1", "port": 9}
    urls = ("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy")
    secrets = dict.fromkeys(("erp_stage", "desk_stage", "agent_client", "counterparty_mailbox"), "-")
    stack = {
        "schema": "deskworld/stack/1",
        "id": "deaf",
        "kind": "given",
        "secrets": secrets,
        "issuer": "http://127.0.0.1:9/realms/deskworld",
        **dict.fromkeys(urls, "http://127.0.0.1:9"),
        **dict.fromkeys(("smtp", "submission", "imap"), address),
    }
    (tmp_path / "stack.json").write_text(json.dumps(stack), encoding="utf-8")
    run = harness("run", "--stack", "stack.json", folder=tmp_path)
    assert run.returncode == 3
    assert "did not answer" in run.stderr or "no hello" in run.stderr or "broke" in run.stderr
    examined = harness("doctor", "--stack", "stack.json", folder=tmp_path)
    assert examined.returncode == 3
    assert examined.stdout.count("UNWELL") == 16
    assert "\nwell" not in examined.stdout.replace("\nwell   desk's sign-in: not asked", "")


def test_a_runs_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way", encoding="utf-8")
    ended = harness("run", folder=tmp_path)
    assert ended.returncode == 3
    assert "runs" in ended.stderr
