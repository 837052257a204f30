"""What a run may show when its desk was killed, and must not show otherwise."""

from deskworld.values.verdict import Verdict

TWICE = "one is there twice"
"""A letter handed in, and the desk killed before it heard: nobody can know, so it is handed in again as it was."""


def wrong_in(verdict: Verdict) -> list[str]:
    """What went wrong in a run, in words, but for what a kill of the desk excuses."""
    if verdict.broken:
        return [verdict.broken]
    return [
        f"{check.name}: {finding.expected}; seen: {finding.seen}"
        for check in verdict.checks
        for finding in check.findings
        if (check.name, finding.seen) != ("letters-arrived", TWICE)
    ]
