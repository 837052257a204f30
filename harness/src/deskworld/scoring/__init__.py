"""Grading: a case, its record and the evidence in; a verdict out. Pure, so that stored runs can be graded again.

Knows the desk's timeline and no world: what is right, safe and well routed is said by the world's named checks.
"""

from deskworld.scoring.normalise import NORMAL_FORM, normalise
from deskworld.scoring.score import score

__all__ = ["NORMAL_FORM", "normalise", "score"]
