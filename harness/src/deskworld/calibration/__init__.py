"""Attacking the grader: agents that must fail, each for its own reason, and records that were changed."""
