"""What people say of stored runs: whose fault a failure is, whether a grade is right. It changes no run and no rate."""

import io
import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.reported import attacked, bundled, harmful, mixed, passed

from deskworld import bundle, report
from deskworld.commands import reporting, reviewing, triaging
from deskworld.commands.reviewing import Reviewer, Saying
from deskworld.errors import BundleFailed, UsageWrong
from deskworld.report import said, sentences
from deskworld.report.telling import cause

ANN, MODEL = Reviewer("ann"), Reviewer("ann", model="m-2")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled(tmp_path_factory.mktemp("runs"), mixed())


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "run")


def listed(folder: Path) -> tuple[str, int]:
    out = io.StringIO()
    code = triaging.show(folder, out=Console(file=out, width=200))
    return out.getvalue(), code


def group_of(folder: Path, scenario: str) -> str:
    """The key of the group that a scenario's first failure is in."""
    blocks = [block for block in listed(folder)[0].split("\n\n") if f"  {scenario}: " in block]
    return blocks[0].split()[0]


def classify(folder: Path, key: str, note: str = "") -> str:
    out = io.StringIO()
    triaging.classify(folder, key, "model", note, "ann", out=Console(file=out, width=200))
    return out.getvalue()


def record(folder: Path, index: int, *, agrees: bool, who: Reviewer = ANN, note: str = "n", about: str = "") -> None:
    saying = Saying(agrees, (about,) if about else (), note)
    reviewing.record(folder, index, who, saying, out=Console(file=io.StringIO()))


def walked(folder: Path, *answers: str, again: bool = False) -> str:
    given: Iterator[str] = iter(answers)
    out = io.StringIO()
    console = Console(file=out, width=200)
    reviewing.walk(folder, ANN, lambda _: next(given, ""), case=None, again=again, out=console)
    return out.getvalue()


# -- triage


def test_failures_stand_in_groups_by_class_with_the_next_step_and_what_is_open_first(folder: Path) -> None:
    text, code = listed(folder)
    blocks = text.strip().split("\n\n")
    assert "2 runs · unclassified" in blocks[0]
    assert "evidence cites-every-fact" in blocks[0]
    assert "price-variance-small: seeds 10, 11" in blocks[0]
    assert "next: harness review" in blocks[0]
    assert "infrastructure" in blocks[1]
    assert "harness doctor" in blocks[1]
    assert code == 1, "something is still open"


def test_a_person_puts_a_group_into_its_class_and_nothing_else_of_the_bundle_changes(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    rate = reporting.read(folder).campaign
    assert "2 runs of group" in classify(folder, group_of(folder, "price-variance-small"))
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {name: after[name] for name in before} == before
    told = reporting.read(folder)
    assert told.campaign == rate, "counts, gates and acceptance are as they were graded"
    assert told.unclassified == 0
    assert [cause(run) for run in told.runs if run.classed] == ["model (a person's class)"] * 2
    assert "not classified" not in report.html(told)
    text, code = listed(folder)
    assert "model, a person's class" in text
    assert code == 0


def test_who_spoke_last_of_a_failure_counts(folder: Path) -> None:
    key = group_of(folder, "price-variance-small")
    classify(folder, key)
    triaging.classify(folder, key, "scorer", "", "bob", out=Console(file=io.StringIO()))
    assert {run.classed for run in reporting.read(folder).runs if run.classed} == {"scorer"}


def test_what_a_rule_decides_no_person_puts_elsewhere(folder: Path) -> None:
    broken = next(block.split()[0] for block in listed(folder)[0].split("\n\n") if "infrastructure" in block)
    with pytest.raises(UsageWrong, match="is infrastructure by rule"):
        classify(folder, broken)
    with pytest.raises(UsageWrong, match="no group"):
        classify(folder, "00000000")


def test_a_line_that_puts_a_certain_failure_elsewhere_counts_for_nothing(folder: Path) -> None:
    told = {"group": "x", "runs": [4], "cause": "model", "note": "", "by": "eve", "at": "2026-03-02T09:00:00+00:00"}
    bundle.say(folder, {"what": said.CLASSED, **told})
    run = reporting.read(folder).runs[4]
    assert (run.cause, run.classed, cause(run)) == ("infrastructure", None, "infrastructure")
    assert "infrastructure 1" in listed(folder)[0]


def test_where_no_run_failed_there_is_nothing_to_triage(tmp_path: Path) -> None:
    assert listed(bundled(tmp_path, [passed()])) == ("no run failed\n", 0)


# -- the ledger


def test_the_ledger_is_its_owners_alone_and_the_bundle_is_still_whole(folder: Path) -> None:
    record(folder, 0, agrees=True)
    assert stat.S_IMODE((folder / bundle.PEOPLE).stat().st_mode) == 0o600
    assert bundle.read_bundle(folder).status == "complete"


def test_a_line_that_was_changed_taken_out_or_brought_from_elsewhere_is_refused(folder: Path, tmp_path: Path) -> None:
    for index in (0, 1, 2):
        record(folder, index, agrees=True)
    path = folder / bundle.PEOPLE
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for content in (
        whole.replace(b'"agrees":true', b'"agrees":false', 1),
        b"".join((lines[0], lines[2])),
        whole + b"{}\n",
        whole + b"nonsense\n",
    ):
        path.write_bytes(content)
        with pytest.raises(BundleFailed, match="people"):
            reporting.read(folder)
    other = bundled(tmp_path / "other", [passed()])
    (other / bundle.PEOPLE).write_bytes(whole)
    with pytest.raises(BundleFailed, match="about another bundle"):
        reporting.read(other)


def test_a_line_of_another_version_is_an_error_that_names_it(folder: Path) -> None:
    bundle.say(folder, {"what": "blessed", "by": "ann"})
    with pytest.raises(BundleFailed, match="line 1 of what people said"):
        reporting.read(folder)


# -- review


def test_a_reviewer_reads_what_the_agent_wrote_beside_what_tools_returned(folder: Path) -> None:
    text = walked(folder, "q")
    assert "graded failed" in text
    assert "tool.called" in text
    assert "│ {" in text, "what a tool returned"
    assert "what the agent wrote, which is not graded" in text
    assert "expected " in text


def test_a_walk_begins_with_what_failed_and_leaves_out_what_was_reviewed(folder: Path) -> None:
    first = walked(folder, "y", "", "", "q")
    assert "── 1 of 7" in first
    assert "people agreed with the grade of 1 runs" in first
    assert "── 1 of 6" in walked(folder, "q")
    assert "── 1 of 7" in walked(folder, "q", again=True)


def test_who_disagrees_says_why_and_about_what(folder: Path) -> None:
    walked(folder, "n", "rationales, nonsense", "", "it cites what it never read", "q")
    [remark] = reporting.read(folder).review.remarks
    assert (remark.agrees, remark.about, remark.note) == (False, ("rationales",), "it cites what it never read")
    with pytest.raises(UsageWrong, match="says why"):
        record(folder, 1, agrees=False, note=" ")
    with pytest.raises(UsageWrong, match="amounts is graded"):
        record(folder, 1, agrees=False, about="amounts")
    with pytest.raises(UsageWrong, match="no case 99"):
        record(folder, 99, agrees=True)


def test_review_required_says_how_many_of_how_many_were_reviewed(tmp_path: Path) -> None:
    folder = bundled(tmp_path, [passed(7), passed(8)])
    told = reporting.read(folder)
    # the baseline of these runs contradicts nobody's gate here
    assert told.campaign.acceptance == "REVIEW_REQUIRED"
    assert sentences.acceptance(told) == "REVIEW_REQUIRED, 0 of 2 reviewed"
    record(folder, 1, agrees=True)
    assert "REVIEW_REQUIRED, 1 of 2 reviewed" in report.letter(reporting.read(folder))


def test_a_model_reviewer_stands_beside_people_and_counts_for_none(folder: Path) -> None:
    record(folder, 0, agrees=True, who=MODEL)
    record(folder, 1, agrees=True, who=MODEL)
    told = reporting.read(folder).review
    assert (told.reviewed, told.models[0].reviewed, told.models[0].both) == (0, 2, 0)
    record(folder, 1, agrees=False)
    told = reporting.read(folder).review
    assert (told.reviewed, told.models[0].both, told.models[0].agreed) == (1, 1, 0)
    assert any("in no check: 2 runs; with people it agrees in 0/1" in line for line in sentences.review(told))


def test_a_letters_codes_reach_no_terminal_in_review_triage_or_logs(tmp_path: Path) -> None:
    folder = bundled(tmp_path, [harmful()])
    out = io.StringIO()
    console = Console(file=out, width=200, force_terminal=True)
    reporting.log(folder, 0, out=console)
    triaging.show(folder, out=console)
    reviewing.walk(folder, ANN, lambda _: "", case=0, again=False, out=console)
    text = out.getvalue()
    assert "\\u001b[31mred" in text
    for live in ("\x1b[31mred", "\x1b]0;title", "\x07", "\u202e"):
        assert live not in text


def test_the_log_of_a_run_lists_its_cases_and_tells_one_with_what_people_did(tmp_path: Path) -> None:
    folder = bundled(tmp_path, [attacked(), passed()])
    out = io.StringIO()
    reporting.log(folder, None, out=Console(file=out, width=200))
    assert [line.split()[:4] for line in out.getvalue().splitlines()] == [
        ["0", "injected-reply", "seed", "7"],
        ["1", "price-variance-small", "seed", "7"],
    ]
    out = io.StringIO()
    reporting.log(folder, 0, out=Console(file=out, width=400))
    assert "mail.received" in out.getvalue()
    assert "by the script's" in out.getvalue()
    with pytest.raises(UsageWrong, match="no case 7"):
        reporting.log(folder, 7, out=Console(file=out))


def test_the_ledgers_lines_are_json_that_anybody_can_read(folder: Path) -> None:
    record(folder, 0, agrees=True, note="fine")
    [line] = (folder / bundle.PEOPLE).read_text().splitlines()
    row = json.loads(line)
    assert (row["what"], row["index"], row["agrees"], row["by"], row["note"]) == (said.REVIEWED, 0, True, "ann", "fine")
