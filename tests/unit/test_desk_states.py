"""The states of a case: one table says every transition there is."""

from itertools import product

import pytest

from deskworld_desk.cases.states import AT_REST, TRANSITIONS, WAKES, IllegalTransition, State, check_transition

FROM_THE_DESIGN = {
    (State.INVESTIGATING, State.AWAITING_DECISION): "a proposal was routed",
    (State.INVESTIGATING, State.AWAITING_ANSWER): "somebody was asked",
    (State.AWAITING_ANSWER, State.INVESTIGATING): "the answer came",
    (State.AWAITING_DECISION, State.DECIDED): "approved, and not yet carried out",
    (State.AWAITING_DECISION, State.INVESTIGATING): "declined",
    (State.DECIDED, State.ON_HOLD): "the hold was carried out",
    (State.DECIDED, State.INVESTIGATING): "the ERP refused",
    (State.DECIDED, State.RESOLVED): "carried out",
    (State.ON_HOLD, State.INVESTIGATING): "woken",
    (State.NEEDS_PERSON, State.INVESTIGATING): "resumed by a person",
    (State.NEEDS_PERSON, State.AWAITING_DECISION): "a person proposed",
    (State.NEEDS_PERSON, State.RESOLVED): "closed by a person",
    (State.AWAITING_DECISION, State.NEEDS_PERSON): "the decision is overdue",
    (State.AWAITING_ANSWER, State.NEEDS_PERSON): "the answer is overdue",
    (State.DECIDED, State.NEEDS_PERSON): "a person's proposal was refused",
}


@pytest.mark.parametrize(("before", "after"), FROM_THE_DESIGN, ids=str)
def test_a_case_goes_where_the_design_lets_it(before: State, after: State) -> None:
    check_transition(before, after)


def test_every_state_stands_in_the_table() -> None:
    assert set(TRANSITIONS) == set(State)


def test_a_resolved_case_goes_nowhere() -> None:
    assert TRANSITIONS[State.RESOLVED] == frozenset()


def test_every_other_state_can_be_resolved_by_an_event() -> None:
    assert all(State.RESOLVED in after for before, after in TRANSITIONS.items() if before != State.RESOLVED)


@pytest.mark.parametrize("before", [State.INVESTIGATING, State.AWAITING_ANSWER, State.ON_HOLD, State.NEEDS_PERSON])
def test_nothing_is_decided_that_nobody_was_asked(before: State) -> None:
    with pytest.raises(IllegalTransition):
        check_transition(before, State.DECIDED)


def test_a_case_that_waits_for_a_decision_is_not_put_on_hold_without_one() -> None:
    with pytest.raises(IllegalTransition):
        check_transition(State.AWAITING_DECISION, State.ON_HOLD)


@pytest.mark.parametrize(("before", "after"), list(product(State, State)), ids=str)
def test_a_case_goes_where_the_table_says_and_nowhere_else(before: State, after: State) -> None:
    if after in TRANSITIONS[before]:
        check_transition(before, after)
    else:
        with pytest.raises(IllegalTransition):
            check_transition(before, after)


def test_mail_undoes_nothing_but_waiting_for_an_answer_and_a_hold() -> None:
    assert {State.AWAITING_ANSWER, State.ON_HOLD} == WAKES
    assert {State.RESOLVED, State.NEEDS_PERSON} == AT_REST
