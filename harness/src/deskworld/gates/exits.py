"""What the gates together say: the exit code, and the gates that no threshold sets."""

from collections.abc import Mapping, Sequence

from deskworld.errors import ExitCode
from deskworld.values.gates import GateResult


def results(
    judged: Sequence[GateResult], *, bugs: Sequence[str], contradicted: Mapping[str, Sequence[str]]
) -> tuple[GateResult, ...]:
    """`bugs` of the desk itself, and `contradicted`: for each baseline the scenarios whose authored answer it came to
    another end than. Either stops the gate, whatever the rates are."""
    found = list(judged)
    if bugs:
        found.append(
            GateResult(
                name="determinism",
                status="missed",
                wanted="the rules settle one situation in one way",
                seen=f"{len(bugs)} situation{'' if len(bugs) == 1 else 's'} settled in several",
            )
        )
    for baseline, scenarios in contradicted.items():
        if scenarios:
            found.append(
                GateResult(
                    name=f"baseline {baseline}",
                    status="missed",
                    wanted="no baseline contradicts an authored answer",
                    seen=f"look at the scenario: {', '.join(scenarios)}",
                )
            )
    return tuple(found)


def exit_code(gates: Sequence[GateResult]) -> ExitCode:
    """A gate that the candidate missed comes before one that broke, and that before one that cannot be told."""
    statuses = {gate.status for gate in gates}
    if "missed" in statuses:
        return ExitCode.GATE_MISSED
    if "infrastructure" in statuses or not statuses - {"not played"}:
        return ExitCode.BROKEN
    return ExitCode.INCONCLUSIVE if "inconclusive" in statuses else ExitCode.PASS
