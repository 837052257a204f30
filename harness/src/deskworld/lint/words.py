"""What people say is in the case, and what they will answer is not in what the agent reads before it asks."""

import re
from collections.abc import Iterator, Sequence

from deskworld.values.case import Case
from deskworld.values.marker import holds
from deskworld.values.scenario import Scenario

NUMBER = re.compile(r"\d[\d.,]*\d|\d")
WORDS = 4
"""So many words in a row are a sentence that could be recognised."""
Said = tuple[str, str]


def numbers(cases: Sequence[Case]) -> Iterator[Said]:
    """A person may not name a figure that the case does not hold."""
    for case in cases:
        known = case.model_dump_json(include={"situation", "words"})
        for name, sentence in _spoken(case):
            for number in NUMBER.findall(sentence):
                if number not in known:
                    yield "people", f"{name}: {sentence!r} names {number}, which is not in the case"
                    return


def leaks(scenario: Scenario, cases: Sequence[Case]) -> Iterator[Said]:
    """Neither the scenario's name, nor what is accepted, nor an answer stands in what the ERP is given."""
    names = {scenario.name} | {one.action for one in scenario.accept if one.action and "-" in one.action}
    found: dict[str, None] = {}
    for case in cases:
        for name in sorted(names):
            if "-" in name and holds(case.situation, name):
                found.setdefault(f"{name!r} stands in what the agent can read")
        for who, sentence in _spoken(case):
            if len(sentence.split()) >= WORDS and holds(case.situation, sentence):
                found.setdefault(f"what the {who} will answer stands in what the agent can read: {sentence!r}")
    yield from (("seed", what) for what in found)


def _spoken(case: Case) -> Iterator[tuple[str, str]]:
    for name, part in case.script.items():
        for sentence in (*part.says.said, *(decline.words for decline in part.declines)):
            yield name, sentence
