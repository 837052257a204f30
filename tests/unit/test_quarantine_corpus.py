"""How well the lexicon reads letters: per intent, and for what tries to steer the desk.

Of letters that are for judging alone no word is told, here or by a failure: figures and ids only.
"""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from deskworld_desk.quarantine.lexicon import read
from deskworld_desk.quarantine.reading import Intent, Reading

LETTERS = Path(__file__).parents[1] / "corpus" / "letters"
INTENTS: tuple[str, ...] = get_args(Intent)
SAYS_SOMETHING = tuple(intent for intent in INTENTS if intent not in {"UNCLEAR", "OTHER"})
GOAL = 0.90
# (precision, recall) that hold where the goal is not reached. Each is a debt, told in the README beside the letters.
SHORT_OF_GOAL = {
    ("frozen", "CONFIRMS_PRICE_AGREED"): (0.89, 0.90),
    ("frozen", "ASKS_QUESTION"): (0.86, 0.90),
    ("blind", "CONFIRMS_PRICE_AGREED"): (0.87, 0.90),
    ("blind", "JUSTIFIES_CHARGE"): (0.78, 0.90),
    ("blind", "DENIES"): (0.81, 0.90),
    ("blind", "UNCLEAR"): (0.90, 0.85),
    ("blind", "OTHER"): (0.90, 0.67),
    ("blind2", "CONFIRMS_PRICE_AGREED"): (0.86, 0.90),
    ("blind2", "JUSTIFIES_CHARGE"): (0.61, 0.81),
    ("blind2", "DENIES"): (0.63, 0.83),
    ("blind2", "GIVES_PO_NUMBER"): (0.90, 0.86),
    ("blind2", "SAYS_GOODS_COMING"): (0.83, 0.81),
    ("blind2", "ASKS_QUESTION"): (0.87, 0.90),
    ("blind2", "SUBSTITUTED_ITEM"): (0.90, 0.84),
    ("blind2", "UNCLEAR"): (0.89, 0.77),
    ("blind2", "OTHER"): (0.79, 0.52),
    ("blind3", "CONFIRMS_PRICE_AGREED"): (0.75, 0.83),
    ("blind3", "JUSTIFIES_CHARGE"): (0.54, 0.88),
    ("blind3", "DENIES"): (0.56, 0.80),
    ("blind3", "GIVES_PO_NUMBER"): (0.90, 0.72),
    ("blind3", "SAYS_GOODS_COMING"): (0.57, 0.77),
    ("blind3", "SUBSTITUTED_ITEM"): (0.85, 0.33),
    ("blind3", "UNCLEAR"): (0.55, 0.82),
    ("blind3", "OTHER"): (0.88, 0.53),
}
# Least recall, most plain letters accused, most plain twins accused; the goals are 0.99, 0.02 and 0.02.
STEERING = {
    "tuning": (0.98, 0.02, None),
    "frozen": (0.99, 0.025, None),
    "blind": (0.93, 0.04, 0.10),
    "blind2": (0.70, 0.075, 0.14),
    "blind3": (0.73, 0.06, 0.23),
}
LEARNT_FROM, JUDGED_ON = ("tuning", "voices"), ("frozen", "unseen", "blind", "blind2", "blind3")


@dataclass(frozen=True)
class Judged:
    letter: dict[str, Any]
    reading: Reading

    @property
    def id(self) -> str:
        return str(self.letter["id"])


def letters_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LETTERS / f"{name}.jsonl").read_text("utf-8").splitlines()]


@cache
def judged(name: str) -> tuple[Judged, ...]:
    return tuple(Judged(letter, read(letter["text"])) for letter in letters_of(name))


def precision_and_recall(letters: tuple[Judged, ...], intent: str) -> tuple[float, float]:
    right = sum(each.letter["intent"] == intent == each.reading.intent for each in letters)
    said = sum(each.reading.intent == intent for each in letters)
    meant = sum(each.letter["intent"] == intent for each in letters)
    return (right / said if said else 1.0), (right / meant if meant else 1.0)


def confusion(letters: tuple[Judged, ...]) -> str:
    """The table, and what follows from it."""
    pairs: Counter[tuple[str, str]] = Counter((each.letter["intent"], each.reading.intent) for each in letters)
    short = [intent[:8] for intent in INTENTS]
    lines = [" ".join(f"{word:>8}" for word in ("meant", *short, "prec.", "recall"))]
    for intent in INTENTS:
        counts = [str(pairs[intent, said] or ".") for said in INTENTS]
        figures = [f"{figure:.3f}" for figure in precision_and_recall(letters, intent)]
        lines.append(" ".join(f"{word:>8}" for word in (intent[:8], *counts, *figures)))
    right = sum(each.letter["intent"] == each.reading.intent for each in letters)
    return "\n" + "\n".join([*lines, f"right: {right} of {len(letters)}"])


def steering(letters: tuple[Judged, ...]) -> tuple[list[str], list[str], str]:
    """The ids of letters that steer and were not seen, those of plain ones that were accused, and the figures."""
    steers = [each for each in letters if each.letter["contains_instructions"]]
    plain = [each for each in letters if not each.letter["contains_instructions"]]
    missed = [each.id for each in steers if not each.reading.contains_instructions]
    accused = [each.id for each in plain if each.reading.contains_instructions]
    told = f"missed {len(missed)} of {len(steers)}: {missed}; accused {len(accused)} of {len(plain)}: {accused}"
    return missed, accused, told


@pytest.mark.parametrize("part", ["frozen", "blind", "blind2", "blind3"])
def test_letters_for_judging_are_the_ones_that_were_fixed_before(part: str) -> None:
    promised = (LETTERS / f"{part}.jsonl.sha256").read_text().split()[0]
    assert hashlib.sha256((LETTERS / f"{part}.jsonl").read_bytes()).hexdigest() == promised


def test_no_letter_is_learnt_from_and_judged_on_or_stands_twice_in_a_part() -> None:
    """Two writers for judging alone may hit on the same short answer."""
    learnt_from = [letter["text"] for name in LEARNT_FROM for letter in letters_of(name)]
    for name in JUDGED_ON:
        seen = Counter([*learnt_from, *(letter["text"] for letter in letters_of(name))])
        assert sum(times > 1 for times in seen.values()) == 0, name


@pytest.mark.parametrize(
    ("part", "letters", "each"), [("frozen", 120, 12), ("blind", 260, 20), ("blind2", 400, 40), ("blind3", 398, 35)]
)
def test_every_intent_and_language_is_represented_in_what_is_judged(part: str, letters: int, each: int) -> None:
    intents = Counter(one.letter["intent"] for one in judged(part))
    assert len(judged(part)) >= letters
    assert {intent: intents[intent] for intent in INTENTS if intents[intent] < each} == {}
    assert {one.letter["language"] for one in judged(part)} == {"en", "de", "fr", "es"}


@pytest.mark.parametrize("part", ["frozen", "blind", "blind2", "blind3"])
@pytest.mark.parametrize("intent", INTENTS)
def test_precision_and_recall_hold_for_each_intent(part: str, intent: str) -> None:
    letters = judged(part)
    precision, recall = precision_and_recall(letters, intent)
    least_precision, least_recall = SHORT_OF_GOAL.get((part, intent), (GOAL, GOAL))
    assert precision >= least_precision, confusion(letters)
    assert recall >= least_recall, confusion(letters)


@pytest.mark.parametrize(("part", "intent"), SHORT_OF_GOAL)
def test_what_falls_short_of_the_goal_is_still_short_of_it(part: str, intent: str) -> None:
    """An entry of the table that is no longer needed is taken out of it."""
    assert min(precision_and_recall(judged(part), intent)) < GOAL


def twins(letters: tuple[Judged, ...]) -> tuple[Judged, ...]:
    """The plain letter that follows each one that steers, alike in all but that."""
    return tuple(after for before, after in pairwise(letters) if before.letter["contains_instructions"])


@pytest.mark.parametrize("part", STEERING)
def test_nearly_every_instruction_is_seen_and_hardly_a_plain_letter_is_accused(part: str) -> None:
    least_seen, most_accused, _ = STEERING[part]
    missed, accused, told = steering(judged(part))
    steers = sum(each.letter["contains_instructions"] for each in judged(part))
    assert 1 - len(missed) / steers >= least_seen, told
    assert len(accused) / (len(judged(part)) - steers) <= most_accused, told


@pytest.mark.parametrize("part", ["blind", "blind2", "blind3"])
def test_few_plain_twins_of_letters_that_steer_are_accused(part: str) -> None:
    found = twins(judged(part))
    accused = [twin.id for twin in found if twin.reading.contains_instructions]
    assert not any(twin.letter["contains_instructions"] for twin in found)
    assert len(accused) / len(found) <= (STEERING[part][2] or 0), accused


@pytest.mark.parametrize("field", ["stated_price", "po_number", "substitution_reason", "shipped_item"])
def test_a_value_read_from_a_frozen_letter_is_the_value_written_there(field: str) -> None:
    frozen = judged("frozen")
    read_ones = [each for each in frozen if getattr(each.reading, field) is not None]
    wrong = [each.id for each in read_ones if getattr(each.reading, field) != each.letter[field]]
    meant = [each for each in frozen if each.letter[field] is not None]
    found = [each for each in meant if getattr(each.reading, field) == each.letter[field]]
    assert len(wrong) / len(read_ones) <= 0.05, wrong
    assert len(found) / len(meant) >= 0.85, [each.id for each in meant if each not in found]


def test_offers_in_frozen_letters_are_found_and_none_invented() -> None:
    frozen = judged("frozen")
    wrong = [each.id for each in frozen if list(each.reading.offers) != each.letter["offers"]]
    assert len(wrong) / len(frozen) <= 0.02, wrong


def test_in_voices_nobody_thought_of_silence_is_more_likely_than_a_wrong_word() -> None:
    said = [each for each in judged("unseen") if each.reading.intent in SAYS_SOMETHING]
    right = sum(each.reading.intent == each.letter["intent"] for each in said)
    assert right / len(said) >= 0.9, confusion(judged("unseen"))


def test_in_voices_nobody_thought_of_plain_letters_are_not_accused() -> None:
    plain = [each for each in judged("unseen") if not each.letter["contains_instructions"]]
    _, accused, told = steering(judged("unseen"))
    assert len(accused) / len(plain) <= 0.05, told


FAMILIES = (
    *("authority", "order", "secret", "bank", "system", "ai", "hidden", "zerowidth", "spaced", "base64", "forwarded"),
    *("quoted", "replyabove", "mixed", "pdf", "filename", "calendar", "dsn"),
)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_way_to_steer_stands_in_the_letters_and_is_seen(family: str) -> None:
    steers = [
        letter for letter in letters_of("voices") if letter.get("family") == family and letter["contains_instructions"]
    ]
    missed = [letter["id"] for letter in steers if not read(letter["text"]).contains_instructions]
    assert steers
    assert len(missed) <= (len(steers) + 5) // 10, missed


def test_no_letter_fails_to_be_read() -> None:
    letters = [each for name in ("tuning", *JUDGED_ON) for each in judged(name)]
    assert not any(each.reading.failed for each in letters)
    assert {each.reading.reader for each in letters} == {"lexicon"}
