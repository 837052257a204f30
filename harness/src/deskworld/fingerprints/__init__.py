"""Fingerprints: what an agent did in a turn without ids and words, so that turns can be counted and told apart."""

from deskworld.fingerprints.compared import novel
from deskworld.fingerprints.known import Known, read
from deskworld.fingerprints.turns import turns_of

__all__ = ["Known", "novel", "read", "turns_of"]
