"""Decisions: asked of people, made by people, carried out with the decider's own token."""
