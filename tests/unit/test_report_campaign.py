"""What a campaign came to: exact counts, each reason once, and text from outside that does nothing."""

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console
from tests.support.histories.altering import altered, rows
from tests.support.histories.right import RIGHT, bank_change_fraud, price_variance_small

from deskworld import acceptance, catalogue, report
from deskworld.errors import UsageWrong
from deskworld.report import plots
from deskworld.report.failures import reasons
from deskworld.report.plain import in_markdown, plain
from deskworld.report.sentences import worst
from deskworld.values.campaign import BaselineSummary, Campaign, Settings
from deskworld.values.gates import Gates
from deskworld.values.verdict import Finding, Verdict
from deskworld.worlds import AP

CATALOGUE = catalogue.load_all(AP.scenarios)


def wrong(seed: int = 7) -> Verdict:
    def uncited(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "proposal.made")[0]["data"]["citations"] = []

    return altered(price_variance_small(seed=seed), uncited).verdict()


def broken() -> Verdict:
    played = price_variance_small()
    record = played.record.model_copy(update={"ending": "failed", "settled": None, "problem": "the desk went away"})
    return type(played)(played.case, record, played.evidence).verdict()


def summarised(*verdicts: Verdict) -> Campaign:
    assessment = acceptance.assess(Settings(), verdicts, catalogue=CATALOGUE, asked=Gates(), scripted=True)
    return report.summarise(
        Settings(),
        verdicts,
        stack="s1",
        bundle="runs/x",
        wall=12.3456,
        world=AP,
        catalogue=CATALOGUE,
        assessment=assessment,
    )


def printed(*verdicts: Verdict) -> str:
    out = io.StringIO()
    report.print_campaign(summarised(*verdicts), verdicts, Console(file=out, width=200))
    return out.getvalue()


@pytest.mark.parametrize("name", RIGHT)
def test_each_check_that_counts_against_a_run_is_shown_and_no_other(name: str) -> None:
    right = RIGHT[name]().verdict()
    assert reasons(right) == ()
    found = Finding(expected="this", seen="that")
    for place, check in enumerate(right.checks):
        failed = check.model_copy(update={"findings": (found,)})
        verdict = right.model_copy(
            update={"passed": False, "checks": (*right.checks[:place], failed, *right.checks[place + 1 :])}
        )
        assert not verdict.family(check.family)
        assert [(one.family, one.check) for one in reasons(verdict)] == [(check.family, check.name)]


def test_the_object_is_the_published_one() -> None:
    made = json.loads(report.as_json(summarised(price_variance_small().verdict(), wrong(8))))
    assert list(made) == [
        "schema",
        "label",
        "stack",
        "agent",
        "rules",
        "seed",
        "runs",
        "passed",
        "failed",
        "infrastructure",
        "wall_seconds",
        "solo_seconds",
        "acceptance",
        "exit_code",
        "overall",
        "gates",
        "bugs",
        "ungraded",
        "not_covered",
        "shared",
        "resumed",
        "held_out",
        "baselines",
        "bundle",
        "scenarios",
    ]
    assert made["schema"] == "deskworld/campaign/1"
    assert (made["runs"], made["passed"], made["failed"], made["infrastructure"]) == (2, 1, 1, 0)
    assert made["acceptance"] == "REJECTED"
    scenario = made["scenarios"]["price-variance-small"]
    assert list(scenario) == [
        "category",
        "split",
        "role",
        "runs",
        "passed",
        "interval",
        "checks",
        "settled_by",
        "actions",
        "delivery",
        "touches",
        "seconds",
    ]
    assert scenario["checks"] == {"correct": 2, "evidence": 1, "safe": 2, "routed": 2}
    assert scenario["settled_by"] == {"rules": 2}
    assert scenario["delivery"] == {}
    assert scenario["touches"] == 1.0
    assert scenario["seconds"] == {"p50": 0.2, "p95": 0.2}


def test_delivery_is_counted_for_attacks() -> None:
    made = summarised(bank_change_fraud().verdict())
    assert made.scenarios["bank-change-fraud"].delivery == {"stopped by the desk": 1}


def test_all_passed_asks_for_a_review_and_never_says_approved() -> None:
    assert summarised(price_variance_small().verdict()).acceptance == "REVIEW_REQUIRED"


def test_a_broken_run_stays_in_the_denominator() -> None:
    made = summarised(price_variance_small().verdict(), broken())
    assert (made.runs, made.passed, made.failed, made.infrastructure) == (2, 1, 1, 1)
    assert made.scenarios["price-variance-small"].checks["correct"] == 2


def test_zero_runs_is_an_error() -> None:
    with pytest.raises(UsageWrong, match="nothing was run"):
        summarised()


def test_the_table_has_a_row_for_every_scenario() -> None:
    text = printed(*(right().verdict() for right in RIGHT.values()))
    for name in ("price-variance-small", "duplicate", "no-po", "bank-change-fraud", "buyer-denies"):
        assert f"\n{name}" in text
    assert "passed 9/9 (100.0 %) · REVIEW_REQUIRED" in text
    assert "not graded: rationales, amounts in words, wording, usefulness" in text
    assert "9 runs of 5 situations" in text
    assert "1 of 1 proves a rate above 20.6 %" in text


def test_a_reason_that_runs_share_is_told_once_with_their_number() -> None:
    text = printed(price_variance_small().verdict(), *(wrong(seed) for seed in range(1, 9)))
    assert text.count("cites-every-fact") == 2  # once for each of the two facts
    assert "price-variance-small · 8 of 9 runs (seeds 1, 2, 3, 4, 5, 6, …) · our system" in text
    assert "expected a citation of the order" in text
    assert "seen     it cites nothing" in text
    assert "proposal.made" in text  # the row of the timeline that shows it
    assert re.search(r"price-variance-small +1/9 .* ✓ +1 +✓ +✓ +rules", text)


def test_a_run_that_broke_says_what_broke() -> None:
    text = printed(broken())
    assert "broke: failed: the desk went away" in text
    assert "1 of the failed by infrastructure" in text


def test_failures_that_nobody_classified_stand_beside_the_rate() -> None:
    verdict = wrong().model_copy(update={"cause": "unclassified"})
    assert "1 failure is not classified yet" in printed(verdict)
    assert "2 failures are not classified yet" in printed(verdict, verdict)


def test_failures_of_different_kinds_stand_apart_the_most_frequent_first() -> None:
    found = report.failures([broken(), wrong(1), wrong(2), price_variance_small().verdict()])
    assert [(one.count, one.broken is None) for one in found] == [(2, True), (1, False)]


def test_a_run_without_any_check_says_that_nothing_was_checked() -> None:
    verdict = price_variance_small().verdict().model_copy(update={"passed": False, "checks": (), "cause": "scorer"})
    [failure] = report.failures([verdict])
    assert {reason.check for reason in failure.reasons} == {"no-check"}


EVIL = "[bold]</b>\x1b[31mred\u202e |pipe| <script>alert(1)</script> [x](http://y) `code`"


def test_text_from_outside_does_nothing_in_a_terminal() -> None:
    verdict = wrong()
    finding = verdict.checks[4].findings[0].model_copy(update={"seen": EVIL})
    check = verdict.checks[4].model_copy(update={"findings": (finding,)})
    text = printed(verdict.model_copy(update={"checks": (check,)}))
    assert "\x1b[31m" not in text
    assert "\\u001b[31mred\\u202e" in text
    assert "[bold]</b>" in text


def test_text_from_outside_does_nothing_on_a_page() -> None:
    verdict = wrong()
    finding = verdict.checks[4].findings[0].model_copy(update={"seen": EVIL})
    check = verdict.checks[4].model_copy(update={"findings": (finding,)})
    page = report.markdown(summarised(verdict), [verdict.model_copy(update={"checks": (check,)})])
    for live in ("<script>", "[x](http", "\x1b", "\u202e", "`code`"):
        assert live not in page


def test_the_page_tells_the_same_as_the_table() -> None:
    page = report.markdown(summarised(price_variance_small().verdict(), wrong()), [wrong()])
    assert page.startswith("# campaign: passed 1/2 (50.0 %) · REJECTED")
    assert "| price-variance-small | 1/2 |" in page
    assert "## Why runs failed" in page
    assert "cites-every-fact" in page


def test_a_page_without_failures_has_no_such_part() -> None:
    verdict = price_variance_small().verdict()
    assert "Why runs failed" not in report.markdown(summarised(verdict), [verdict])


@pytest.mark.parametrize("text", ["plain", "ümläut", "日本語", "a–b"])
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_what_marks_up_is_escaped() -> None:
    assert in_markdown("a*b_c <d> & e") == "a\\*b\\_c &lt;d&gt; &amp; e"
    assert plain("\ud83d") == "\\ud83d"
    assert plain("\U000e0001") == "\\U000e0001"


def test_a_baseline_and_what_a_reader_must_know_stand_beneath_the_rate() -> None:
    beside = BaselineSummary(
        bundle="b", agent="mute", rules="on", runs=4, passed=1, interval=(0.04, 0.7), contradicts={"duplicate": 1}
    )
    verdict = price_variance_small().verdict()
    made = summarised(verdict).model_copy(update={"baselines": {"rules alone": beside}, "shared": True})
    out = io.StringIO()
    report.print_campaign(made, [verdict], Console(file=out, width=200))
    for text in (out.getvalue(), report.markdown(made, [verdict])):
        assert "baseline rules alone on the same cases: 1/4" in text
        assert "contradicts duplicate 1" in text
        assert "somebody else's cases were open" in text
    assert "next: harness report runs/x --format html --to FILE; harness review runs/x" in out.getvalue()


def test_the_worst_cases_are_those_where_an_attack_was_obeyed_then_where_safe_failed() -> None:
    one = summarised(price_variance_small().verdict()).scenarios["price-variance-small"]

    def scenario(passed: int, safe: int, obeyed: int) -> Any:
        checks = {**one.checks, "safe": safe}
        more = {"runs": 4, "passed": passed, "checks": checks, "delivery": {"obeyed": obeyed} if obeyed else {}}
        return one.model_copy(update=more)

    scenarios = {
        "low": scenario(0, 4, 0),
        "unsafe": scenario(2, 2, 0),
        "obeyed": scenario(3, 3, 1),
        "fine": scenario(4, 4, 0),
    }
    made = summarised(price_variance_small().verdict()).model_copy(update={"scenarios": scenarios})
    assert [line.partition(":")[0] for line in worst(made, 5)] == ["obeyed", "unsafe", "low"]
    assert len(worst(made, 2)) == 2


@pytest.mark.parametrize("seconds", [[0.2] * 5, [0.001, 0.2, 40.0], [0.0], [1.0, 1.1, 1.2, 3.0]])
def test_bars_of_times_hold_every_run_and_stay_in_their_box(seconds: list[float]) -> None:
    found = plots.times(seconds)
    assert found is not None
    assert sum(bar.count for bar in found.bars) == len(seconds)
    assert max(bar.height for bar in found.bars) == 100
    assert all(bar.left >= 0 and bar.left + bar.width <= plots.WIDTH for bar in found.bars)
    assert list(found.axis) == sorted(found.axis)
    assert plots.times([]) is None
