"""What a new outcome does to the exceptions that stand."""

from decimal import Decimal

from deskworld_erp.invoicing.rules.reconcile import NO_LONGER, Raised, Standing, reconcile
from deskworld_erp.invoicing.rules.values import Finding, Outcome, Reason, Status

D = Decimal

QTY = Finding(Reason.QTY_OVER_RECEIPT, "400 over", (1,), D("400.00"))
LESS = Finding(Reason.QTY_OVER_RECEIPT, "200 over", (1,), D("200.00"))
PRICE = Finding(Reason.PRICE_VARIANCE, "dear", (1,), D("40.00"))
DUPLICATE = Finding(Reason.DUPLICATE, "twice", (), D("1000.00"))


def outcome(*findings: Finding, masked: tuple[Finding, ...] = (), ended_by: Reason | None = None) -> Outcome:
    return Outcome(findings, masked, ended_by, D("0.00"), {}, {})


def standing(finding: Finding, *, held: bool = False, masked: tuple[tuple[str, Finding], ...] = ()) -> Standing:
    return Standing(f"id-{finding.reason}", finding, masked, held)


def test_a_finding_without_an_open_exception_raises_one() -> None:
    changes = reconcile([], outcome(QTY))
    assert changes.raised == (Raised(QTY, ()),)
    assert (changes.status, changes.exceptions_changed) == (Status.EXCEPTION, True)


def test_nothing_found_and_nothing_open_is_a_match() -> None:
    changes = reconcile([], outcome())
    assert (changes.status, changes.exceptions_changed) == (Status.MATCHED, False)


def test_what_is_found_again_stays_as_it_is() -> None:
    changes = reconcile([standing(QTY)], outcome(QTY))
    assert (changes.status, changes.exceptions_changed) == (Status.EXCEPTION, False)


def test_an_exception_that_no_longer_holds_is_resolved() -> None:
    changes = reconcile([standing(QTY), standing(PRICE)], outcome(PRICE))
    assert [one.id for one in changes.resolved] == ["id-QTY_OVER_RECEIPT"]
    assert changes.status is Status.EXCEPTION
    assert reconcile([standing(QTY)], outcome()).status is Status.MATCHED


def test_a_smaller_gap_updates_the_open_exception() -> None:
    assert reconcile([standing(QTY)], outcome(LESS)).updated == ((standing(QTY), Raised(LESS, ())),)


def test_a_held_exception_stays_open_until_a_person_decides() -> None:
    held = standing(QTY, held=True)
    changes = reconcile([held], outcome())
    assert (changes.resolved, changes.status) == ((), Status.ON_HOLD)
    ((_, now),) = changes.updated
    assert (now.finding.summary, now.finding.amount, now.finding.lines) == (NO_LONGER, D("0.00"), ())
    again = Standing(held.id, now.finding, (), held=True)
    assert not reconcile([again], outcome()).exceptions_changed


def test_masked_findings_stand_beside_the_one_that_ended_the_match() -> None:
    ended = outcome(DUPLICATE, masked=(QTY,), ended_by=Reason.DUPLICATE)
    changes = reconcile([], ended)
    assert changes.raised == (Raised(DUPLICATE, (QTY,)),)
    known = standing(DUPLICATE, masked=(("m", QTY),))
    assert not reconcile([known], ended).exceptions_changed
    assert reconcile([known], outcome(DUPLICATE, ended_by=Reason.DUPLICATE)).updated
