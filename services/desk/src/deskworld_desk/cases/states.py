"""The states of a case and every transition there is."""

from enum import StrEnum


class State(StrEnum):
    INVESTIGATING = "INVESTIGATING"
    AWAITING_ANSWER = "AWAITING_ANSWER"
    AWAITING_DECISION = "AWAITING_DECISION"
    DECIDED = "DECIDED"
    ON_HOLD = "ON_HOLD"
    NEEDS_PERSON = "NEEDS_PERSON"
    RESOLVED = "RESOLVED"


class IllegalTransition(Exception):
    def __init__(self, before: State, after: State) -> None:
        super().__init__(f"a case does not go from {before} to {after}")


_S = State
TRANSITIONS: dict[State, frozenset[State]] = {
    _S.INVESTIGATING: frozenset({_S.AWAITING_ANSWER, _S.AWAITING_DECISION, _S.ON_HOLD, _S.NEEDS_PERSON, _S.RESOLVED}),
    _S.AWAITING_ANSWER: frozenset({_S.INVESTIGATING, _S.AWAITING_DECISION, _S.NEEDS_PERSON, _S.RESOLVED}),
    _S.AWAITING_DECISION: frozenset({_S.DECIDED, _S.INVESTIGATING, _S.NEEDS_PERSON, _S.RESOLVED}),
    # DECIDED to INVESTIGATING: the ERP refused the command
    _S.DECIDED: frozenset({_S.ON_HOLD, _S.INVESTIGATING, _S.NEEDS_PERSON, _S.RESOLVED}),
    _S.ON_HOLD: frozenset({_S.INVESTIGATING, _S.AWAITING_DECISION, _S.NEEDS_PERSON, _S.RESOLVED}),
    _S.NEEDS_PERSON: frozenset({_S.INVESTIGATING, _S.AWAITING_DECISION, _S.RESOLVED}),
    _S.RESOLVED: frozenset(),
}

# nothing that comes from outside starts the agent on these
AT_REST = frozenset({_S.RESOLVED, _S.NEEDS_PERSON})
# what a reply or an answer may undo
WAKES = frozenset({_S.AWAITING_ANSWER, _S.ON_HOLD})


def check_transition(before: State, after: State) -> None:
    if after not in TRANSITIONS[before]:
        raise IllegalTransition(before, after)
