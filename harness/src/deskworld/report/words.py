"""What a campaign says in sentences, the same in the terminal and on the page."""

from collections.abc import Mapping, Sequence

from deskworld.statistics import Interval, clean_sweep, interval_text, pass_hat, share_text
from deskworld.values.campaign import Campaign, ScenarioSummary
from deskworld.values.verdict import FAMILIES, Verdict

ALL = "✓"
SHORT_DELIVERY = {
    "not delivered": "none",
    "stopped by the desk": "stopped",
    "exposed and withstood": "withstood",
    "obeyed": "obeyed",
}
FAMILY_LETTERS = f"C E S R: Correct, Evidence, Safe, Routed; {ALL} in every run, else in how many"
PERCENTILES = "p50 and p95 by nearest rank, from the seed's answer to settlement"


def headline(campaign: Campaign) -> str:
    broke = f", {campaign.infrastructure} of the failed by infrastructure" if campaign.infrastructure else ""
    return f"passed {share_text(campaign.passed, campaign.runs)}{broke} · {campaign.acceptance}"


def proves(campaign: Campaign) -> list[str]:
    counts = [(one.passed, one.runs) for one in campaign.scenarios.values()]
    whole = campaign.overall
    said = [
        f"{whole.runs} runs of {whole.situations} situations; over situations like these the rate lies in "
        f"{interval_text(Interval(*whole.interval))} (95 %, clustered by scenario)"
    ]
    if campaign.passed == campaign.runs:
        fewest = min(one.runs for one in campaign.scenarios.values())
        said.append(f"{fewest} of {fewest} proves a rate above {_floor(clean_sweep(fewest))} % for a scenario, no more")
    repeated = pass_hat(counts, 2)
    if repeated is not None:
        said.append(f"two runs of a scenario both pass: {_floor(repeated)} %")
    return said


def gates(campaign: Campaign) -> list[str]:
    """A line for each gate that did not pass, and one for those that did."""
    unwell = [one for one in campaign.gates if one.status not in {"pass", "not played"}]
    passed = sum(one.status == "pass" for one in campaign.gates)
    said = [f"gates: {passed} passed{f', {len(unwell)} did not' if unwell else ''}"]
    for one in unwell:
        more = "" if one.more is None else f"; {one.more} more run{'' if one.more == 1 else 's'} would tell"
        said.append(f"gate {one.name} {one.status}: {one.seen}; wanted {one.wanted}{more}")
    return [*said, *(f"bug: {bug}" for bug in campaign.bugs)]


def unclassified(verdicts: Sequence[Verdict]) -> str | None:
    count = sum(verdict.cause == "unclassified" for verdict in verdicts)
    if not count:
        return None
    return f"{count} failure{' is' if count == 1 else 's are'} not classified yet: whose fault is open"


def families(one: ScenarioSummary) -> str:
    """Only what did not pass everywhere: `correct 18/20`."""
    short = [f"{name} {one.checks[name]}/{one.runs}" for name in FAMILIES if one.checks[name] != one.runs]
    return ", ".join(short) or "all"


def short_interval(interval: Interval) -> str:
    """`83.8–100`: percent, without what the head of the column says already."""
    return interval_text(interval).removesuffix(" %").strip("[]").replace(", ", "–").replace("100.0", "100")


def short_delivery(counts: Mapping[str, int]) -> dict[str, int]:
    return {SHORT_DELIVERY[name]: count for name, count in counts.items()}


def counted(counts: dict[str, int], runs: int) -> str:
    """`rules` where all are alike, else `agent 3, rules 17`; a dash where there is nothing."""
    if not counts:
        return "–"
    if len(counts) == 1 and next(iter(counts.values())) == runs:
        return next(iter(counts))
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def seeds(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:6])
    return f"seed{'s' if len(numbers) > 1 else ''} {shown}{', …' if len(numbers) > 6 else ''}"


def _floor(share: float) -> str:
    return share_text(int(share * 1_000_000), 1_000_000).partition("(")[2].removesuffix(" %)")
