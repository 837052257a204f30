"""How well the lexicon reads letters: per intent, and for what tries to steer the desk.

The confusion table stands in the message of a failure.
"""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from deskworld_desk.quarantine.lexicon import read
from deskworld_desk.quarantine.reading import Intent, Reading

LETTERS = Path(__file__).parents[1] / "corpus" / "letters"
INTENTS: tuple[str, ...] = get_args(Intent)
SAYS_SOMETHING = tuple(intent for intent in INTENTS if intent not in {"UNCLEAR", "OTHER"})


@dataclass(frozen=True)
class Judged:
    letter: dict[str, Any]
    reading: Reading


def judged(name: str) -> list[Judged]:
    lines = (LETTERS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [Judged(letter, read(letter["text"])) for letter in map(json.loads, lines)]


@pytest.fixture(scope="module")
def frozen() -> list[Judged]:
    return judged("frozen")


@pytest.fixture(scope="module")
def unseen() -> list[Judged]:
    return judged("unseen")


def precision_and_recall(letters: list[Judged], intent: str) -> tuple[float, float]:
    right = sum(each.letter["intent"] == intent == each.reading.intent for each in letters)
    said = sum(each.reading.intent == intent for each in letters)
    meant = sum(each.letter["intent"] == intent for each in letters)
    return (right / said if said else 1.0), (right / meant if meant else 1.0)


def confusion(letters: list[Judged]) -> str:
    pairs = Counter((each.letter["intent"], each.reading.intent) for each in letters)
    return "\n".join(
        f"{meant} read as {said}: {count}" for (meant, said), count in sorted(pairs.items()) if meant != said
    )


def test_the_frozen_letters_are_the_ones_that_were_frozen() -> None:
    promised = (LETTERS / "frozen.jsonl.sha256").read_text().split()[0]
    assert hashlib.sha256((LETTERS / "frozen.jsonl").read_bytes()).hexdigest() == promised


def test_no_letter_stands_in_two_parts_of_the_corpus_or_twice() -> None:
    texts = [each.letter["text"] for name in ("tuning", "frozen", "unseen") for each in judged(name)]
    assert len(texts) == len(set(texts))


def test_every_intent_and_language_is_represented_in_the_frozen_half(frozen: list[Judged]) -> None:
    intents = Counter(each.letter["intent"] for each in frozen)
    assert len(frozen) >= 120
    assert {intent: count for intent, count in intents.items() if count < 12} == {}
    assert {each.letter["language"] for each in frozen} == {"en", "de", "fr", "es"}


@pytest.mark.parametrize("intent", INTENTS)
def test_precision_and_recall_hold_for_each_intent_on_frozen_letters(frozen: list[Judged], intent: str) -> None:
    precision, recall = precision_and_recall(frozen, intent)
    assert precision >= 0.85, confusion(frozen)
    assert recall >= 0.85, confusion(frozen)


@pytest.mark.parametrize("part", ["tuning", "frozen"])
def test_nearly_every_instruction_is_seen_and_hardly_a_plain_letter_is_accused(part: str) -> None:
    letters = judged(part)
    steering = [each for each in letters if each.letter["contains_instructions"]]
    plain = [each for each in letters if not each.letter["contains_instructions"]]
    missed = [each.letter["text"] for each in steering if not each.reading.contains_instructions]
    accused = [each.letter["text"] for each in plain if each.reading.contains_instructions]
    assert 1 - len(missed) / len(steering) >= 0.99, missed
    assert len(accused) / len(plain) <= 0.02, accused


@pytest.mark.parametrize("field", ["stated_price", "po_number", "substitution_reason", "shipped_item"])
def test_a_value_read_from_a_frozen_letter_is_the_value_written_there(frozen: list[Judged], field: str) -> None:
    read_ones = [each for each in frozen if getattr(each.reading, field) is not None]
    wrong = [each.letter["text"] for each in read_ones if getattr(each.reading, field) != each.letter[field]]
    meant = [each for each in frozen if each.letter[field] is not None]
    found = [each for each in meant if getattr(each.reading, field) == each.letter[field]]
    assert len(wrong) / len(read_ones) <= 0.05, wrong
    assert len(found) / len(meant) >= 0.85, [each.letter["text"] for each in meant if each not in found]


def test_offers_in_frozen_letters_are_found_and_none_invented(frozen: list[Judged]) -> None:
    wrong = [each.letter["text"] for each in frozen if list(each.reading.offers) != each.letter["offers"]]
    assert len(wrong) / len(frozen) <= 0.02, wrong


def test_in_voices_nobody_thought_of_silence_is_more_likely_than_a_wrong_word(unseen: list[Judged]) -> None:
    said = [each for each in unseen if each.reading.intent in SAYS_SOMETHING]
    right = sum(each.reading.intent == each.letter["intent"] for each in said)
    assert right / len(said) >= 0.9, confusion(unseen)


def test_in_voices_nobody_thought_of_plain_letters_are_not_accused(unseen: list[Judged]) -> None:
    plain = [each for each in unseen if not each.letter["contains_instructions"]]
    accused = [each.letter["text"] for each in plain if each.reading.contains_instructions]
    assert len(accused) / len(plain) <= 0.05, accused


def test_no_letter_fails_to_be_read(frozen: list[Judged]) -> None:
    assert not any(each.reading.failed for each in frozen)
    assert {each.reading.reader for each in frozen} == {"lexicon"}
