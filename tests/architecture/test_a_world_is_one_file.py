"""A world of one file runs through the harness's generic half untouched."""

import io
from pathlib import Path

from rich.console import Console
from tests.support.toy_world import toy_world

from deskworld import bundle, report, run
from deskworld.values.campaign import Settings
from deskworld.values.stack import Stack

NOWHERE = Stack.model_validate(
    {
        "schema": "deskworld/stack/1",
        "id": "toy",
        "kind": "given",
        **dict.fromkeys(("erp", "erp_stage", "desk", "desk_stage", "agent_door", "policy"), "http://127.0.0.1:9"),
        "issuer": "http://127.0.0.1:9/realms/toy",
        **{name: {"host": "127.0.0.1", "port": 9} for name in ("smtp", "submission", "imap")},
        "secrets": {"erp_stage": "-", "desk_stage": "-", "agent_client": "-", "counterparty_mailbox": "-"},
    }
)


async def test_a_toy_world_of_one_file_is_run_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    world = toy_world(folder)
    done, verdicts = await run.campaign(
        Settings(world="toy", agent="none", repetitions=3),
        worlds={"toy": world},
        stack=NOWHERE,
        runs=tmp_path / "runs",
        nonce="n",
        tell=lambda progress: None,
    )
    assert (done.runs, done.passed) == (3, 3), verdicts
    assert done.ungraded == ("the lamp's colour",)
    page = Console(file=io.StringIO(), width=160)
    report.print_campaign(done, verdicts, page)
    assert "lamp-is-off" in page.file.getvalue()  # type: ignore[attr-defined]
    assert bundle.read_bundle(Path(done.bundle)).status == "complete"
