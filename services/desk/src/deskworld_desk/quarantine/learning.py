"""Logistic regression on named features: what makes weights. Deterministic, standard library only.

Stochastic gradient descent with a step for each weight (AdaGrad, Duchi et al. 2011) and a pull to zero (L2).
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deskworld_desk.quarantine.linear import Weights, counted, rarities, rounded

_STEP = 1.0
_SEED = 20_260_101
_LEARNERS = 5
_START = 1e-8  # of the squared slopes, so that nothing is divided by zero


@dataclass(frozen=True, slots=True)
class Example:
    features: frozenset[str]
    label: int


@dataclass(slots=True)
class _Learner:
    weights: list[list[float]]
    slopes: list[list[float]]  # squared and added up, for each weight
    pulls: list[float]
    bias: list[float]
    bias_slopes: list[float]

    def learn(self, held: Sequence[tuple[int, float]], label: int) -> None:
        errors = _errors(self._scores(held), label)
        for feature, value in held:
            own, slopes, pull = self.weights[feature], self.slopes[feature], self.pulls[feature]
            for place, error in enumerate(errors):
                slope = value * error + pull * own[place]
                slopes[place] += slope * slope
                own[place] -= _STEP * slope / math.sqrt(slopes[place])
        for place, error in enumerate(errors):
            self.bias_slopes[place] += error * error
            self.bias[place] -= _STEP * error / math.sqrt(self.bias_slopes[place])

    def _scores(self, held: Sequence[tuple[int, float]]) -> list[float]:
        totals = self.bias[:]
        for feature, value in held:
            for place, weight in enumerate(self.weights[feature]):
                totals[place] += value * weight
        return totals


def learn(examples: Sequence[Example], labels: tuple[str, ...], *, rounds: int, pull: float, seldom: int) -> Weights:
    """The mean of several learners, each without another part of the examples, so that no few letters decide.

    Features that stand in fewer than `seldom` examples are left out. With one label, the label 1 is its "yes".
    """
    counts = Counter(feature for example in examples for feature in example.features)
    rarity = rarities({name: count for name, count in counts.items() if count >= seldom}, len(examples))
    places = {name: place for place, name in enumerate(sorted(rarity))}
    # a feature is met as often as it stands somewhere: the pull of a whole round is the same for each
    pulls = [pull / counts[name] for name in places]
    rows = [
        ([(places[name], value) for name, value in counted(each.features, rarity)], each.label) for each in examples
    ]
    random.Random(_SEED).shuffle(rows)  # noqa: S311 - the same order at each making
    learners = []
    for part in range(_LEARNERS):
        learner = _learner(pulls, len(labels))
        _go_over([row for place, row in enumerate(rows) if place % _LEARNERS != part], learner, rounds)
        learners.append(learner)
    of = {
        name: tuple(_mean([learner.weights[place][label] for learner in learners]) for label in range(len(labels)))
        for name, place in places.items()
    }
    bias = tuple(_mean([learner.bias[label] for learner in learners]) for label in range(len(labels)))
    return Weights(labels, bias, rarity, of)


def _learner(pulls: list[float], width: int) -> _Learner:
    return _Learner(
        weights=[[0.0] * width for _ in pulls],
        slopes=[[_START] * width for _ in pulls],
        pulls=pulls,
        bias=[0.0] * width,
        bias_slopes=[_START] * width,
    )


def _mean(numbers: Sequence[float]) -> float:
    return rounded(sum(numbers) / len(numbers))


def _go_over(rows: Iterable[tuple[Sequence[tuple[int, float]], int]], learner: _Learner, rounds: int) -> None:
    order = list(rows)
    shuffle = random.Random(_SEED).shuffle  # noqa: S311 - as above
    for _ in range(rounds):
        shuffle(order)
        for held, label in order:
            learner.learn(held, label)


def _errors(scores: Sequence[float], label: int) -> list[float]:
    """The slope of the loss by each score."""
    if len(scores) == 1:
        return [1 / (1 + math.exp(-max(-30.0, min(30.0, scores[0])))) - label]
    highest = max(scores)
    shares = [math.exp(score - highest) for score in scores]
    total = sum(shares)
    return [each / total - (place == label) for place, each in enumerate(shares)]
