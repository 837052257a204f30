"""`harness prove`: the catalogue proves itself through the doors. Each scenario is played by agents whose result is
known before: the oracle must pass with the rules on and off, the controls must not, the drawn ranges keep their word.
"""

from deskworld.prove.corners import corner_cases, prove_corners
from deskworld.prove.proofs import Proof, holds
from deskworld.prove.proving import Told, prove

__all__ = ["Proof", "Told", "corner_cases", "holds", "prove", "prove_corners"]
