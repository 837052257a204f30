"""Fingerprints: what an agent did in a turn without ids and words, so that turns can be counted and told apart."""
