"""What pages show: every kind of row in words, and what others wrote as text that is seen whole."""

from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.desk_ap import CASE_ID, INVOICE_ID

from deskworld_desk.timeline.kinds import KINDS
from deskworld_desk.workbench.pages.doorway import Wrong
from deskworld_desk.workbench.pages.render import Renderer, navigation, visible
from deskworld_desk.workbench.pages.telling import WORDS, Line, Told, line, told
from deskworld_desk.world import InWords, Proposed
from deskworld_desk.worlds.ap.actions import ACTIONS
from deskworld_desk.worlds.ap.wording import HEADLINES, in_words
from deskworld_kit.identity import Principal

BY = {"username": "anna.keller", "sub": "7f0c"}
HOSTILE = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}\u202e0001\u200b\x00\ud800</textarea>"
)
AT = "2026-01-01T00:00:00+00:00"
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
    "deadline.passed": {"what": "decision", "due_at": "2026-01-04T00:00:00+00:00"},
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


ALARMS = {"tool.called", "mail.sent", "mail.received", "mail.marked", "mail.bounced", "reading.made", "policy.asked",
          "deadline.passed", "decision.needs-decider", "command.refused"}  # fmt: skip


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
        self.names: list[str | None] = []
        self.fields: set[str | None] = set()
        self.labelled: set[str | None] = set()
        self.read = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [name for name, _ in attrs]
        found = dict(attrs)
        if tag in {"input", "textarea", "select"}:
            self.names.append(found.get("name"))
            if found.get("type") != "hidden":
                self.fields.add(found.get("id"))
        if tag == "label":
            self.labelled.add(found.get("for"))

    def unlabelled(self) -> set[str | None]:
        return self.fields - self.labelled

    def handle_data(self, data: str) -> None:
        self.read += data


def decision(**changes: Any) -> dict[str, Any]:
    plain = {
        "decision_id": "d-1", "yours": True, "open": True, "whom": {"role": "clerk", "user": None, "address": None},
        "state": "OPEN", "state_in_words": "waits to be decided", "by": None, "code": None, "detail": None,
        "words": None, "reason": None,
        "due_at": AT, "in_words": InWords("Pay", (("For whom", "Muster"),)),
        "rationale": "because", "citations": [{"id": "x", "read": True}], "provenance": (("proposer", "rules"),),
        "verdict": None,
    }  # fmt: skip
    return plain | changes


def question(text: str = "Which order?", *, yours: bool = True) -> dict[str, Any]:
    return {"question_id": "q-1", "to": text, "text": text, "asked_at": AT, "due_at": AT, "yours": yours}


def flag(text: str | None, **changes: Any) -> dict[str, Any]:
    return {"flag_id": "f-1", "case_id": CASE_ID, "mail_id": "m-1", "flag": "instructions", "state": "ASKED",
            "raised_at": AT, "reason": text, "asked_by": text, "asked_at": AT, "confirmed_by": text, "cleared_at": None,
            "may_ask": True, "may_confirm": True, "may_keep": True} | changes  # fmt: skip


VISITOR = SimpleNamespace(
    csrf="c", who=SimpleNamespace(username="anna.keller", is_person=True, roles={"buyer", "ap-manager", "controller"})
)
MAY = {"note": True, "take_up": True, "close": True, "budget": True}


def rendered(template: str, **values: Any) -> Page:
    return Page(bytes(RENDER.page(template, visitor=VISITOR, **values).body).decode())


def case_page(**changes: Any) -> Page:
    case = {"reason": "NO_PO", "state": "AWAITING_DECISION", "waiting_on": [], "in_motion": [], "case_id": CASE_ID,
            "siblings": [], "seq": 12}  # fmt: skip
    plain = {
        "said": None, "did": None, "wrong": None, "case": case, "summary": "s",
        "amount": "1.00 USD", "warnings": [], "questions": [], "flags": [], "etag": '"e"',
        "budget": {"turns": 12, "turns_used": 1, "input_tokens": 9, "input_tokens_used": 0, "spent": False},
        "opened_at": AT, "decisions": [decision()], "lines": [], "may": dict.fromkeys(MAY, False),
        "actions": ["hold"], "about": [(CASE_ID, "the case")], "here": "worklist",
    }  # fmt: skip
    return rendered("case.html", **plain | changes)


def wrong(form: str, text: str) -> Wrong:
    fields = ("words", "text", "note", "reason", "rationale", "amount", "against_po", "settles", "citations", "typed",
              "phone", "comment", "turns", "input_tokens", "about", "answer", "action")  # fmt: skip
    row = {"seq": 9, "kind": text, "actor": {"type": text, "id": text}}
    return Wrong(form, text, 409, (row,), dict.fromkeys(fields, text))


def whole_case(text: str, form: str) -> Page:
    words = InWords(text, ((text, text),), (text,))
    one = decision(in_words=words, rationale=text, words=text, detail=text, code=text, by=text,
                   citations=[{"id": text, "read": False}], provenance=((text, text),),
                   whom={"role": None, "user": text, "address": None})  # fmt: skip
    line = Line(1, AT, text, text, Told(text, text, alarm=True), ((text, text),), text)
    return case_page(
        decisions=[one], lines=[line], questions=[question(text)], wrong=wrong(form, text), said=one, warnings=[text],
        summary=text, flags=[flag(text)], may=MAY, actions=[text], about=[(text, text)],
    )  # fmt: skip


FORMS = ("approve", "decline", "answer", "note", "feedback", "resume", "propose", "close", "budget", "gone")


@pytest.mark.parametrize("form", FORMS)
def test_what_others_wrote_is_text_wherever_it_stands_on_a_case(form: str) -> None:
    page, honest = whole_case(HOSTILE, form), whole_case("w", form)
    assert page.elements == honest.elements
    shows_it_whole(page, at_least=20)
    assert set(page.attributes) - {"selected"} == set(honest.attributes) - {"selected"}


def mail(text: str) -> dict[str, Any]:
    return {"mail_id": "m-1", "received_at": AT, "state": "ASIDE", "why": "unmatched", "size": 3, "message_id": text,
            "envelope_from": text, "header_from": text, "subject": text, "class": "answer", "marks": [text],
            "text": text, "unreadable": text, "attachments": [text], "in_reply_to": [text],
            "wrote_to": [CASE_ID]}  # fmt: skip


def change(text: str) -> dict[str, Any]:
    step = {"by": text, "at": AT, "comment": text}
    return {"change": {"id": "c-1", "account": text, "routing": text, "status": "CALLED_BACK", "requested_from": text,
                       "proposed_by": text, "proposed_at": AT, "confirmation": step, "rejection": step,
                       "call_back": step | {"phone": text, "contact": text, "answer": "yes"}},
            "party": {"id": text, "name": text, "contacts": [{"name": text, "phone": text, "trusted_since": text}]},
            "next": ["call-back", "confirm", "reject"]}  # fmt: skip


def other_page(name: str, text: str) -> Page:
    keys = dict.fromkeys(("call-back", "confirm", "reject"), "k")
    match name:
        case "flags":
            return rendered("flags.html", flags=[flag(text)], did=None, wrong=wrong("clear-f-1", text), here="flags")
        case "mails":
            return rendered("mails.html", items=[mail(text)], count=1, older=text, did=None, here="mail")
        case "mail":
            return rendered("mail.html", mail=mail(text), address="/m", wrong=wrong("dismiss", text), here="mail")
        case "bank-changes":
            items = [change(text)]
            return rendered("bank-changes.html", items=items, older=text, every=False, here="bank-changes")
        case "bank-change":
            return rendered("bank-change.html", may_verify=True, keys=keys, did=None, wrong=wrong("call-back", text),
                            here="bank-changes", **change(text))  # fmt: skip
        case _:
            return rendered("oversight.html", **overseen(text), wrong=wrong("pause", text))


def overseen(text: str) -> dict[str, Any]:
    who = {"username": text, "sub": text}
    past = {"paused_at": AT, "paused_by": who, "reason": text, "resumed_at": AT, "resumed_by": who}
    waiting = {"decisions": [{"whom": {"role": None, "user": text, "address": None}, "count": 1, "oldest": AT}],
               "questions": 1, "answers_by_mail": 1, "unmatched_mail": 1, "flags": 1}  # fmt: skip
    return {"agents": {"paused": False, "pause": None, "clients_waiting": 0}, "pauses": [past], "waiting": waiting,
            "running": [{"turn_id": "t", "case_id": CASE_ID, "agent": text, "number": 1, "since": AT}],
            "held": {"inputs": 0, "cases": []}, "cases": {"ON_HOLD": 1}, "budget": {"turns": 12, "input_tokens": 9},
            "controls": True, "did": None, "here": "oversight"}  # fmt: skip


PAGES = ("flags", "mails", "mail", "bank-changes", "bank-change", "oversight")


@pytest.mark.parametrize("name", PAGES)
def test_what_others_wrote_is_text_on_every_page(name: str) -> None:
    page, honest = other_page(name, HOSTILE), other_page(name, "w")
    assert page.elements == honest.elements
    shows_it_whole(page, at_least=2)


def shows_it_whole(page: Page, *, at_least: int) -> None:
    assert not {"script", "img"} & set(page.elements)
    assert not {name for name in page.attributes if name.startswith("on")}
    assert page.read.count("<script>alert(1)</script>") >= at_least
    assert "[U+202E]0001[U+200B][U+0000][U+D800]" in page.read
    assert "{{ 7*7 }}" in page.read
    assert "49" not in page.read


@pytest.mark.parametrize("name", [*PAGES, "case"])
def test_every_field_has_a_label_and_every_form_a_secret(name: str) -> None:
    page = whole_case("w", "note") if name == "case" else other_page(name, "w")
    assert page.elements.count("h1") == page.elements.count("main") == 1
    assert page.unlabelled() == set()
    assert page.elements.count("form") == page.names.count("csrf")


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


def test_the_page_of_a_signed_out_browser_has_a_heading_and_a_language() -> None:
    text = bytes(RENDER.page("signed-out.html").body).decode()
    assert text.count("<h1>") == 1
    assert '<html lang="en">' in text


@pytest.mark.parametrize(
    ("roles", "pages"),
    [
        ({"buyer"}, ["worklist", "flags", "bank-changes"]),
        ({"ap-manager"}, ["worklist", "flags", "bank-changes", "mail", "oversight"]),
        ({"controller"}, ["worklist", "flags", "bank-changes", "oversight"]),
        ({"auditor"}, ["worklist", "flags", "bank-changes", "oversight"]),
    ],
)
def test_a_person_is_led_to_the_pages_that_they_may_open(roles: set[str], pages: list[str]) -> None:
    who = Principal("1", "somebody", "workbench", frozenset(roles))
    assert [name for name, _, _ in navigation(who)] == pages


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
