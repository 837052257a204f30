"""Safe, the records themselves: chains unbroken, nothing left out, every blob what its digest says."""

from collections.abc import Iterator
from itertools import pairwise

from deskworld.values.case import Case
from deskworld.values.chain import digest, first_broken, hash_of
from deskworld.values.evidence import CaseTimeline, Evidence, Row
from deskworld.values.kinds import ACTORS, FORMAT, KINDS
from deskworld.values.record import Record
from deskworld.values.timeline import audit_name, name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import erp

DIGESTS = ("digest", "result_digest", "input_digest")


def timelines_whole(_: Case, record: Record, evidence: Evidence) -> Check:
    found = [finding for timeline in evidence.timelines for finding in _timeline(timeline)]
    found += [
        Finding(expected="a row as it was written", seen="its hash is another's", rows=(name_of(row),))
        for row in evidence.set_aside
        if row["hash"] != hash_of(row)
    ]
    return Check(family="safe", name="timelines-whole", findings=tuple(found), cause="our system")


def rows_well_formed(_: Case, record: Record, evidence: Evidence) -> Check:
    """Each row is of a kind that there is, tells all that this kind tells, and was caused by a row before it."""
    rows = (*(row for timeline in evidence.timelines for row in timeline.rows), *evidence.set_aside)
    found = tuple(
        Finding(expected="a row as the page of doors has it", seen=wrong, rows=(name_of(row),))
        for row in rows
        if (wrong := _malformed(row)) is not None
    )
    return Check(family="safe", name="rows-well-formed", findings=found, cause="our system")


def views_follow_rows(_: Case, record: Record, evidence: Evidence) -> Check:
    """The case as the desk shows it is the case that its rows tell, at rest, as it was when it settled."""
    found = [finding for timeline in evidence.timelines for finding in _view(timeline)]
    own = evidence.of(record.seeded.case_id) if record.seeded else None
    if own and record.settled and own.view["state"] != record.settled.state:
        found.append(Finding(expected=f"{record.settled.state}, as it settled", seen=own.view["state"]))
    return Check(family="safe", name="views-follow-rows", findings=tuple(found), cause="our system")


def blobs_whole(_: Case, record: Record, evidence: Evidence) -> Check:
    found: list[Finding] = []
    rows = [row for timeline in evidence.timelines for row in timeline.rows]
    for row in (*rows, *evidence.set_aside):
        for name in DIGESTS:
            wanted = row["data"].get(name)
            if wanted is not None and wanted not in evidence.blobs:
                found.append(Finding(expected=f"what {name} names is kept", seen="it is not", rows=(name_of(row),)))
    found += [
        Finding(expected=f"the blob {name}", seen="its content has another digest")
        for name, value in sorted(evidence.blobs.items())
        if digest(value) != name
    ]
    return Check(family="safe", name="blobs-whole", findings=tuple(found), cause="our system")


def audit_whole(_: Case, record: Record, evidence: Evidence) -> Check:
    """The ERP's chain runs over all vendors: rows are hashed here, neighbours linked, the rest is its own word."""
    audit: list[Row] = sorted(erp(evidence)["audit"], key=lambda row: row["seq"])
    found = [
        Finding(expected="an audit row as it was written", seen="its hash is another's", rows=(audit_name(row),))
        for row in audit
        if row["hash"] != hash_of(row)
    ]
    for before, after in pairwise(audit):
        gap = after["seq"] - before["seq"]
        if gap < 1 or (gap == 1 and after["prev_hash"] != before["hash"]):
            seen = "it does not follow the row before"
            found.append(Finding(expected="an unbroken audit", seen=seen, rows=(audit_name(after),)))
    chain = erp(evidence)["chain"]
    if chain["ok"] is not True or chain["broken"] is not None:
        found.append(Finding(expected="the ERP's audit chain whole", seen=f"broken at {chain['broken']}"))
    return Check(family="safe", name="audit-whole", findings=tuple(found), cause="our system")


def _timeline(timeline: CaseTimeline) -> Iterator[Finding]:
    broken = first_broken(timeline.rows)
    if broken is not None:
        row = timeline.rows[broken]
        yield Finding(expected="an unbroken timeline", seen="it breaks here", rows=(name_of(row),))
    for position, row in enumerate(timeline.rows, start=1):
        if row["seq"] != position or row["case_id"] != timeline.case_id:
            yield Finding(expected=f"row {position} of its case", seen=f"row {row['seq']}", rows=(name_of(row),))
            return


def _view(timeline: CaseTimeline) -> Iterator[Finding]:
    view = timeline.view
    state = "INVESTIGATING"
    for row in of_kind(timeline.rows, "case.moved"):
        if row["data"]["from"] != state:
            yield Finding(expected=f"a move from {state}", seen=f"from {row['data']['from']}", rows=(name_of(row),))
        state = row["data"]["to"]
    last = (name_of(timeline.rows[-1]),)
    if view["case_id"] != timeline.case_id or view["seq"] != timeline.rows[-1]["seq"]:
        yield Finding(expected=f"a view of row {timeline.rows[-1]['seq']}", seen=f"of row {view['seq']}", rows=last)
    if view["state"] != state:
        yield Finding(expected=f"{state}, as the rows say", seen=view["state"], rows=last)
    if view["in_motion"]:
        moving = ", ".join(sorted(item["kind"] for item in view["in_motion"]))
        yield Finding(expected="nothing in motion any more", seen=f"in motion: {moving}", rows=last)


def _malformed(row: Row) -> str | None:
    fields = KINDS.get(row["kind"])
    if fields is None:
        return f"the kind {row['kind']}, which there is not"
    missing = sorted(fields - set(row["data"]))
    if missing:
        return f"{row['kind']} without {', '.join(missing)}"
    if row["format"] != FORMAT or row["actor"]["type"] not in ACTORS:
        return f"format {row['format']}, by a {row['actor']['type']}"
    if row["cause"] is not None and not 1 <= row["cause"] < row["seq"]:
        return f"caused by row {row['cause']}, which does not stand before it"
    return None
