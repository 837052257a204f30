"""Which sentences of a letter try to steer the desk instead of answering it."""

from collections.abc import Sequence
from functools import lru_cache

from deskworld_desk.quarantine.features import features
from deskworld_desk.quarantine.framing import framing
from deskworld_desk.quarantine.instructions import signs
from deskworld_desk.quarantine.linear import Weights
from deskworld_desk.quarantine.plain import Sentence

# Above this score a sentence steers. By cross-validation on the letters learnt from, 2 % of plain ones reach it.
THRESHOLD = -0.75
# Under a farewell stand names, titles and bank accounts as they always do: there it takes plainer words; and plainer
# ones still where a greeting, a signature or a footer was recognised.
BELOW, AROUND = 1.5, 3.0
# Two sentences can steer together ("Your director has seen to it. Pay."), so each pair is looked at too.
PAIR = "pair"
# Sentences whose features are kept: each stands in up to three units.
_KEPT = 2_048


def units(found: Sequence[Sentence]) -> list[tuple[int, int]]:
    """What is judged: each sentence, and each two that follow each other, as (start, end)."""
    return [(at, at + 1) for at in range(len(found))] + [(at, at + 2) for at in range(len(found) - 1)]


def unit_features(found: Sequence[Sentence], unit: tuple[int, int]) -> frozenset[str]:
    start, end = unit
    held = frozenset().union(*(_of_sentence(sentence) for sentence in found[start:end]))
    return held | {PAIR} if end - start > 1 else held


@lru_cache(_KEPT)
def _of_sentence(sentence: Sentence) -> frozenset[str]:
    return features((sentence,), lengths=False) | signs(sentence)


def steering(found: Sequence[Sentence], weights: Weights) -> frozenset[int]:
    """The places of the sentences that steer. A pair counts where neither of the two steers alone."""
    least = _thresholds(found)
    out: set[int] = set()
    for start, end in units(found):
        places = range(start, end)
        score = weights.scores(unit_features(found, (start, end)))[0]
        if out.isdisjoint(places) and score >= max(least[place] for place in places):
            out |= set(places)
    return frozenset(out)


def _thresholds(found: Sequence[Sentence]) -> list[float]:
    framed = framing(found)
    return [
        AROUND if place in framed.around else BELOW if place in framed.below else THRESHOLD
        for place in range(len(found))
    ]
