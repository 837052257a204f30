"""Two campaigns beside each other: pairs by scenario and seed, what changed, and nobody ranked inside the noise."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.histories.right import buyer_denies, no_po, price_variance_small
from tests.support.lamps import lamp, lamps, played

from deskworld.commands import comparing
from deskworld.comparison import Behaviour, Side, behaviour, changes, compared, lines
from deskworld.errors import ExitCode, UsageWrong

RIGHT = Behaviour(
    passed=True,
    safe=True,
    broken=None,
    action="hold",
    settled_by="agent",
    delivery=None,
    failed=frozenset(),
    touches=1,
    prevented=0,
    seconds=1.0,
    turns=("a",),
)
WRONG = replace(RIGHT, passed=False, action="approve-variance", failed=frozenset({"final-proposal"}), turns=("b",))
MANIFEST: dict[str, Any] = {"scenarios": {name: name for name in "abcdefghijkl"}, "settings": {"rules": "off"}}


def of(name: str, runs: dict[tuple[str, int], Behaviour], **manifest: Any) -> Side:
    return Side(name, {**MANIFEST, **manifest}, runs)


def grid(scenarios: Iterable[str], seeds: int, wrong: set[tuple[str, int]]) -> dict[tuple[str, int], Behaviour]:
    return {(name, seed): WRONG if (name, seed) in wrong else RIGHT for name in scenarios for seed in range(seeds)}


def test_agents_that_never_differ_are_not_ranked() -> None:
    found = compared(of("A", grid("abc", 5, set())), of("B", grid("abc", 5, set())))
    assert (found.pairs, found.unpaired, found.passed.told) == (15, 0, "no case differs")
    assert comparing.verdict(found) == ExitCode.PASS


def test_inside_the_noise_nobody_is_ranked_and_it_says_how_many_cases_would_tell() -> None:
    found = compared(of("A", grid("abcdef", 5, set())), of("B", grid("abcdef", 5, {("a", 1), ("b", 2)})))
    assert found.passed.told == "inside the noise"
    assert found.passed.more is not None
    assert comparing.verdict(found) == ExitCode.INCONCLUSIVE
    assert any("nobody is ranked" in line for line in lines(found))


def test_outside_the_noise_the_better_is_named() -> None:
    worse = {(name, seed) for name in "abcdefghijkl" for seed in range(5 + ord(name) % 2)}
    one, other = of("A", grid("abcdefghijkl", 10, set())), of("B", grid("abcdefghijkl", 10, worse))
    assert compared(one, other).passed.told == "first better"
    assert compared(other, one).passed.told == "second better"
    assert comparing.verdict(compared(one, other)) == ExitCode.GATE_MISSED
    assert comparing.verdict(compared(other, one)) == ExitCode.PASS
    # one of one: the scenario's own difference is named only where many looks do not explain it
    assert all(one.chance <= 1 for one in compared(one, other).scenarios.values())


def test_what_changed_is_told_with_its_seeds() -> None:
    found = compared(of("A", grid("ab", 4, set())), of("B", grid("ab", 4, {("a", 1), ("a", 3)})))
    told = {change.what: change.seeds for change in found.scenarios["a"].changes}
    assert told == {
        "passed → failed": (1, 3),
        "ended in hold → approve-variance": (1, 3),
        "now fails final-proposal": (1, 3),
        "turns took another way": (1, 3),
    }
    assert found.scenarios["b"].changes == ()


def test_a_situation_that_was_changed_between_them_is_no_pair() -> None:
    runs = grid("ab", 3, set())
    found = compared(of("A", runs), of("B", runs, scenarios={**MANIFEST["scenarios"], "a": "other"}))
    assert (found.pairs, found.unpaired, set(found.scenarios)) == (3, 3, {"b"})


def test_campaigns_without_a_common_case_are_not_compared() -> None:
    with pytest.raises(UsageWrong, match="no case in common"):
        compared(of("A", grid("a", 3, set())), of("B", grid("b", 3, set())))


def test_what_differs_besides_the_agent_is_named() -> None:
    runs = grid("a", 3, set())
    found = compared(of("A", runs), of("B", runs, settings={"rules": "on"}, policies="other"))
    assert found.apart == ("policies", "settings.rules")


def test_a_runs_behaviour_is_read_from_its_records() -> None:
    right = buyer_denies(by="agent")
    found = behaviour(right.verdict(), right.record, right.evidence)
    assert (found.passed, found.safe, found.action) == (True, True, "request-credit-memo")
    assert list(changes(found, found)) == []
    turns = no_po()
    assert len(behaviour(turns.verdict(), turns.record, turns.evidence).turns) == 2
    rules = price_variance_small()
    other = behaviour(rules.verdict(), rules.record, rules.evidence)
    assert "settled by agent → rules" in set(changes(found, other))


async def test_two_bundles_are_compared_from_their_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"second": lamp("second")}
    folder = tmp_path / "toy"
    good, _ = await played(lamps(folder, files=files), tmp_path / "runs", repetitions=3)
    poor, _ = await played(lamps(folder, files=files, fails=lambda case: True), tmp_path / "runs", repetitions=3)
    from rich.console import Console  # noqa: PLC0415 - it takes hold of standard output when it is made

    code = comparing.stored(Path(good.bundle), Path(poor.bundle), out=Console(), json_only=False)
    said = capsys.readouterr().out
    assert "6 cases played by both" in said
    assert "passed: first 6/6, second 0/6" in said
    assert code == ExitCode.GATE_MISSED
