"""Review: a person reads what the agent wrote beside what its tools returned, and says whether the grade is right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deskworld import bundle
from deskworld.commands import reporting
from deskworld.doors import clock
from deskworld.errors import ExitCode, UsageWrong
from deskworld.report import said, sentences
from deskworld.report.failures import reasons
from deskworld.report.plain import plain
from deskworld.values.evidence import Row
from deskworld.values.report import Remark
from deskworld.values.timeline import name_of, of_kind

ASKED = "grade right? (y)es, (n)o, (s)kip, (q)uit: "
Ask = Callable[[str], str]
"""A question and its answer; an empty one where nobody answers any more."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Who reviews. `model` names a model, which stands beside people and is counted apart."""

    by: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Saying:
    """What is said of one run. `about`: which of what no check reads."""

    agrees: bool
    about: tuple[str, ...] = ()
    note: str = ""


def walk(folder: Path, who: Reviewer, ask: Ask, *, case: int | None, again: bool, out: Console) -> int:
    """One run after the other, those first that failed, until all are said of or nobody answers. Raises HarnessError.

    `case`: this one alone. `again`: also those that a person reviewed before.
    """
    stored = bundle.read_bundle(folder)
    ungraded = reporting.campaign_of(stored).ungraded
    kept, order = _kept(stored)
    before = said.by_people(said.parsed(bundle.heard(folder)))
    chosen = [case] if case is not None else [index for index in order if again or index not in before]
    for place, index in enumerate(chosen, 1):
        one = reporting.find(folder, index)
        out.print(Text(f"── {place} of {len(chosen)}", style="dim"))
        show(one, out=out)
        answer = ask(ASKED).strip().lower()[:1]
        if answer in {"q", ""}:
            break
        if answer in {"y", "n"}:
            _say(folder, one, who, _asked(ask, ungraded, agrees=answer == "y"))
    _print_how_far(folder, kept, out)
    return ExitCode.PASS


def record(folder: Path, index: int, who: Reviewer, saying: Saying, *, out: Console) -> int:
    """Without asking. Raises UsageWrong: nobody disagrees without a word, or about what is graded."""
    stored = bundle.read_bundle(folder)
    ungraded = reporting.campaign_of(stored).ungraded
    unknown = sorted(set(saying.about) - set(ungraded))
    if unknown:
        raise UsageWrong(f"{', '.join(unknown)} is graded, or nothing", next_step=f"not graded: {', '.join(ungraded)}")
    if not saying.agrees and not saying.note.strip():
        raise UsageWrong("who disagrees says why", next_step="--note 'what is wrong'")
    _say(folder, reporting.find(folder, index), who, saying)
    _print_how_far(folder, _kept(stored)[0], out)
    return ExitCode.PASS


def show(one: bundle.StoredCase, *, out: Console) -> None:
    """The run row by row with what tools returned, what the agent wrote, and the checks that failed with their rows."""
    for line in (*_head(one), *reporting.rows(one), *_written(one), *_graded(one)):
        out.print(line, soft_wrap=True)


def _head(one: bundle.StoredCase) -> Iterator[Text]:
    verdict, case = one.verdict, one.record.case
    grade = Text("passed", style="green") if verdict.passed else Text(f"failed, {verdict.cause}", style="red")
    yield Text.assemble((f"case {one.index} {verdict.scenario} seed {verdict.seed}", "bold"), "  graded ", grade)
    yield Text(plain(case.title))
    accepted = " or ".join(
        " ".join(part for part in (end.action, end.amount, end.against_po, end.wait) if part)
        for end in case.expect.accept
    )
    yield Text(plain(f"right: {accepted or 'nothing'}; seen: {verdict.action or 'no proposal'}"))
    yield Text()


def _written(one: bundle.StoredCase) -> Iterator[Text]:
    """What no check reads: rationales, questions, letters, notes, once more and in whole."""
    calls = [row for found in (one.evidence.timelines if one.evidence else ()) for row in _calls(found.rows)]
    if calls:
        yield Text()
        yield Text("what the agent wrote, which is not graded", style="bold")
    for row in calls:
        arguments = row["data"]["arguments"]
        for name in sorted(reporting.WORDS & set(arguments)):
            yield Text(f"  {name_of(row)} {row['data']['tool']} {name}: {plain(str(arguments[name]))}")


def _calls(rows: Sequence[Row]) -> Iterator[Row]:
    return (row for row in of_kind(rows, "tool.called") if reporting.WORDS & set(row["data"]["arguments"]))


def _graded(one: bundle.StoredCase) -> Iterator[Text]:
    yield Text()
    verdict = one.verdict
    if verdict.broken is not None:
        yield Text(plain(f"broke: {verdict.broken}"), style="red")
    for reason in reasons(verdict) if not verdict.passed else ():
        yield Text.assemble(f"{reason.family.capitalize()} ", (reason.check, "bold red"))
        yield Text(f"  expected {plain(reason.expected)}")
        yield Text(f"  seen     {plain(reason.seen)}")
        for name, line in reason.rows:
            yield Text(f"    {name}  {plain(line)}".rstrip(), style="dim")


def _asked(ask: Ask, ungraded: Sequence[str], *, agrees: bool) -> Saying:
    told = ask(f"about (of {', '.join(ungraded)}; empty: the grade): ")
    about = tuple(one for one in (part.strip() for part in told.split(",")) if one in ungraded)
    note = ask("note: ").strip()
    while not agrees and not note:
        note = ask("who disagrees says why: ").strip() or "no reason was given"
    return Saying(agrees, about, note)


def _say(folder: Path, one: bundle.StoredCase, who: Reviewer, saying: Saying) -> None:
    bundle.say(
        folder,
        said.line(
            Remark(
                index=one.index,
                scenario=one.verdict.scenario,
                seed=one.verdict.seed,
                passed=one.verdict.passed,
                agrees=saying.agrees,
                about=saying.about,
                note=saying.note,
                by=who.by,
                model=who.model,
                at=clock.now().isoformat(),
            )
        ),
    )


def _kept(stored: bundle.StoredBundle) -> tuple[set[int], list[int]]:
    """The runs that there is something to review of, and the order: failed ones first."""
    kept: dict[int, bool] = {}
    for one in stored.cases():
        if reporting.wrote(one):
            kept[one.index] = one.verdict.passed
    return set(kept), sorted(kept, key=lambda index: (kept[index], index))


def _print_how_far(folder: Path, kept: set[int], out: Console) -> None:
    for line in sentences.review(said.review(said.parsed(bundle.heard(folder)), kept)):
        out.print(Text(plain(line)), soft_wrap=True)
