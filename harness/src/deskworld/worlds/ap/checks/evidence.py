"""Evidence: the proposal rests on the facts, on nothing that was never read, and what had to be done was done."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from deskworld.values.case import Case, SeededRecord
from deskworld.values.evidence import Evidence, Row
from deskworld.values.record import Record
from deskworld.values.timeline import name_of, of_kind
from deskworld.values.verdict import Check, Finding
from deskworld.worlds.ap.checks.reading import End, end_of, rows_of

MUSTS = frozenset({"wrote-to-vendor"})


def cites_every_fact(case: Case, record: Record, evidence: Evidence) -> Check:
    """By any form of the record, or by a handle that one answer gave together with a form of it."""
    end = end_of(record, evidence)
    found: list[Finding] = []
    if end.proposal is None and end.how != "wait":
        found.append(Finding(expected="a proposal that rests on the facts", seen=end.shown))
    if end.proposal is not None:
        cited = set(end.proposal["data"]["citations"])
        for ref in case.expect.facts:
            if not cited & _ways_to_name(ref, record, end, evidence):
                seen = f"it cites {', '.join(sorted(cited)) or 'nothing'}"
                found.append(Finding(expected=f"a citation of the {ref}", seen=seen, rows=(name_of(end.proposal),)))
    return Check(family="evidence", name="cites-every-fact", findings=tuple(found))


def citations_grounded(_: Case, record: Record, evidence: Evidence) -> Check:
    """An agent's by its own successful calls, the rules' by what the desk read; both before the proposal was made."""
    end = end_of(record, evidence)
    found: tuple[Finding, ...] = ()
    if end.proposal is not None:
        read = _read_before(end.proposal, end)
        found = tuple(
            Finding(expected="only what was read is cited", seen=f"{one} was never read", rows=(name_of(end.proposal),))
            for one in end.proposal["data"]["citations"]
            if one not in read
        )
    return Check(family="evidence", name="citations-grounded", findings=found)


def musts_happened(case: Case, record: Record, evidence: Evidence) -> Check:
    """`wrote-to-vendor`: the desk sent a letter, and that very letter is in the counterparties' mailbox."""
    found: list[Finding] = []
    for must in case.expect.must:
        if must not in MUSTS:
            found.append(Finding(expected=must, seen="no check knows this demand"))
        elif not any(_arrived(row, case, record, evidence) for row in of_kind(rows_of(evidence), "mail.sent")):
            rows = tuple(name_of(row) for row in of_kind(rows_of(evidence), "mail.sent"))
            seen = "none of the desk's letters arrived" if rows else "no letter was sent"
            found.append(Finding(expected="a letter to the vendor", seen=seen, rows=rows))
    return Check(family="evidence", name="musts-happened", findings=tuple(found))


def _ways_to_name(ref: str, record: Record, end: End, evidence: Evidence) -> set[str]:
    """Raises LookupError for a fact that the stage never made."""
    records = record.seeded.records if record.seeded else {}
    forms = set(records[ref].forms) - _shared(ref, records)
    calls = (row for row in of_kind(end.timeline.rows, "tool.called") if row["data"]["outcome"] == "OK")
    handles = (_handles_beside(forms, records[ref].kind, row, evidence) for row in calls)
    return forms.union(*handles)


def _shared(ref: str, records: Mapping[str, SeededRecord]) -> set[str]:
    """A form that two records of one kind bear names neither of them."""
    others = (one for name, one in records.items() if name != ref and one.kind == records[ref].kind)
    return {form for one in others for form in one.forms}


def _handles_beside(forms: set[str], kind: str, row: Row, evidence: Evidence) -> set[str]:
    """Handles such as `invoice-1` that one answer gave for a record of these forms.

    The answer's own lists of ids say which belong together; without one, a handle counts where it is the only one.
    """
    ids = row["data"]["ids"]
    mine = [one for one in ids if _is_handle(one, kind)]
    if not mine or not forms & set(ids):
        return set()
    lists = [one for one in _id_lists(evidence.blobs.get(row["data"]["result_digest"])) if len(one) < len(ids)]
    told = {handle for handle in mine for one in lists if handle in one and forms & set(one)}
    return told or (set(mine) if len(mine) == 1 and not any(set(mine) & set(one) for one in lists) else set())


def _is_handle(text: str, kind: str) -> bool:
    head, _, tail = text.rpartition("-")
    return head == kind and tail.isdigit()


def _id_lists(value: Any) -> Iterator[list[str]]:
    if isinstance(value, Mapping):
        if isinstance(value.get("ids"), list):
            yield [*value["ids"], value.get("handle", "")]
        yield from chain.from_iterable(_id_lists(item) for item in value.values())
    elif isinstance(value, list):
        yield from chain.from_iterable(_id_lists(item) for item in value)


def _read_before(proposal: Row, end: End) -> set[str]:
    rows = [row for row in end.timeline.rows if row["seq"] < proposal["seq"]]
    by_rules = {one for row in of_kind(rows, "rules.ran") for one in row["data"]["read"]}
    calls = [row for row in of_kind(rows, "tool.called") if row["data"]["outcome"] == "OK"]
    by_agent = {one for row in calls if row["actor"]["type"] == "agent" for one in row["data"]["ids"]}
    return {"rules": by_rules, "agent": by_agent, "person": by_rules | by_agent}[proposal["data"]["proposer"]]


def _arrived(row: Row, case: Case, record: Record, evidence: Evidence) -> bool:
    data = row["data"]
    address = case.script["vendor"].identity
    accepted = any(one["address"] == address and one["outcome"] == "accepted" for one in data["recipients"])
    seen = any(mail.message_id == data["message_id"] and mail.recipient == address for mail in record.mail)
    return data["to_kind"] == "vendor" and accepted and seen and data["message_id"] in (evidence.mail or ())
