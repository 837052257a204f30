"""The report of a closed bundle, in every format, and one run of it row by row."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deskworld import bundle, report
from deskworld import run as running
from deskworld.errors import BundleFailed, ExitCode, UsageWrong
from deskworld.fingerprints import compared, known
from deskworld.fingerprints.turns import Turn, turns_of
from deskworld.report import plain
from deskworld.report import said as people
from deskworld.values.campaign import Campaign
from deskworld.values.report import Feedback, Line, Provenance, Report, Way
from deskworld.values.timeline import of_kind

WORDS = frozenset({"rationale", "question", "subject", "body", "text", "reason"})
"""What a tool is given in words."""
FORMATS: dict[str, Callable[[Report], str]] = {
    "md": report.markdown_in_full,
    "html": report.html,
    "json": report.report_json,
    "junit": report.junit,
    "letter": report.letter,
}


def make(
    folder: Path, form: str, to: Path | None, *, store: Path | None, gates: bool, force: bool, out: Console
) -> int:
    """Writes the report to a file, or to standard output. With `gates` the campaign's exit code. Raises HarnessError.

    A page is text from outside too: on a terminal nothing of it acts, since every format spells such characters out.
    """
    told = read(folder, store=store)
    text = report.junit(told, gates=True) if form == "junit" and gates else FORMATS[form](told)
    if to is None:
        out.file.write(text)
    else:
        _write(to, text, force=force)
        out.print(Text(f"{form} of {told.campaign.runs} runs in {to}"), soft_wrap=True)
    return ExitCode(told.campaign.exit_code) if gates else ExitCode.PASS


def read(folder: Path, *, store: Path | None = None) -> Report:
    """`store`: of known fingerprints; without, the one beside the bundle. Raises BundleFailed."""
    stored = bundle.read_bundle(folder)
    campaign = campaign_of(stored)
    runs: list[report.Ran] = []
    turns: list[Turn] = []
    feedback: list[Feedback] = []
    files: dict[int, str] = {}
    for name, one in zip(stored.case_files, stored.cases(), strict=True):
        runs.append(report.Ran(index=one.index, verdict=one.verdict, wrote=wrote(one)))
        turns.extend(turns_of([one]))
        feedback.extend(_feedback(one))
        files[one.index] = name
    agent = stored.manifest["agent"]

    def timeline_of(index: int) -> Sequence[Line]:
        found = bundle.stored_case(stored.folder / files[index], stored.files[files[index]])
        return timeline(found)

    return report.report(
        campaign,
        runs,
        provenance=Provenance(
            opened=stored.manifest["opened"],
            bundle=bundle.digest_of(folder),
            candidate=agent["sha256"],
            versions=stored.manifest["versions"],
        ),
        said=people.parsed(bundle.heard(folder)),
        ways=tuple(ways(turns, store or folder.resolve().parent / "fingerprints.json")),
        timeline_of=timeline_of,
        feedback=feedback,
        scripted=running.scripted(agent["name"]),
    )


def campaign_of(stored: bundle.StoredBundle) -> Campaign:
    """What the campaign came to when it was played. Raises BundleFailed: it never came to an end."""
    if stored.status != "complete" or "report.json" not in stored.files:
        raise BundleFailed(
            f"{stored.folder} is {stored.status}: some of its runs are missing, so that no rate of it means anything",
            next_step=f"harness run --resume {stored.folder}",
        )
    try:
        return Campaign.model_validate_json((stored.folder / "report.json").read_bytes())
    except ValueError as error:
        what = f"{stored.folder / 'report.json'} was written by another version: {type(error).__name__}"
        raise BundleFailed(what, next_step="read it with its own version, or play it again") from error


def wrote(one: bundle.StoredCase) -> bool:
    """Whether the agent wrote something that no check reads."""
    return any(
        WORDS & set(row["data"]["arguments"])
        for found in (one.evidence.timelines if one.evidence else ())
        for row in of_kind(found.rows, "tool.called")
    )


def _feedback(one: bundle.StoredCase) -> Iterator[Feedback]:
    for found in one.evidence.timelines if one.evidence else ():
        for row in of_kind(found.rows, "feedback.given"):
            told = row["data"]
            yield Feedback(index=one.index, by=told["by"]["username"], about=str(told["about"]), text=str(told["text"]))


def ways(turns: Sequence[Turn], store: Path) -> Iterator[Way]:
    there = store.exists()
    for one in compared.lines(turns, known.read(store)):
        before = one.before.count if one.before else 0
        yield Way(
            agent=one.agent,
            label=one.label,
            fingerprint=one.fingerprint,
            turns=one.turns,
            shown=one.shown,
            before=before if there else None,
        )


def timeline(one: bundle.StoredCase) -> tuple[Line, ...]:
    seeded = one.record.seeded
    return report.timeline(seeded.case_id, one.evidence) if seeded and one.evidence else ()


def find(folder: Path, index: int) -> bundle.StoredCase:
    """Raises BundleFailed, and UsageWrong for a case that is not there."""
    stored = bundle.read_bundle(folder)
    for name in stored.case_files:
        if bundle.index_of(name) == index:
            return bundle.stored_case(stored.folder / name, stored.files[name])
    raise UsageWrong(
        f"{folder} has no case {index}", next_step=f"there are {len(stored.case_files)}: harness logs {folder}"
    )


def log(folder: Path, index: int | None, *, out: Console) -> int:
    """The runs of a bundle, or one of them row by row with what people did. Raises HarnessError."""
    if index is None:
        for one in bundle.read_bundle(folder).cases():
            verdict = one.verdict
            how = "passed" if verdict.passed else f"failed, {verdict.cause}"
            said = f"{one.index:>4}  {verdict.scenario} seed {verdict.seed}  {verdict.seconds:.2f} s  {how}"
            out.print(Text(plain.plain(said)), soft_wrap=True)
        return ExitCode.PASS
    one = find(folder, index)
    for line in rows(one):
        out.print(line, soft_wrap=True)
    for move in one.record.moves:
        said = f"{move.at:+.3f} s  {move.who} {move.kind}, by the script's {move.rule}: {move.done or 'no answer'}"
        out.print(Text(plain.plain(said), style="dim"), soft_wrap=True)
    return ExitCode.PASS


def rows(one: bundle.StoredCase) -> Iterator[Text]:
    """Each row in a line, and beneath it what a letter or an answer says; those that show a failure stand out."""
    named = {name for check in one.verdict.checks for finding in check.findings for name in finding.rows}
    for line in timeline(one):
        said = f"{line.name}  {line.at}  {line.kind}  {line.who}  {line.said}"
        yield Text(plain.plain(said).rstrip(), style="bold red" if line.name in named else "")
        for part in (line.text or "").split("\n") if line.text else ():
            yield Text(f"    │ {plain.plain(part)}", style="dim")


def last_turn(one: bundle.StoredCase) -> Turn | None:
    """The agent's last turn on the case that was graded."""
    if one.record.seeded is None or one.evidence is None:
        return None
    found = one.evidence.of(one.record.seeded.case_id)
    ended = of_kind(found.rows, "turn.ended") if found else ()
    wanted = ended[-1]["data"]["fingerprint"] if ended else None
    turns = [turn for turn in turns_of([one]) if turn.fingerprint == wanted]
    return turns[-1] if turns else None


def _write(to: Path, text: str, *, force: bool) -> None:
    try:
        with to.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageWrong(f"{to} is there already", next_step="name another file, or say --force") from None
    except OSError as error:
        raise UsageWrong(f"cannot write {to}: {error.strerror}", next_step="name another file with --to") from error
