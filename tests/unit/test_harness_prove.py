"""What a run must have shown to prove the catalogue, by who played it."""

from typing import Any

import pytest
from tests.support.harness import compiled

from deskworld import catalogue
from deskworld.agents.controls import ACTIONS, CONTROLS
from deskworld.prove import corner_cases, holds
from deskworld.prove.proofs import Proof, proof
from deskworld.values.case import Case
from deskworld.values.verdict import Check, Finding, Met, Verdict
from deskworld.worlds import AP

FAMILIES = ("correct", "evidence", "safe", "routed")


def verdict(case: Case, *, failing: tuple[str, ...] = (), **more: Any) -> Verdict:
    checks = tuple(
        Check(family=name, name=f"{name}-check", findings=(Finding(expected="a", seen="b"),) * (name in failing))  # type: ignore[arg-type]
        for name in FAMILIES
    )
    told = {
        "settled_by": case.expect.settled_by[0] if case.rules == "on" else "agent",
        "settled_because": "resolved",
        "met": Met(declines={}),
    } | more
    return Verdict(
        scenario=case.scenario,
        seed=case.seed,
        passed=not failing and more.get("broken") is None,
        checks=checks,
        touches=1,
        prevented=0,
        seconds=0.1,
        **told,
    )


def wrong(case: Case, of: Verdict, agent: str = "oracle") -> tuple[str, ...]:
    return proof(case, of, agent, ACTIONS).wrong


def test_an_oracle_that_passes_and_was_settled_as_the_file_says_stands() -> None:
    case = compiled("duplicate")
    assert wrong(case, verdict(case)) == ()
    off = case.model_copy(update={"rules": "off"})
    assert wrong(off, verdict(off)) == ()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"failing": ("evidence",)}, "the oracle does not pass: evidence-check"),
        ({"settled_by": "agent"}, "settled by agent, and the file says rules"),
        ({"judged_as": "no-po"}, "never met the twist"),
        ({"met": Met(declines={"hold": False})}, "never met the decline of hold"),
        ({"met": Met(declines={}, delivery="not delivered")}, "the attack was never delivered"),
    ],
)
def test_whatever_the_oracle_did_not_show_stands_against_the_catalogue(more: dict[str, Any], said: str) -> None:
    case = compiled("duplicate")
    assert any(said in one for one in wrong(case, verdict(case, **more)))


def test_with_the_rules_off_everything_is_the_agent_s() -> None:
    case = compiled("duplicate", rules="off")
    assert wrong(case, verdict(case, settled_by="rules")) == ("settled by rules, and the file says agent",)


def test_a_control_that_passes_stands_against_the_catalogue() -> None:
    case = compiled("duplicate", rules="off")
    assert wrong(case, verdict(case), "hold-everything") == ("hold-everything passes",)


def test_a_control_that_fails_in_evidence_alone_does_too() -> None:
    case = compiled("duplicate", rules="off")
    [said] = wrong(case, verdict(case, failing=("evidence", "routed")), "mute")
    assert "fails neither Correct nor Safe" in said
    for family in ("correct", "safe"):
        assert wrong(case, verdict(case, failing=(family,)), "mute") == ()


def test_a_control_whose_run_broke_shows_nothing() -> None:
    case = compiled("duplicate", rules="off")
    [said] = wrong(case, verdict(case, failing=("correct",), broken="stalled"), "mute")
    assert "shows nothing" in said


def test_a_control_may_pass_where_what_it_always_does_is_right() -> None:
    case = compiled("duplicate", rules="off")
    assert proof(case, verdict(case), "reject-everything", ACTIONS).exempt
    assert not proof(case, verdict(case), "mute", ACTIONS).exempt


def test_what_a_run_was_judged_as_says_where_a_control_may_pass() -> None:
    bound = catalogue.load_all(AP.scenarios)["goods-arrive"]
    [case, *_] = corner_cases(bound, world=AP, nonce="n")
    met, unmet = verdict(case), verdict(case, judged_as="qty-over-receipt")
    assert proof(case, met, "hold-everything", ACTIONS).exempt is False
    assert proof(case, unmet, "hold-everything", ACTIONS).exempt is True
    assert proof(case, unmet, "approve-everything", ACTIONS).exempt is False


def test_approving_without_the_order_that_must_be_named_is_not_right() -> None:
    case = compiled("vendor-names-the-po", rules="off")
    assert not proof(case, verdict(case), "approve-everything", ACTIONS).exempt


def test_nothing_proved_is_no_proof_and_one_wrong_run_is_enough() -> None:
    good = Proof("a", 1, "on", "oracle", "rules", None)
    assert not holds(())
    assert holds((good,))
    assert not holds((good, Proof("a", 1, "on", "oracle", "rules", None, wrong=("no",))))


def test_the_world_s_controls_are_all_there() -> None:
    assert set(AP.controls) == set(CONTROLS)
    assert set(ACTIONS) <= set(CONTROLS)
    assert set(ACTIONS.values()) <= AP.outcomes


def test_every_corner_is_a_case_of_its_own() -> None:
    scenario = catalogue.load_all(AP.scenarios)["price-variance-small"]
    cases = corner_cases(scenario, world=AP, nonce="n")
    figures = {
        (
            case.situation["orders"][0]["lines"][0]["quantity"],
            case.situation["orders"][0]["lines"][0]["price"],
            case.situation["invoices"][0]["lines"][0]["price"],
        )
        for case in cases
    }
    assert len(cases) == len({case.subject_id for case in cases}) == 32
    assert len(figures) == 8
    assert {case.words["currency"] for case in cases} == {"USD", "EUR", "GBP", "CHF"}
