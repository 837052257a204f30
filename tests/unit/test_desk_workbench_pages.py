"""What pages show: every kind of row in words, and what others wrote as text that is seen whole."""

from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.desk_ap import CASE_ID, INVOICE_ID

from deskworld_desk.timeline.kinds import KINDS
from deskworld_desk.workbench.pages.render import Renderer, visible
from deskworld_desk.workbench.pages.telling import WORDS, Line, Told, line, told
from deskworld_desk.world import InWords, Proposed
from deskworld_desk.worlds.ap.actions import ACTIONS
from deskworld_desk.worlds.ap.wording import HEADLINES, in_words

BY = {"username": "anna.keller", "sub": "7f0c"}
HOSTILE = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}\u202e0001\u200b\x00\ud800</textarea>"
)
RENDER = Renderer(issuer="http://issuer.test/realms/deskworld")

ROWS: dict[str, dict[str, Any]] = {
    "case.opened": {"reason": "NO_PO", "amount": "40.00", "currency": "USD"},
    "event.received": {"type": "receipt.posted"},
    "event.ignored": {"type": "receipt.posted", "why": "repeated"},
    "rules.ran": {"outcome": "stop", "reason": "unhandled", "row": None},
    "fact.established": {"fact": "letter", "value": {"a": 1}, "how": "read"},
    "agent.told": {"label": "note"},
    "turn.started": {"agent": "playbook", "number": 1},
    "tool.called": {"tool": "get_invoice", "outcome": "REFUSED", "code": "TOOL_LIMIT", "detail": "40 calls"},
    "turn.ended": {"how": "COMPLETED"},
    "question.asked": {"to": "anna.keller", "text": "Which order?"},
    "question.answered": {"by": BY, "text": "PO-1"},
    "mail.sent": {"recipients": [{"address": "a@b.example", "outcome": "refused", "detail": ""}], "subject": "Hello"},
    "mail.received": {"envelope_from": None, "sender": "stranger", "class": "answer"},
    "mail.marked": {"mail_id": "m", "marks": ["charset-wrong"]},
    "mail.bounced": {"deliveries": [{"address": "a@b.example", "action": "failed", "status": "5.1.1"}]},
    "mail.dismissed": {"mail_id": "m", "by": BY, "reason": "an advertisement"},
    "mail.set-aside": {"envelope_from": None, "why": "unmatched"},
    "reading.made": {"reader": "lexicon", "intent": "DENIES", "contains_instructions": True, "failed": False},
    "policy.asked": {"policy": "ap.routing", "effect": "refuse", "user": None, "role": None,
                     "reasons": [{"code": "X", "text": "no"}]},
    "proposal.made": {"action": "hold", "amount": None, "currency": "USD", "rationale": "because"},
    "proposal.withdrawn": {"why": "stale"},
    "decision.requested": {"user": None, "role": "clerk", "action": "hold", "amount": None, "currency": "USD"},
    "decision.made": {"verdict": "decline", "by": BY, "words": "no", "reason": "RETURN_GOODS"},
    "decision.needs-decider": {"whom": BY, "why": "the token ended"},
    "command.applied": {"action": "hold", "status": "ON_HOLD"},
    "command.refused": {"code": "STALE_VERSION", "detail": "moved on"},
    "case.moved": {"from": "INVESTIGATING", "to": "RESOLVED", "why": "settled"},
    "hold.kept": {"reason": "not yet"},
    "person.noted": {"by": BY, "text": "called them"},
    "flag.cleared": {"by": BY, "confirmed_by": BY, "flag": "instructions", "mail_id": "m", "reason": "a greeting"},
    "feedback.given": {"by": BY, "about": "turn 1", "text": "good"},
}  # fmt: skip


def test_every_kind_of_row_has_words() -> None:
    assert set(WORDS) == set(KINDS) == set(ROWS)


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_is_one_sentence_and_shows_no_python(kind: str) -> None:
    said = told(kind, ROWS[kind])
    assert said.sentence[-1] in ".:" or kind == "policy.asked"
    assert not {"None", "{'", "Told("} & set(said.sentence.split())
    assert "None" not in said.sentence


ALARMS = {"tool.called", "mail.sent", "mail.received", "mail.marked", "mail.bounced", "reading.made", "policy.asked", "decision.needs-decider",
          "command.refused"}  # fmt: skip


def test_what_must_not_be_missed_is_marked() -> None:
    assert {kind for kind, data in ROWS.items() if told(kind, data).alarm} == ALARMS


def test_a_kind_of_row_that_has_no_words_yet_is_shown_all_the_same() -> None:
    row = {"seq": 3, "at": "2026-01-01T00:00:00+00:00", "kind": "moon.landed", "actor": {"type": "desk", "id": "desk"},
           "data": {"where": "Mare", "empty": None}}  # fmt: skip
    shown = line(row, {})
    assert (shown.told.sentence, shown.details) == ("moon.landed", (("where", "Mare"),))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Muster AG", "Muster AG"),
        ("Grüße – 日本\nzweite\tZeile", "Grüße – 日本\nzweite\tZeile"),
        ("100\u202e001", "100[U+202E]001"),
        ("pay\u200bpal\ufeff", "pay[U+200B]pal[U+FEFF]"),
        ("\x00\x1b[31m\r", "[U+0000][U+001B][31m[U+000D]"),
        ("\ud800", "[U+D800]"),
        ("a\u2028b\u2029", "a[U+2028]b[U+2029]"),
        (7, 7),
    ],
)
def test_a_character_that_hides_or_turns_text_round_is_spelled_out(text: object, shown: object) -> None:
    assert visible(text) == shown


class Page(HTMLParser):
    """Which elements there are, and all that is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[str] = []
        self.read = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.read += data


def decision(**changes: Any) -> dict[str, Any]:
    plain = {
        "decision_id": "d-1", "yours": True, "open": True, "whom": {"role": "clerk", "user": None, "address": None},
        "state": "OPEN", "state_in_words": "waits to be decided", "by": None, "code": None, "detail": None,
        "words": None,
        "due_at": "2026-01-04T00:00:00+00:00", "warnings": [], "in_words": InWords("Pay", (("For whom", "Muster"),)),
        "rationale": "because", "citations": [{"id": "x", "read": True}], "provenance": (("proposer", "rules"),),
        "verdict": None,
    }  # fmt: skip
    return plain | changes


def case_page(**changes: Any) -> Page:
    who = SimpleNamespace(username="anna.keller", is_person=True, roles={"buyer"})
    case = {"reason": "NO_PO", "state": "AWAITING_DECISION", "waiting_on": [], "in_motion": [], "case_id": CASE_ID,
            "siblings": []}  # fmt: skip
    plain = {
        "visitor": SimpleNamespace(csrf="c", who=who), "said": None, "wrong": None, "case": case, "summary": "s",
        "sent": {"verdict": "", "words": "", "reason": ""}, "amount": "1.00 USD", "warnings": [], "questions": [],
        "opened_at": "2026-01-01T00:00:00+00:00", "decisions": [decision()], "lines": [],
    }  # fmt: skip
    return Page(bytes(RENDER.page("case.html", **plain | changes).body).decode())


def hostile_line() -> Line:
    return Line(1, "2026-01-01T00:00:00+00:00", HOSTILE, HOSTILE, Told(HOSTILE, HOSTILE, alarm=True),
                ((HOSTILE, HOSTILE),), HOSTILE)  # fmt: skip


def test_what_others_wrote_is_text_wherever_it_stands() -> None:
    words = InWords(HOSTILE, ((HOSTILE, HOSTILE),), (HOSTILE,))
    one = decision(in_words=words, rationale=HOSTILE, warnings=[HOSTILE], words=HOSTILE, detail=HOSTILE, code=HOSTILE,
                   by=HOSTILE, citations=[{"id": HOSTILE, "read": False}], provenance=((HOSTILE, HOSTILE),),
                   whom={"role": None, "user": HOSTILE, "address": None})  # fmt: skip
    question = {"to": HOSTILE, "text": HOSTILE, "asked_at": "2026-01-01T00:00:00+00:00"}
    sent = {"verdict": "decline", "words": HOSTILE, "reason": HOSTILE}
    page = case_page(decisions=[one], lines=[hostile_line()], questions=[question], sent=sent, wrong=HOSTILE,
                     said=one, warnings=[HOSTILE], summary=HOSTILE)  # fmt: skip
    honest = case_page(
        decisions=[decision(words="w", detail="d", code="c", by="b", warnings=["w"])],
        lines=[Line(1, "2026-01-01T00:00:00+00:00", "w", "k", Told("s", "q", alarm=True), (("a", "b"),), "l")],
        questions=[question | {"to": "t", "text": "t"}], sent=sent | {"words": "w", "reason": ""}, wrong="w",
        said=one | {"code": "c", "detail": "d"}, warnings=["w"],
    )  # fmt: skip
    # an unread citation carries its warning, and a name instead of a role changes no element
    assert [tag for tag in page.elements if tag != "strong"] == [tag for tag in honest.elements if tag != "strong"]
    assert not {"script", "img"} & set(page.elements)
    assert not {name for name in page.attributes if name.startswith("on")}
    assert page.read.count("<script>alert(1)</script>") >= 20
    assert "[U+202E]0001[U+200B][U+0000][U+D800]" in page.read
    assert "{{ 7*7 }}" in page.read
    assert "49" not in page.read


def test_a_citation_that_nobody_read_carries_its_warning() -> None:
    page = case_page(decisions=[decision(citations=[{"id": "x", "read": True}, {"id": "y", "read": False}])])
    assert page.read.count("nobody on this case read it") == 1


@pytest.mark.parametrize(("changes", "forms"), [({"yours": False}, 1), ({}, 3)])
def test_only_who_may_decide_gets_the_forms(changes: dict[str, Any], forms: int) -> None:
    assert case_page(decisions=[decision(**changes)]).elements.count("form") == forms


@pytest.mark.parametrize("verdict", ["approve", "decline"])
def test_who_is_needed_once_more_can_say_the_same_again_and_nothing_else(verdict: str) -> None:
    one = decision(
        state="NEEDS_DECIDER", state_in_words="was made and not carried out", verdict=verdict, words="as I said"
    )
    page = case_page(decisions=[one])
    assert page.elements.count("form") == 2, "signing out, and the one verdict"
    assert page.read.count("as I said") == 2, "on record, and in the form again"


def test_every_field_has_a_label_and_every_page_a_heading() -> None:
    text = bytes(RENDER.page("signed-out.html").body).decode()
    assert text.count("<h1>") == 1
    assert '<html lang="en">' in text
    page = case_page()
    assert page.elements.count("h1") == page.elements.count("main") == 1
    assert page.attributes.count("for") == page.elements.count("textarea") + 3, "two fields of words, three choices"


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_a_decider_reads_what_changes_for_whom_and_how_much(action: str) -> None:
    changes = {
        "invoice": {"id": INVOICE_ID, "number": "INV-7"}, "vendor": {"id": "v", "name": "Muster {x} AG"},
        "status": {"from": "EXCEPTION", "to": "APPROVED"}, "computed_total": "1040.00", "payable": "1000.00",
        "settles": [{"id": CASE_ID, "reason": "PRICE_VARIANCE"}], "masked": [{"id": "m", "reason": "DUPLICATE"}],
    }  # fmt: skip
    said = in_words(Proposed(action, "1000.00", "EUR", None, changes))
    assert action in HEADLINES
    assert "INV-7" in said.headline
    assert "Muster {x} AG" in said.headline
    assert {"For whom", "How much is paid", "Settles", "Status of the invoice"} <= {label for label, _ in said.lines}
    assert len(said.warnings) == 1, "what the match found behind the open finding is said"


def test_a_proposal_about_an_invoice_that_could_not_be_read_says_so() -> None:
    said = in_words(Proposed("hold", None, "EUR", None, {}))
    assert said.warnings == ("The invoice could not be read when this was proposed.",)
    assert dict(said.lines)["How much is paid"] == "nothing"
