"""The report as CI viewers read it: a suite a scenario, a case a run, failures with expected, seen and rows.

Our own file, after the schema that the Jenkins JUnit plugin publishes; no viewer reads more.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from deskworld.report import sentences
from deskworld.report.plain import plain
from deskworld.report.telling import cause
from deskworld.values.gates import GateResult
from deskworld.values.report import Report, RunTold

BROKEN = "infrastructure"


def junit(report: Report, *, gates: bool = False) -> str:
    """`gates`: also a suite with a case for each gate."""
    campaign = report.campaign
    root = ET.Element("testsuites", _told({"name": f"deskworld {campaign.label}"}))
    by: defaultdict[str, list[RunTold]] = defaultdict(list)
    for run in report.runs:
        by[run.scenario].append(run)
    suites = [_suite(name, runs, report) for name, runs in by.items()]
    if gates:
        suites.append(_gates(campaign.gates, campaign.bugs))
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(one.get(count, "0")) for one in suites)))
    root.set("time", f"{campaign.wall_seconds:.3f}")
    root.extend(suites)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(name: str, runs: Sequence[RunTold], report: Report) -> ET.Element:
    broken = [run for run in runs if not run.passed and run.cause == BROKEN]
    failed = [run for run in runs if not run.passed and run.cause != BROKEN]
    suite = ET.Element("testsuite", _told({"name": name, "timestamp": report.provenance.opened}))
    for key, value in (("tests", len(runs)), ("failures", len(failed)), ("errors", len(broken)), ("skipped", 0)):
        suite.set(key, str(value))
    suite.set("time", f"{sum(run.seconds for run in runs):.3f}")
    one, campaign = report.campaign.scenarios[name], report.campaign
    _properties(
        suite,
        {
            "agent": campaign.agent,
            "rules": campaign.rules,
            "category": one.category,
            "split": one.split,
            "passed": f"{one.passed}/{one.runs}",
            "interval": f"[{one.interval[0]:.4f}, {one.interval[1]:.4f}]",
            "bundle": campaign.bundle,
            "bundle-digest": report.provenance.bundle,
            "acceptance": sentences.acceptance(report),
        },
    )
    suite.extend(_case(run) for run in runs)
    return suite


def _case(run: RunTold) -> ET.Element:
    attributes = {"classname": f"deskworld.{run.scenario}", "name": f"{run.scenario}[seed {run.seed}]"}
    case = ET.Element("testcase", _told({**attributes, "time": f"{run.seconds:.3f}"}))
    _properties(
        case,
        {
            "case": str(run.index),
            "seed": str(run.seed),
            "settled-by": run.settled_by or "nobody",
            "action": run.action or "no proposal",
            "touches": str(run.touches),
            "prevented": str(run.prevented),
            **({"delivery": run.delivery} if run.delivery else {}),
        },
    )
    if not run.passed:
        case.append(_failure(run))
    return case


def _failure(run: RunTold) -> ET.Element:
    first = next(iter(run.findings), None)
    said = run.broken or (f"{first.check}: expected {first.expected}; seen {first.seen}" if first else "not passed")
    kind = "error" if run.cause == BROKEN else "failure"
    found = ET.Element(kind, _told({"type": cause(run), "message": said}))
    found.text = plain_lines(_lines(run))
    return found


def _lines(run: RunTold) -> Iterable[str]:
    if run.broken is not None:
        yield f"broke: {run.broken}"
    for one in run.findings:
        yield f"{one.family.capitalize()} {one.check}"
        yield f"  expected {one.expected}"
        yield f"  seen     {one.seen}"
        yield from (f"    {name}  {line}".rstrip() for name, line in one.rows)


def _gates(found: Sequence[GateResult], bugs: Sequence[str]) -> ET.Element:
    suite = ET.Element("testsuite", {"name": "gates", "time": "0"})
    cases = [_gate(one) for one in found] + [_bug(bug) for bug in bugs]
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(one.find(tag) is not None for one in cases)))
    suite.set("tests", str(len(cases)))
    suite.extend(cases)
    return suite


def _gate(one: GateResult) -> ET.Element:
    case = ET.Element("testcase", _told({"classname": "deskworld.gates", "name": one.name, "time": "0"}))
    # what cannot be told is no pass, and a viewer knows nothing between
    kind = {"pass": None, "not played": "skipped", "infrastructure": "error"}.get(one.status, "failure")
    if kind is not None:
        said = f"{one.status}: {one.seen}; wanted {one.wanted}"
        ET.SubElement(case, kind, _told({"type": one.status, "message": said}))
    return case


def _bug(bug: str) -> ET.Element:
    case = ET.Element("testcase", {"classname": "deskworld.gates", "name": "no bug of the desk", "time": "0"})
    ET.SubElement(case, "failure", _told({"type": "our system", "message": bug}))
    return case


def _properties(parent: ET.Element, told: dict[str, str]) -> None:
    holder = ET.SubElement(parent, "properties")
    for name, value in told.items():
        ET.SubElement(holder, "property", _told({"name": name, "value": value}))


def _told(attributes: dict[str, str]) -> dict[str, str]:
    """XML 1.0 has no place for most control characters: they are spelled out."""
    return {name: plain(value) for name, value in attributes.items()}


def plain_lines(lines: Iterable[str]) -> str:
    return "\n".join(plain(line) for line in lines)
