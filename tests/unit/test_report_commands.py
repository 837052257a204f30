"""The commands of the report as somebody types them: exit codes, refusals with a next step, and what they are for."""

import shutil
from pathlib import Path

import pytest
from tests.support.reported import bundled, harmful, mixed, passed
from typer.testing import CliRunner, Result

from deskworld.cli import app
from deskworld.cli.ending import Finished


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled(tmp_path_factory.mktemp("runs"), mixed())


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> str:
    return str(shutil.copytree(played, tmp_path / "run"))


def typed(*words: str, said: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=said)


def code(result: Result) -> int:
    return result.exception.code if isinstance(result.exception, Finished) else result.exit_code


def test_help_tells_a_newcomer_what_the_program_is_for_and_where_to_begin() -> None:
    text = " ".join(typed("--help").output.split())
    assert "Can this agent work our invoice exceptions?" in text
    assert "harness run --smoke" in text
    assert "parse, call, print" not in text


@pytest.mark.parametrize("form", ["md", "html", "json", "junit", "letter"])
def test_every_format_is_written_to_the_file_that_is_named(folder: str, tmp_path: Path, form: str) -> None:
    to = tmp_path / f"r.{form}"
    assert code(typed("report", folder, "--format", form, "--to", str(to))) == 0
    assert to.stat().st_size > 1000
    assert code(typed("report", folder, "--format", form, "--to", str(to))) == 3, "it is there already"


def test_a_report_ends_with_the_gates_code_only_when_it_is_asked_to(folder: str, tmp_path: Path) -> None:
    assert code(typed("report", folder, "--gates", "--to", str(tmp_path / "a.md"))) == 1
    assert code(typed("report", folder, "--to", str(tmp_path / "b.md"))) == 0
    good = str(bundled(tmp_path / "good", [passed()]))
    assert code(typed("report", good, "--gates", "--to", str(tmp_path / "c.md"))) == 0


@pytest.mark.parametrize(
    "words",
    [
        ("triage", "RUN", "4f1c09ab"),
        ("triage", "RUN", "--cause", "model"),
        ("triage", "RUN", "4f1c09ab", "--cause", "model"),
        ("review", "RUN", "--disagree"),
        ("review", "RUN", "--case", "0", "--disagree"),
        ("review", "RUN", "--case", "99", "--agree"),
        ("cost", "RUN", "--bill", "much"),
        ("cost", "RUN", "--prices", "/nowhere.yaml"),
        ("logs", "RUN", "--case", "99"),
        ("logs", "--case", "1"),
        ("report", "/nowhere"),
        ("triage", "/nowhere"),
        ("review", "/nowhere"),
        ("cost", "/nowhere"),
    ],
)
def test_a_call_that_cannot_be_meant_ends_with_3(folder: str, words: tuple[str, ...]) -> None:
    assert code(typed(*(folder if word == "RUN" else word for word in words))) == 3


def test_a_review_can_be_driven_over_a_pipe(folder: str) -> None:
    result = typed("review", folder, "--by", "ann", said="y\n\nfine\nn\n\nit cites nothing\n")
    assert code(result) == 0
    text = typed("report", folder).output
    assert "2 of 7 runs in which the agent wrote something were reviewed by people" in text
    assert "agreed with the grade of 1 runs and disagreed with that of 1" in text


def test_triage_ends_with_1_until_every_failure_has_its_class(folder: str) -> None:
    listed = typed("triage", folder)
    assert code(listed) == 1
    key = listed.output.split()[0]
    assert code(typed("triage", folder, key, "--cause", "our-system", "--by", "ann")) == 0
    assert code(typed("triage", folder)) == 0


def test_no_code_of_a_letter_comes_out_of_any_command(tmp_path: Path) -> None:
    folder = str(bundled(tmp_path, [harmful()]))
    for words in (("report",), ("triage",), ("logs",), ("logs", "--case", "0"), ("review",), ("cost",)):
        output = typed(words[0], folder, *words[1:]).output
        assert output, words
        assert not any(one in output for one in ("\x1b[31mred", "\x1b]0;", "\x07", "\u202e")), words


@pytest.mark.parametrize("group", ["[/]", "[red]x", "\x1b[31m", "\u202ex"])
def test_an_error_quotes_what_was_typed_as_it_is_and_nothing_in_it_acts(folder: str, group: str) -> None:
    result = typed("triage", folder, group, "--cause", "model")
    assert code(result) == 3
    assert result.output.startswith("error there is no group ")
    assert "\x1b[31m" not in result.output
    assert "\u202e" not in result.output
    if group.startswith("["):
        assert group in result.output
