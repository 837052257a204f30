"""What a row says is held against who else was there: an event against how often it was sent, a letter of the script
against where it came to be, a mail against who was asked, an audit row against its command."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.stored_runs import run

from deskworld.calibration.mending import mend
from deskworld.scoring import score
from deskworld.values.evidence import Evidence
from deskworld.worlds.ap.checks import CHECKS

Json = dict[str, Any]


def of(evidence: Json, kind: str) -> list[Json]:
    return [row for row in evidence["timelines"][0]["rows"] if row["kind"] == kind]


def a_note_of_an_event_is_gone(evidence: Json) -> None:
    evidence["timelines"][0]["rows"].remove(of(evidence, "event.ignored")[-1])


def an_event_was_ignored_for_another_reason(evidence: Json) -> None:
    of(evidence, "event.ignored")[0]["data"]["why"] = "closed"


def an_event_was_known_before_it_came(evidence: Json) -> None:
    [received] = [row for row in of(evidence, "event.received") if row["data"]["event_id"] == _again(evidence)]
    received["kind"], received["data"] = "event.ignored", {**received["data"], "why": "repeated"}


def _again(evidence: Json) -> str:
    """The event that was sent again."""
    return str(of(evidence, "event.ignored")[0]["data"]["event_id"])


def the_letter_set_aside_is_gone(evidence: Json) -> None:
    evidence["set_aside"].clear()


def somebody_else_is_said_to_have_written_it(evidence: Json) -> None:
    evidence["set_aside"][0]["data"]["envelope_from"] = "ap@somebody.example"


def it_is_said_to_have_been_unreadable(evidence: Json) -> None:
    evidence["set_aside"][0]["data"]["why"] = "unreadable"


def a_server_answered_with_another_word(evidence: Json) -> None:
    of(evidence, "mail.sent")[0]["data"]["recipients"][0]["outcome"] = "perhaps"


def the_mail_that_asks_the_buyer_is_of_a_turn(evidence: Json) -> None:
    of(evidence, "mail.sent")[0]["data"]["turn_id"] = "01a22f70-0f52-7428-a4e3-811775be8b5b"


def the_command_settled_nothing(evidence: Json) -> None:
    for row in evidence["erp"]["audit"]:
        if row["detail"].get("settled"):
            row["detail"]["settled"] = []


def it_is_matched_against_an_order_that_there_is_not(evidence: Json) -> None:
    for one in evidence["erp"]["invoices"]:
        one["matched_po"] = "PO-NOBODY"


@pytest.mark.parametrize(
    ("name", "change", "check"),
    [
        ("redelivered", a_note_of_an_event_is_gone, "events-tell-the-books"),
        ("redelivered", an_event_was_ignored_for_another_reason, "events-tell-the-books"),
        ("redelivered", an_event_was_known_before_it_came, "events-tell-the-books"),
        ("unsolicited-bank-change", the_letter_set_aside_is_gone, "letters-as-written"),
        ("unsolicited-bank-change", somebody_else_is_said_to_have_written_it, "letters-as-written"),
        ("unsolicited-bank-change", it_is_said_to_have_been_unreadable, "letters-as-written"),
        ("price-variance-small", a_server_answered_with_another_word, "asked-as-called"),
        ("price-variance-small", the_mail_that_asks_the_buyer_is_of_a_turn, "asked-as-called"),
        ("price-variance-small", the_command_settled_nothing, "books-agree"),
        ("duplicate", it_is_matched_against_an_order_that_there_is_not, "books-agree"),
    ],
)
def test_what_nobody_else_bears_out_fails(name: str, change: Callable[[Json], None], check: str) -> None:
    found = run(name)
    evidence: Json = json.loads(found.evidence.model_dump_json())
    change(evidence)
    mend(evidence)
    verdict = score(found.judged, found.record, Evidence.model_validate(evidence), CHECKS)
    assert check in {one.name for one in verdict.checks if not one.passed}


@pytest.mark.parametrize("name", ["redelivered", "unsolicited-bank-change"])
def test_as_it_was_played_it_passes(name: str) -> None:
    found = run(name)
    verdict = score(found.judged, found.record, found.evidence, CHECKS)
    assert [(one.name, one.findings) for one in verdict.checks if not one.passed] == []


@pytest.mark.parametrize("why", ["old-version", "closed"])
def test_an_event_that_changed_nothing_when_it_came_may_come_again(why: str) -> None:
    found = run("redelivered")
    evidence: Json = json.loads(found.evidence.model_dump_json())
    [came] = [row for row in of(evidence, "event.received") if row["data"]["event_id"] == _again(evidence)]
    came["kind"] = "event.ignored"
    came["data"] = {"event_id": came["data"]["event_id"], "type": came["data"]["type"], "why": why}
    verdict = score(found.judged, found.record, Evidence.model_validate(evidence), CHECKS)
    [check] = [one for one in verdict.checks if one.name == "events-tell-the-books"]
    assert check.findings == ()


def test_a_change_of_the_invoice_that_was_not_worth_a_note_may_come_again() -> None:
    found = run("redelivered")
    evidence: Json = json.loads(found.evidence.model_dump_json())
    changed = next(row for row in of(evidence, "event.received") if row["data"]["type"] == "invoice.changed")
    changed["kind"] = "event.ignored"
    changed["data"] = {"event_id": changed["data"]["event_id"], "type": "invoice.changed", "why": "repeated"}
    verdict = score(found.judged, found.record, Evidence.model_validate(evidence), CHECKS)
    [check] = [one for one in verdict.checks if one.name == "events-tell-the-books"]
    assert check.findings == ()
