"""Two campaigns beside each other: paired by scenario and seed, ranked only outside the noise."""

from deskworld.comparison.behaviour import Behaviour, behaviour, changes
from deskworld.comparison.pairing import Side, compared, side
from deskworld.comparison.words import lines

__all__ = ["Behaviour", "Side", "behaviour", "changes", "compared", "lines", "side"]
