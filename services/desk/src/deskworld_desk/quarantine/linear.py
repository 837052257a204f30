"""Weights of features, added up. They are made from labelled letters by `training` and stand in `weights.json`."""

import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Weights:
    """`of[feature]` holds one weight a label, in the order of `labels`; `rarity[feature]` what the feature counts."""

    labels: tuple[str, ...]
    bias: tuple[float, ...]
    rarity: Mapping[str, float]
    of: Mapping[str, tuple[float, ...]]

    def scores(self, features: Collection[str]) -> tuple[float, ...]:
        """One score a label, the same in every run. What nobody has learnt of says nothing."""
        totals = list(self.bias)
        for feature, value in counted(features, self.rarity):
            for place, weight in enumerate(self.of[feature]):
                totals[place] += value * weight
        return tuple(totals)

    def best(self, features: Collection[str]) -> str:
        scores = self.scores(features)
        return self.labels[scores.index(max(scores))]


@dataclass(frozen=True, slots=True)
class Learnt:
    """`made_from` is the digest of all that the weights depend on."""

    intent: Weights
    steering: Weights
    made_from: str


def counted(features: Collection[str], rarity: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Known features in one order, as a vector of length 1: a long letter weighs no more than a short one."""
    known = sorted(feature for feature in features if feature in rarity)
    length = math.sqrt(sum(rarity[feature] ** 2 for feature in known))
    return ((feature, rarity[feature] / length) for feature in known)


def rarities(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """Smoothed inverse document frequency: what stands everywhere counts least."""
    return {feature: rounded(math.log((1 + total) / (1 + count)) + 1) for feature, count in counts.items()}


def rounded(number: float) -> float:
    """As stored, so that a learner and a reader reckon with the same."""
    return round(number * 100) / 100


@cache
def learnt() -> Learnt:
    return loaded(json.loads(files(__package__).joinpath("weights.json").read_text("ascii")))


def loaded(stored: Mapping[str, Any]) -> Learnt:
    return Learnt(_weights(stored["intent"]), _weights(stored["steering"]), stored["made_from"])


def stored(made: Learnt) -> dict[str, Any]:
    """What `loaded` takes: whole numbers, a hundredth each."""
    return {"made_from": made.made_from, "intent": _numbers(made.intent), "steering": _numbers(made.steering)}


def _numbers(weights: Weights) -> dict[str, Any]:
    of = {
        feature: [round(number * 100) for number in (weights.rarity[feature], *weights.of[feature])]
        for feature in sorted(weights.of)
    }
    return {"labels": weights.labels, "bias": [round(number * 100) for number in weights.bias], "of": of}


def _weights(found: Mapping[str, Any]) -> Weights:
    of = {feature: tuple(number / 100 for number in numbers) for feature, numbers in found["of"].items()}
    return Weights(
        labels=tuple(found["labels"]),
        bias=tuple(number / 100 for number in found["bias"]),
        rarity={feature: numbers[0] for feature, numbers in of.items()},
        of={feature: numbers[1:] for feature, numbers in of.items()},
    )
