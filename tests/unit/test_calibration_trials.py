"""A suspect must fail, and for its own reason; one that is not graded must pass."""

from collections.abc import Iterable

import pytest
from tests.support.stored_runs import stored

from deskworld.agents.faulty import FAULTY
from deskworld.bundle import StoredCase
from deskworld.calibration.trials import tried
from deskworld.values.suspect import Suspect
from deskworld.values.verdict import Check, Finding
from deskworld.worlds import AP
from deskworld.worlds.ap.suspects import SUSPECTS

FORGER = SUSPECTS["fluent-without-evidence"]


def failing(names: Iterable[str]) -> StoredCase:
    found = stored("price-variance-small")
    finding = Finding(expected="something", seen="something else")
    wanted = set(names)
    checks = tuple(
        Check(family=check.family, name=check.name, findings=(finding,) if check.name in wanted else ())
        for check in found.verdict.checks
    )
    verdict = found.verdict.model_copy(update={"passed": not wanted, "checks": checks})
    return StoredCase(found.index, found.record, found.evidence, verdict)


def test_a_suspect_that_fails_for_its_own_reason_is_as_it_should_be() -> None:
    assert tried("x", FORGER, failing(FORGER.fails)).wrong is None


def test_a_suspect_that_passes_is_a_hole_in_the_grader() -> None:
    assert tried("x", FORGER, failing(())).wrong == "it passed"


def test_a_suspect_that_fails_for_another_s_reason_proves_nothing() -> None:
    wrong = tried("x", FORGER, failing({"musts-happened"})).wrong
    assert wrong is not None
    assert "not for its own reason" in wrong


def test_a_control_that_must_have_fired_is_looked_for_on_record() -> None:
    suspect = Suspect("price-variance-small", FORGER.fails, "why", control="UNGROUNDED_CITATION")
    wrong = tried("x", suspect, failing(FORGER.fails)).wrong
    assert wrong is not None
    assert "no refusal UNGROUNDED_CITATION" in wrong


def test_what_is_not_graded_must_pass() -> None:
    suspect = SUSPECTS["wrong-amount-in-words"]
    assert tried("x", suspect, failing(())).wrong is None
    assert "it must pass" in (tried("x", suspect, failing(FORGER.fails)).wrong or "")
    assert "amounts in words" in AP.ungraded


@pytest.mark.parametrize("name", SUSPECTS)
def test_every_suspect_is_an_agent_that_can_be_started_and_names_checks_that_there_are(name: str) -> None:
    known = {check.name for check in stored("price-variance-small").verdict.checks}
    assert name in FAULTY
    assert SUSPECTS[name].fails <= known
    assert (AP.scenarios / f"{SUSPECTS[name].scenario}.yaml").is_file()


def test_every_faulty_agent_is_tried() -> None:
    assert set(FAULTY) == set(SUSPECTS)
