"""Two runs of one case are the same once ids, times and digests are out of them, and differ when a fact does."""

import copy
import random
import re
import uuid
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.harness import TAG
from tests.support.histories.altering import altered, rows
from tests.support.histories.played import Played
from tests.support.histories.right import RIGHT, bank_change_fraud, no_po, price_variance_small

from deskworld.scoring import NORMAL_FORM, normalise
from deskworld.values.chain import GENESIS, first_broken, hash_of
from deskworld.values.evidence import CaseTimeline

UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def another_run(played: Played, rng: random.Random) -> tuple[CaseTimeline, ...]:
    """The same happenings with other ids, other times, another tag and another mail token."""
    names: dict[str, str] = {}
    later = timedelta(seconds=rng.uniform(1, 100_000))

    def new_id(found: Any) -> str:
        return names.setdefault(found.group(), str(uuid.UUID(int=rng.getrandbits(128))))

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            fresh = UUIDS.sub(new_id, value).replace("abcd1234", "wxyz9876")
            return fresh.replace(TAG, "klmnopqrst").replace(TAG.upper(), "KLMNOPQRST")
        if isinstance(value, dict):
            return {key: renamed(item) for key, item in value.items()}
        return [renamed(item) for item in value] if isinstance(value, list | tuple) else value

    found = []
    for timeline in copy.deepcopy(played.evidence.timelines):
        made = [renamed(row) for row in timeline.rows]
        for row in made:
            row["at"] = (datetime.fromisoformat(row["at"]) + later).isoformat()
        rechain(made)
        found.append(CaseTimeline(case_id=made[0]["case_id"], view={}, rows=tuple(made)))
    return tuple(found)


def rechain(made: list[dict[str, Any]]) -> None:
    before = GENESIS
    for row in made:
        row["prev_hash"] = before
        row["hash"] = before = hash_of(row)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(RIGHT)), st.integers(0, 2**32))
def test_two_runs_of_one_case_have_one_normal_form(name: str, seed: int) -> None:
    played = RIGHT[name]()
    again = another_run(played, random.Random(seed))
    assert normalise(played.evidence.timelines, TAG) == normalise(again, "klmnopqrst")


def test_nothing_that_identifies_is_left() -> None:
    text = str(normalise(no_po().evidence.timelines, TAG))
    assert not UUIDS.search(text)
    for gone in (TAG, TAG.upper(), "abcd1234", "2026-03-02T", "digest"):
        assert gone not in text


def test_the_chain_is_made_anew_and_holds() -> None:
    found = normalise(bank_change_fraud("agent").evidence.timelines, TAG)
    assert first_broken(found) is None
    assert [row["seq"] for row in found] == list(range(1, len(found) + 1))


def test_a_fact_that_differs_is_a_difference() -> None:
    def dearer(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "command.applied")[0]["data"]["amount"] = "1.00"

    right = price_variance_small()
    wrong = altered(right, dearer)
    assert normalise(right.evidence.timelines, TAG) != normalise(wrong.evidence.timelines, TAG)


def test_one_id_in_the_place_of_another_is_a_difference() -> None:
    def swapped(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "decision.made")[0]["data"]["decision_id"] = evidence["timelines"][0]["case_id"]

    right = bank_change_fraud()
    wrong = altered(right, swapped)
    assert normalise(right.evidence.timelines, TAG) != normalise(wrong.evidence.timelines, TAG)


@given(st.integers(0, 2**32))
def test_which_read_came_back_first_says_nothing(seed: int) -> None:
    """Also of records that nobody had named before, one of which is cited later on."""

    def shuffled(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rng = random.Random(seed)
        for row in (*rows(evidence, "rules.ran"), *rows(evidence, "proposal.made")):
            for name in {"read", "citations"} & set(row["data"]):
                rng.shuffle(row["data"][name])

    def cites_one(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "proposal.made")[0]["data"]["citations"].pop()

    right = altered(price_variance_small(), cites_one)
    assert normalise(right.evidence.timelines, TAG) == normalise(altered(right, shuffled).evidence.timelines, TAG)


def test_which_of_two_records_was_cited_is_a_fact() -> None:
    def cites(place: int) -> Played:
        def cited(evidence: dict[str, Any], _: dict[str, Any]) -> None:
            data = rows(evidence, "proposal.made")[0]["data"]
            data["citations"] = [data["citations"][place]]

        return altered(bank_change_fraud(), cited)

    first, second = (normalise(cites(place).evidence.timelines, TAG) for place in (0, 1))
    assert first != second


def told_by_the_mail_server(text: str) -> list[dict[str, Any]]:
    def answered(evidence: dict[str, Any], _: dict[str, Any]) -> None:
        rows(evidence, "mail.sent")[0]["data"]["recipients"][0]["detail"] = text

    return normalise(altered(no_po(), answered).evidence.timelines, TAG)


def test_of_a_mail_servers_answer_the_code_is_a_fact_and_the_words_are_its_own() -> None:
    assert told_by_the_mail_server("250 2.1.5 OK") == told_by_the_mail_server("250 2.0.0 I'll see to <x@y.example>")
    assert told_by_the_mail_server("250 2.1.5 OK") != told_by_the_mail_server("550 5.1.1 OK")
    assert told_by_the_mail_server("no answer") != told_by_the_mail_server("250 2.1.5 OK")


def timeline_of(*entries: tuple[str, int | None, str]) -> CaseTimeline:
    """`(kind, cause, text)` in order."""
    made = [
        {
            "case_id": "c",
            "seq": seq,
            "at": f"2026-01-01T00:00:{seq:02d}+00:00",
            "kind": kind,
            "actor": {"type": "desk", "id": "desk"},
            "cause": cause,
            "data": {"text": text},
            "format": 1,
        }
        for seq, (kind, cause, text) in enumerate(entries, start=1)
    ]
    rechain(made)
    return CaseTimeline(case_id="c", view={}, rows=tuple(made))


def test_siblings_under_one_cause_may_come_in_any_order() -> None:
    one = timeline_of(("opened", None, ""), ("b", 1, "x"), ("a", 1, "y"), ("under-b", 2, ""))
    other = timeline_of(("opened", None, ""), ("a", 1, "y"), ("b", 1, "x"), ("under-b", 3, ""))
    assert normalise([one], "") == normalise([other], "")
    assert [row["kind"] for row in normalise([one], "")] == ["opened", "a", "b", "under-b"]


def test_what_caused_a_row_is_a_fact() -> None:
    one = timeline_of(("opened", None, ""), ("a", 1, ""), ("b", 1, ""), ("c", 2, ""))
    other = timeline_of(("opened", None, ""), ("a", 1, ""), ("b", 1, ""), ("c", 3, ""))
    assert normalise([one], "") != normalise([other], "")


def test_a_cause_that_is_not_there_is_none() -> None:
    assert normalise([timeline_of(("a", 99, ""))], "")[0]["cause"] is None


def test_cases_stand_in_an_order_of_their_own() -> None:
    first, second = timeline_of(("a", None, "")), timeline_of(("b", None, ""))
    second = second.model_copy(update={"case_id": "d"})
    assert normalise([first, second], "") == normalise([second, first], "")


def test_the_form_has_a_version() -> None:
    assert NORMAL_FORM == "2"
