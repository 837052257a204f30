"""Makes `weights.json` from labelled letters: `python -m deskworld_desk.quarantine.training tests/corpus/letters`.

The same letters, concepts and code give the same file. Which sentence of a letter steers is not labelled: those that
the weights so far find most steering are taken for it, and the weights are made again (multiple-instance learning, as
in Andrews et al. 2002).
"""

import argparse
import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from deskworld_desk.mail import history
from deskworld_desk.quarantine.learning import Example, learn
from deskworld_desk.quarantine.linear import Learnt, Weights, rounded, stored
from deskworld_desk.quarantine.listening import answer_features, listened
from deskworld_desk.quarantine.plain import Sentence
from deskworld_desk.quarantine.reading import Intent
from deskworld_desk.quarantine.steering import unit_features, units

LETTERS = ("tuning.jsonl", "voices.jsonl")
FRAMES = "frames.jsonl"
HEARD_BY = (
    "amounts.py",
    "concepts.py",
    "concepts.txt",
    "features.py",
    "framing.py",
    "instructions.py",
    "learning.py",
    "linear.py",
    "listening.py",
    "plain.py",
    "references.py",
    "steering.py",
    "training.py",
    "words.py",
)
INTENTS: tuple[str, ...] = get_args(Intent)
# Chosen by cross-validation: on letters held back, and on the letters of one pen by those of the other.
_ROUNDS, _SELDOM, _AGAIN = 15, 2, 2
_PULL_INTENT, _PULL_STEERING = 0.2, 0.05
_SEED = 4_711
# Sentences whose score is this close to the highest of the letter steer too.
_CLOSE = 1.0


@dataclass(frozen=True, slots=True)
class Letter:
    language: str
    text: str
    intent: str
    steers: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around an answer and says nothing: greetings, signatures, footers, quoted questions."""

    language: str
    where: Literal["before", "after"]
    text: str


def letters_in(folder: Path) -> list[Letter]:
    """The letters that may be learnt from."""
    found = (each for name in LETTERS for each in _lines(folder / name))
    return [Letter(each["language"], each["text"], each["intent"], each["contains_instructions"]) for each in found]


def frames_in(folder: Path) -> list[Frame]:
    return [Frame(**each) for each in _lines(folder / FRAMES)]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def as_it_comes(letters: Sequence[Letter], frames: Sequence[Frame]) -> list[Letter]:
    """Each letter as it is, and as mail comes: with something before it and after it, and an answer beside a letter
    that steers. What it says stays what it says."""
    chance = random.Random(_SEED)  # noqa: S311 - the same letters at each making
    steering = [letter for letter in letters if letter.steers]
    found = list(letters)
    for letter in letters:
        found.append(replace(letter, text=_framed(letter, frames, chance)))
        if letter.intent != "OTHER" and not letter.steers:
            found.append(replace(letter, text=_beside(letter, chance.choice(steering), chance), steers=True))
    return found


def _framed(letter: Letter, frames: Sequence[Frame], chance: random.Random) -> str:
    own = [frame for frame in frames if frame.language == letter.language]
    before = chance.sample([frame.text for frame in own if frame.where == "before"], chance.randint(0, 2))
    after = chance.sample([frame.text for frame in own if frame.where == "after"], chance.randint(1, 3))
    after.sort(key=lambda text: ">" in text or "@" in text)  # what is quoted stands last
    return "\n".join([*before, letter.text, *after])


def _beside(letter: Letter, other: Letter, chance: random.Random) -> str:
    pair = [letter.text, other.text]
    chance.shuffle(pair)
    return "\n".join(pair)


def weights_of(letters: Sequence[Letter], frames: Sequence[Frame], *, made_from: str = "") -> Learnt:
    steering = _steering(letters, frames)
    heard = ((letter, listened(letter.text, steering)) for letter in as_it_comes(letters, frames))
    examples = [Example(answer_features(each), INTENTS.index(letter.intent)) for letter, each in heard if each.answer]
    return Learnt(_as_likely(_learnt(examples, INTENTS, _PULL_INTENT), examples), steering, made_from)


def _as_likely(weights: Weights, examples: Sequence[Example]) -> Weights:
    """How many letters of an intent were written for training says nothing of mail: each intent is as likely."""
    counts = Counter(example.label for example in examples)
    bias = (start - math.log((1 + counts[place]) / len(examples)) for place, start in enumerate(weights.bias))
    return replace(weights, bias=tuple(map(rounded, bias)))


def _learnt(examples: Sequence[Example], labels: tuple[str, ...], pull: float) -> Weights:
    return learn(examples, labels, rounds=_ROUNDS, pull=pull, seldom=_SELDOM)


def _steering(letters: Sequence[Letter], frames: Sequence[Frame]) -> Weights:
    texts = [(letter.text, letter.steers) for letter in letters] + [(frame.text, False) for frame in frames]
    held = [(_units(listened(text, None).every), steers) for text, steers in texts]
    weights = _learnt_steering(held)
    for _ in range(_AGAIN):
        chosen = [(_most_steering(found, weights) if steers else found, steers) for found, steers in held]
        weights = _learnt_steering(chosen)
    return weights


def _learnt_steering(chosen: Iterable[tuple[list[frozenset[str]], bool]]) -> Weights:
    return _learnt(
        [Example(unit, int(steers)) for found, steers in chosen for unit in found], ("steers",), _PULL_STEERING
    )


def _units(found: Sequence[Sentence]) -> list[frozenset[str]]:
    return [unit_features(found, unit) for unit in units(found)]


def _most_steering(found: Sequence[frozenset[str]], weights: Weights) -> list[frozenset[str]]:
    scores = [weights.scores(unit)[0] for unit in found]
    least = max(scores, default=0.0) - _CLOSE
    return [unit for unit, score in zip(found, scores, strict=True) if score >= least]


def digest_of(folder: Path) -> str:
    """Of all that the weights depend on: the letters, the concepts, and the code that hears and learns."""
    package = files(__package__)
    parts = [*(package.joinpath(name).read_bytes() for name in HEARD_BY), Path(history.__file__).read_bytes()]
    return _digest([*parts, *((folder / name).read_bytes() for name in (*LETTERS, FRAMES))])


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def text_of(made: Learnt) -> str:
    return json.dumps(stored(made), separators=(",", ":"), sort_keys=True) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the lexicon's weights from labelled letters.")
    parser.add_argument("folder", type=Path, help="where tuning.jsonl and voices.jsonl stand")
    folder = parser.parse_args().folder
    target = Path(__file__).with_name("weights.json")
    target.write_text(text_of(weights_of(letters_in(folder), frames_in(folder), made_from=digest_of(folder))), "ascii")


if __name__ == "__main__":
    main()
