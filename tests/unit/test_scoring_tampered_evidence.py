"""Histories whose proposal rests on something else, or on less, than it had to."""

from collections.abc import Callable

from tests.support.histories.altering import Edit, Json, data, noted, renumber, rows
from tests.support.histories.played import Played
from tests.support.histories.right import no_po, price_variance_small
from tests.support.tampering import Tampering, each, failed_of


def a_fact_not_cited(evidence: Json, _: Json) -> None:
    data(evidence, "proposal.made")["citations"].pop()


def a_citation_of_one_wrong_character(evidence: Json, _: Json) -> None:
    cited = data(evidence, "proposal.made")["citations"]
    cited[0] = cited[0][:-1] + ("0" if cited[0][-1] != "0" else "1")


def a_citation_that_nobody_read(evidence: Json, _: Json) -> None:
    for kind, name in (("rules.ran", "read"), ("tool.called", "ids")):
        for row in rows(evidence, kind):
            row["data"][name] = [one for one in row["data"][name] if "PO" in one]


def read_only_after_it_was_proposed(evidence: Json, _: Json) -> None:
    timeline = evidence["timelines"][0]["rows"]
    place = next(at for at, row in enumerate(timeline) if row["kind"] == "proposal.made")
    reads = [row for row in timeline[:place] if row["kind"] == "tool.called" and row["data"]["ids"]]
    for row in reads:
        timeline.remove(row)
    timeline[-1:-1] = reads
    renumber(evidence)
    for row in timeline[1:]:
        row["cause"] = 1


def the_reading_call_failed(evidence: Json, _: Json) -> None:
    for row in rows(evidence, "tool.called"):
        if row["data"]["ids"]:
            row["data"]["outcome"] = "FAILED"


def the_letter_never_arrived(evidence: Json, record: Json) -> None:
    evidence["mail"], record["mail"] = [], []


def no_letter_was_written(evidence: Json, record: Json) -> None:
    evidence["mail"], record["mail"] = [], []
    for row in rows(evidence, "mail.sent"):
        noted(row)


def the_letter_was_refused(evidence: Json, record: Json) -> None:
    data(evidence, "mail.sent")["recipients"][0]["outcome"] = "refused"
    evidence["mail"], record["mail"] = [], []


CASES: list[Tampering] = [
    (price_variance_small, a_fact_not_cited, {"cites-every-fact"}),
    (price_variance_small, a_citation_of_one_wrong_character, {"cites-every-fact", "citations-grounded"}),
    (price_variance_small, a_citation_that_nobody_read, {"citations-grounded"}),
    (lambda: price_variance_small("agent"), a_citation_that_nobody_read, {"citations-grounded"}),
    (lambda: price_variance_small("agent"), read_only_after_it_was_proposed, {"citations-grounded"}),
    (lambda: price_variance_small("agent"), the_reading_call_failed, {"citations-grounded"}),
    (no_po, the_letter_never_arrived, {"musts-happened", "letters-arrived"}),
    (no_po, no_letter_was_written, {"musts-happened"}),
    (no_po, the_letter_was_refused, {"musts-happened"}),
]


@each(CASES)
def test_a_changed_fact_is_seen_by_the_checks_that_watch_it(
    right: Callable[[], Played], edit: Edit, seen_by: set[str]
) -> None:
    assert failed_of(right, edit) == seen_by
