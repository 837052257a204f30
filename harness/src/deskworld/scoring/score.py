"""One run's verdict. Fails closed: what broke, what was not heard and what could not be checked never passes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deskworld.scoring.broken import Broken, broken, cause_of
from deskworld.scoring.counts import prevented, touches
from deskworld.scoring.delivery import met, twist_met
from deskworld.scoring.last_proposal import last_proposal
from deskworld.scoring.settled_by import settled_by
from deskworld.scoring.told import told
from deskworld.scoring.usage import usage
from deskworld.scoring.witnesses import missing
from deskworld.values.case import Case
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import FAMILIES, Check, Finding, Met, Usage, Verdict

CheckOf = Callable[[Case, Record, Evidence], Check]

# what a reader meets in evidence that does not have the form of the page of doors
MISSHAPEN = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


NOTHING_MET = Met(declines={})


@dataclass(frozen=True, slots=True)
class _Measured:
    settled_by: str | None = None
    action: str | None = None
    met: Met = NOTHING_MET
    touches: int = 0
    prevented: int = 0
    usage: tuple[Usage, ...] = ()
    told: dict[str, str] = field(default_factory=dict)


def score(case: Case, record: Record, evidence: Evidence | None, checks: Sequence[CheckOf]) -> Verdict:
    """`case` says what is expected. Where its twist was never met, the plain situation's expectations count."""
    judged = _judged(case, record, evidence)
    found, done, measured = _judge(judged, record, evidence, checks)
    passed = found is None and all(_passes(done, family) for family in FAMILIES)
    return Verdict(
        scenario=record.case.scenario,
        seed=record.case.seed,
        passed=passed,
        checks=done,
        broken=found.why if found else None,
        cause=None if passed else found.cause if found else cause_of(done, measured.settled_by),
        settled_because=record.settled.because if record.settled else None,
        settled_by=measured.settled_by,
        action=measured.action,
        judged_as=case.expect.unless_met if judged is not case else None,
        met=measured.met,
        touches=measured.touches,
        prevented=measured.prevented,
        seconds=record.seconds,
        usage=measured.usage,
        told=measured.told,
    )


def _judged(case: Case, record: Record, evidence: Evidence | None) -> Case:
    """A twist counts as met where that cannot be told: then the run fails by what is missing."""
    otherwise = case.expect.otherwise
    if otherwise is None or evidence is None or record.seeded is None:
        return case
    try:
        met_it = twist_met(record, evidence)
    except MISSHAPEN:
        return case
    return case if met_it else case.model_copy(update={"expect": otherwise})


def _judge(
    case: Case, record: Record, evidence: Evidence | None, checks: Sequence[CheckOf]
) -> tuple[Broken | None, tuple[Check, ...], _Measured]:
    found: Broken | None = None
    done: tuple[Check, ...] = ()
    try:
        found = broken(record, evidence)
        if evidence is None or missing(record, evidence) is not None:
            return found, (), _Measured()
        done = tuple(_carried_out(check, case, record, evidence) for check in checks)
        return found, done, _measure(record, evidence, done)
    except MISSHAPEN as error:
        misshapen = f"the evidence does not have its form: {type(error).__name__}: {error}"
        return found or Broken(misshapen, "infrastructure"), done, _Measured()


def _carried_out(check: CheckOf, case: Case, record: Record, evidence: Evidence) -> Check:
    try:
        return check(case, record, evidence)
    except MISSHAPEN as error:
        finding = Finding(
            expected="records in which this can be looked up",
            seen=f"it could not be looked up: {type(error).__name__}: {error}",
        )
        name = getattr(check, "__name__", type(check).__name__).replace("_", "-")
        return Check(family="safe", name=name, findings=(finding,), cause="unclassified")


def _measure(record: Record, evidence: Evidence, done: tuple[Check, ...]) -> _Measured:
    timeline = evidence.of(record.seeded.case_id) if record.seeded else None
    return _Measured(
        settled_by=settled_by(timeline) if timeline and record.settled else None,
        action=last_proposal(timeline) if timeline else None,
        met=met(record, evidence, done),
        touches=touches(evidence),
        prevented=prevented(evidence, done),
        usage=usage(evidence),
        told=told(evidence, done),
    )


def _passes(done: tuple[Check, ...], family: str) -> bool:
    checks = [check for check in done if check.family == family]
    return bool(checks) and all(check.passed for check in checks)
