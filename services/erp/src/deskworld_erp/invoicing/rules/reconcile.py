"""What a new outcome of the match does to the exceptions that stand."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from deskworld_erp.invoicing.rules.amounts import NOTHING
from deskworld_erp.invoicing.rules.values import Finding, Outcome, Status

NO_LONGER = "No longer found by the match; a hold stands on it."


@dataclass(frozen=True, slots=True)
class Standing:
    """An open exception as it is recorded."""

    id: str
    finding: Finding
    masked: tuple[tuple[str, Finding], ...]
    held: bool


@dataclass(frozen=True, slots=True)
class Raised:
    finding: Finding
    masked: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    raised: tuple[Raised, ...]
    updated: tuple[tuple[Standing, Raised], ...]
    """Still open, but with other words, lines, amount or masked findings."""
    resolved: tuple[Standing, ...]
    status: Status

    @property
    def exceptions_changed(self) -> bool:
        return bool(self.raised or self.updated or self.resolved)


def reconcile(standing: Iterable[Standing], outcome: Outcome) -> Changes:
    """At most one open exception per reason; one that is held stays open until a person decides."""
    open_by_reason = {one.finding.reason: one for one in standing}
    found = {finding.reason: _with_masked(finding, outcome) for finding in outcome.findings}
    raised = [one for reason, one in found.items() if reason not in open_by_reason]
    updated: list[tuple[Standing, Raised]] = []
    resolved: list[Standing] = []
    kept = 0
    for reason, one in open_by_reason.items():
        wanted = found.get(reason)
        if wanted is None and not one.held:
            resolved.append(one)
            continue
        kept += 1
        wanted = wanted or Raised(replace(one.finding, summary=NO_LONGER, lines=(), amount=NOTHING), ())
        if wanted != Raised(one.finding, tuple(finding for _, finding in one.masked)):
            updated.append((one, wanted))
    held = any(one.held for one in open_by_reason.values())
    status = Status.ON_HOLD if held else Status.EXCEPTION if raised or kept else Status.MATCHED
    return Changes(tuple(raised), tuple(updated), tuple(resolved), status)


def _with_masked(finding: Finding, outcome: Outcome) -> Raised:
    return Raised(finding, outcome.masked if finding.reason is outcome.ended_by else ())
