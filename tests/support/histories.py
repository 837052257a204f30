"""Right histories of the five first scenarios, as the page of doors writes them: the desk's rows, the ERP's words.

A history is built forwards, as it would happen; `altered` gives the same one with a fact changed and its chains made
good again, so that a check that fails does so for that fact alone.
"""

import copy
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from tests.support.harness import compiled

from deskworld.scoring import score
from deskworld.values.case import Case, Seeded, SeededRecord
from deskworld.values.chain import GENESIS, digest, hash_of
from deskworld.values.evidence import CaseTimeline, Evidence, PolicyReplay
from deskworld.values.realm import holders
from deskworld.values.record import MailSeen, Move, Record, Settled
from deskworld.values.verdict import Verdict
from deskworld.worlds.ap.checks import CHECKS

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
By = Literal["rules", "agent"]
STATUS = {
    "approve-variance": "APPROVED",
    "short-pay": "APPROVED",
    "reject": "REJECTED",
    "hold": "ON_HOLD",
    "request-credit-memo": "ON_HOLD",
}


@dataclass(frozen=True)
class Played:
    case: Case
    record: Record
    evidence: Evidence

    def verdict(self) -> Verdict:
        return score(self.case, self.record, self.evidence, CHECKS)

    def failed(self) -> set[str]:
        return {check.name for check in self.verdict().checks if not check.passed}


class History:
    """One case as it happens; every method adds what the desk and the ERP would write."""

    def __init__(self, name: str, *, by: By = "rules", seed: int = 7) -> None:
        self.case = compiled(name, seed, rules="on" if by == "rules" or name == "no-po" else "off")
        self.by = by
        self._count = 0
        self.records = self._records()
        self.invoice_id = self.records["invoice"].id
        self.case_id = self.new()
        self.rows: list[dict[str, Any]] = []
        self.blobs: dict[str, Any] = {}
        self.audit: list[dict[str, Any]] = []
        self.commands: list[dict[str, Any]] = []
        self.outbox: list[dict[str, Any]] = []
        self.moves: list[Move] = []
        self.mail: list[MailSeen] = []
        self.replays: list[PolicyReplay] = []
        self.identity: dict[str, str] = {}
        self.waiting: list[dict[str, Any]] = []
        self.state = "INVESTIGATING"
        self.turn: str | None = None
        self.invoice = self._invoice()
        for ref, record in self.records.items():
            self._audit("stage", None, record.kind, record.id, "post", None, {"ref": ref})

    def new(self) -> str:
        self._count += 1
        return str(uuid.UUID(int=(0x0197A0000000_7000_8000 << 48) + self._count))

    def say(self, kind: str, actor: str = "desk", cause: int | None = None, **data: Any) -> int:
        seq = len(self.rows) + 1
        row = {
            "case_id": self.case_id,
            "seq": seq,
            "at": (START + timedelta(milliseconds=10 * seq)).isoformat(timespec="microseconds"),
            "kind": kind,
            "actor": {"type": actor, "id": actor},
            "cause": seq - 1 or None if cause is None else cause,
            "data": {name.rstrip("_"): value for name, value in data.items()},
            "prev_hash": self.rows[-1]["hash"] if self.rows else GENESIS,
            "format": 1,
        }
        row["hash"] = hash_of(row)
        self.rows.append(row)
        return seq

    def keep(self, value: Any) -> str:
        name = digest(value)
        self.blobs[name] = value
        return name

    def move_to(self, state: str) -> None:
        self.say("case.moved", from_=self.state, to=state, why="so it goes")
        self.state = state

    # -- what happens

    def opened(self) -> None:
        raised = {name: value for name, value in self._raised().items() if name not in {"id", "invoice"}}
        self.say(
            "case.opened",
            "erp",
            exception_id=self.case_id,
            vendor_id=self.case.subject_id,
            rules=self.case.rules,
            world="ap",
            **raised,
        )
        self._event("match-exception.raised", {"kind": "invoice", "id": self.invoice_id, "decision_id": None})

    def rules_ran(self, outcome: str, *refs: str, reason: str | None = None) -> None:
        read = [form for ref in refs for form in self.records[ref].forms]
        given = {"case": {"id": self.case_id, "reason": self.case.follow}}
        asked = outcome != "stop"
        self.say(
            "rules.ran",
            "rules",
            outcome=outcome,
            row="a row" if asked else None,
            reason=reason,
            read=read,
            input_digest=self.keep(given) if asked else None,
            revision="r1" if asked else None,
        )

    def told(self, input_: str, label: str, subject: str, payload: dict[str, Any], cause: int | None = None) -> None:
        payload = {"type": input_, "label": label, **payload}
        self.say("agent.told", cause=cause, input=input_, label=label, subject=subject, digest=self.keep(payload))
        self.turn = self.new()
        self.say("turn.started", "agent", turn_id=self.turn, number=1, agent="a", attempt=1)

    def call(
        self, name: str, arguments: dict[str, Any], result: Any, refs: Iterable[str] = (), **more: Any
    ) -> dict[str, Any]:
        ids = [form for ref in refs for form in self.records[ref].forms]
        data = {
            "turn_id": self.turn,
            "call_id": self.new(),
            "tool": name,
            "arguments": arguments,
            "outcome": "OK",
            "code": None,
            "detail": None,
            "ids": ids,
            "result_digest": self.keep(result),
        } | more
        self.say("tool.called", "agent", **data)
        return data

    def turn_ends(self, how: str = "COMPLETED") -> None:
        self.say("turn.ended", "agent", turn_id=self.turn, how=how, usage=[], fingerprint="f" * 64, labels=[])

    def read(self, *refs: str) -> None:
        """The agent reads what a competent one would: each record by its tool."""
        tools = {"invoice": "get_invoice", "vendor": "get_vendor", "order": "get_purchase_order"}
        for ref in refs:
            self.call(tools.get(ref, "find_similar_invoices"), {}, {"ids": list(self.records[ref].forms)}, [ref])

    def writes_to_vendor(self) -> str:
        self.call("email_vendor", {"subject": "Order", "body": "Which order?"}, {"sent": True})
        message_id, address = f"<{self.new()}@deskworld.example>", self.case.script["vendor"].identity
        letter = self.keep({"raw": "Subject: Order\r\n\r\nWhich order?"})
        self.say(
            "mail.sent",
            letter_id=self.new(),
            message_id=message_id,
            to_kind="vendor",
            recipients=[{"address": address, "outcome": "accepted", "detail": ""}],
            subject="[AP abcd1234] Order",
            digest=letter,
            turn_id=self.turn,
        )
        self.mail.append(
            MailSeen(message_id=message_id, recipient=address, in_reply_to=None, subject="Order", digest="d")
        )
        return message_id

    def vendor_answers(self, letter: str, said: str, *, instructions: bool = False) -> None:
        vendor = self.case.script["vendor"].identity
        message_id, mail_id = f"<{self.new()}@{vendor.partition('@')[2]}>", self.new()
        self.moves.append(
            Move(key=letter, kind="mail", who=vendor, rule="vendor answers", row=message_id, at=0.1, said=said)
        )
        self.say(
            "mail.received",
            "vendor",
            mail_id=mail_id,
            message_id=message_id,
            digest=self.keep({"raw": f"From: {vendor}\r\n\r\n{said}"}),
            envelope_from=vendor,
            sender="known",
            joined_by="reference",
            letter_id=None,
            class_="answer",
        )
        reading = {
            "intent": "OTHER",
            "offers": [],
            "stated_price": None,
            "po_number": None,
            "substitution_reason": None,
            "shipped_item": None,
            "contains_instructions": instructions,
            "failed": False,
        }
        seq = self.say("reading.made", mail_id=mail_id, reader="lexicon", usage=None, **reading)
        payload = {"mail_id": mail_id, "reading": reading, "sender": "known"}
        self.told("reply", "reply:OTHER", mail_id, payload, cause=seq)

    def proposes(self, action: str, citations: Iterable[str], role: str, user: str | None, **more: Any) -> str:
        """Asks the policy, proposes, and requests the decision; the decision's id."""
        data = {
            "proposal_id": self.new(),
            "proposer": self.by,
            "action": action,
            "amount": None,
            "currency": "USD",
            "settles": [self.case_id],
            "against_po": None,
            "citations": list(citations),
            "rationale": "because",
            "invoice_version": self.invoice["version"],
            "turn_id": self.turn,
        } | more
        if self.by == "agent":
            arguments = {"action": action, "citations": data["citations"], "rationale": "because"}
            self.call("propose_resolution", arguments, {"routed_to": {"role": role, "user": user}})
        self.asks_policy("ap.routing", "route", role=role, user=user)
        self.say("proposal.made", self.by, **data)
        request = {
            "decision_id": self.new(),
            "proposal_id": data["proposal_id"],
            "role": role,
            "user": user,
            **{name: data[name] for name in ("action", "amount", "currency")},
        }
        self.say("decision.requested", **request)
        self.move_to("AWAITING_DECISION")
        return str(request["decision_id"])

    def asks_policy(self, policy: str, effect: str, **more: Any) -> None:
        given = {"asked": policy, "nth": len(self.rows)}
        data = {
            "policy": policy,
            "effect": effect,
            "reasons": [],
            "role": None,
            "user": None,
            "row": None,
            "input_digest": self.keep(given),
            "revision": "r1",
            "policy_decision_id": self.new(),
        } | more
        seq = self.say("policy.asked", "policy", **data)
        replayed = {name: data[name] for name in ("effect", "role", "user", "row", "revision", "reasons")}
        self.replays.append(
            PolicyReplay(case_id=self.case_id, seq=seq, policy=policy, stored_effect=effect, replayed=replayed)
        )

    def decides(self, decision_id: str, username: str, verdict: str = "approve", words: str | None = None) -> None:
        sub = self.identity.setdefault(username, f"sub-{username}")
        self.moves.append(
            Move(
                key=f"decision:{decision_id}",
                kind="decision",
                who=username,
                rule=verdict,
                row=decision_id,
                at=0.2,
                said=words,
                verdict=verdict,
            )
        )
        by = {"username": username, "sub": sub}
        self.say("decision.made", "person", decision_id=decision_id, verdict=verdict, by=by, words=words, reason=None)

    def applied(self, decision_id: str, username: str, action: str, amount: str | None = None) -> None:
        """The ERP carries it out: document, audit, and the desk's row; then the case moves."""
        self.invoice["version"] += 1
        self.invoice["status"] = STATUS[action]
        exception = self.invoice["exceptions"][0]
        holding = STATUS[action] == "ON_HOLD"
        if holding:
            why = "credit memo" if action == "request-credit-memo" else "hold"
            hold = {"id": self.new(), "why": why, "by": username, "since": START.isoformat(), "until": None}
            exception["holds"] = [{**hold, "released_at": None}]
        else:
            exception["status"] = "RESOLVED"
        self.invoice["approved_amount"] = amount
        detail = {
            "key": decision_id,
            "status": STATUS[action],
            "version": self.invoice["version"],
            "amount": amount,
            "settled": [] if holding else [self.case_id],
            "hold_id": exception["holds"][0]["id"] if holding else None,
        }
        user = {"username": username, "sub": self.identity[username]}
        self._audit("harness", user, "invoice", self.invoice_id, action, decision_id, detail)
        command = {"key": decision_id, "action": action, "invoice_id": self.invoice_id, "outcome": "applied"}
        self.commands.append({**command, "code": None, "by": {**user, "client": "harness"}})
        told = {name: detail[name] for name in ("amount", "status", "version", "key")}
        self.say("command.applied", "erp", decision_id=decision_id, action=action, **told)
        self.move_to("ON_HOLD" if holding else "RESOLVED")
        if not holding:
            cause = {"kind": "command", "id": decision_id, "decision_id": decision_id}
            self._event("match-exception.resolved", cause)

    def decided(self, decision_id: str, username: str, action: str, amount: str | None = None) -> None:
        self.decides(decision_id, username)
        self.move_to("DECIDED")
        self.applied(decision_id, username, action, amount)

    # -- the end

    def made(self) -> Played:
        last = len(self.rows)
        view = {
            "case_id": self.case_id,
            "world": "ap",
            "exception_id": self.case_id,
            "invoice_id": self.invoice_id,
            "vendor_id": self.case.subject_id,
            "reason": self.case.follow,
            "state": self.state,
            "rules": self.case.rules,
            "stopped": None,
            "seq": last,
            "in_motion": [],
            "waiting_on": self.waiting,
            "siblings": [],
            "resolved_by": None,
        }
        erp = {
            "vendor": {"id": self.case.subject_id, "ids": list(self.records["vendor"].forms)},
            "orders": [],
            "receipts": [],
            "invoices": [self.invoice, *self._earlier()],
            "commands": self.commands,
            "audit": self.audit,
            "outbox": self.outbox,
            "chain": {"ok": True, "broken": None},
        }
        record = Record(
            case=self.case,
            seeded=Seeded(records=self.records, exceptions=(self._raised(),), case_id=self.case_id),
            ending="settled",
            settled=Settled(because=self.state.lower(), state=self.state),
            moves=tuple(self.moves),
            mail=tuple(self.mail),
            seconds=0.2,
        )
        evidence = Evidence(
            timelines=(CaseTimeline(case_id=self.case_id, view=view, rows=tuple(self.rows)),),
            blobs=self.blobs,
            set_aside=(),
            erp=erp,
            mail=tuple(one.message_id for one in self.mail),
            policy=tuple(self.replays),
            identity=self.identity,
        )
        return Played(self.case, record, evidence)

    # -- parts

    def _event(self, type_: str, cause: dict[str, Any]) -> None:
        event_id = self.new()
        envelope = {"id": event_id, "type": f"deskworld.erp.{type_}", "subject": self.case_id, "data": {"cause": cause}}
        self.outbox.append(envelope)
        self.say("event.received", "erp", event_id=event_id, type=type_, subject=self.case_id, event_cause=cause)

    def _raised(self) -> dict[str, Any]:
        about = {"reason": self.case.follow, "invoice": "invoice", "invoice_id": self.invoice_id}
        return {"id": self.case_id, "amount": "40.00", "currency": "USD", **about}

    def _audit(
        self,
        client: str,
        user: dict[str, str] | None,
        kind: str,
        entity_id: str,
        action: str,
        decision_id: str | None,
        detail: dict[str, Any],
    ) -> None:
        row = {
            "seq": len(self.audit) + 1,
            "at": START.isoformat(),
            "entity": {"kind": kind, "id": entity_id},
            "vendor_id": self.case.subject_id,
            "action": action,
            "client": client,
            "user": user,
            "decision_id": decision_id,
            "detail": detail,
            "prev_hash": self.audit[-1]["hash"] if self.audit else GENESIS,
        }
        row["hash"] = hash_of(row)
        self.audit.append(row)

    def _records(self) -> dict[str, SeededRecord]:
        made = {"vendor": SeededRecord(kind="vendor", id=self.case.subject_id, forms=(self.case.subject_id,))}
        named = {"orders": "order", "receipts": "receipt", "bank_changes": "bank-change", "invoices": "invoice"}
        for part, kind in named.items():
            for one in self.case.situation[part]:
                number, new = one.get("number"), self.new()
                forms = (new, number) if number else (new,)
                made[one["ref"]] = SeededRecord(kind=kind, id=new, number=number, forms=forms)
        change = made.get("bank-change")
        if change is not None:
            vendor = made["vendor"]
            made["vendor"] = vendor.model_copy(update={"forms": (*vendor.forms, *change.forms)})
        return made

    def _earlier(self) -> list[dict[str, Any]]:
        """Invoices of the situation that came before the one in question."""
        return [
            {**sent, "id": self.records[sent["ref"]].id, "vendor_id": self.case.subject_id, "status": "APPROVED"}
            | {"computed_total": self.case.words["total"]}
            for sent in self.case.situation["invoices"][:-1]
        ]

    def _invoice(self) -> dict[str, Any]:
        sent = self.case.situation["invoices"][-1]
        exception = {"id": self.case_id, "invoice_id": self.invoice_id, "reason": self.case.follow, "status": "OPEN"}
        return {
            "id": self.invoice_id,
            "number": self.records["invoice"].number,
            "vendor_id": self.case.subject_id,
            **{name: sent[name] for name in ("po_reference", "date", "currency", "tax", "freight", "lines")},
            "matched_po": None,
            "stated_total": self.case.words["total"],
            "computed_total": self.case.words["total"],
            "status": "EXCEPTION",
            "version": 1,
            "approved_amount": None,
            "credits": "0.00",
            "exceptions": [{**exception, "masked": [], "holds": []}],
            "ids": list(self.records["invoice"].forms),
        }


def _start(name: str, by: By, *refs: str, seed: int = 7, outcome: str = "propose") -> History:
    told = History(name, by=by, seed=seed)
    told.opened()
    if by == "rules":
        told.rules_ran(outcome, *refs)
        told.asks_policy("ap.resolution", "propose", row="a row")
        return told
    told.rules_ran("stop", reason="disabled")
    told.told("rules-stopped", f"rules-stopped:{told.case.follow}:disabled", told.case_id, {"reason": "disabled"})
    told.read(*refs)
    return told


def _cites(told: History, *refs: str) -> list[str]:
    return [told.records[ref].id for ref in refs]


def price_variance_small(by: By = "rules", seed: int = 7) -> Played:
    told = _start("price-variance-small", by, "invoice", "order", seed=seed)
    buyer = told.case.script["buyer"].identity
    decision = told.proposes("approve-variance", _cites(told, "invoice", "order"), "buyer", buyer)
    told.decided(decision, buyer, "approve-variance", told.case.words["total"])
    return told.made()


def duplicate(by: By = "rules") -> Played:
    told = _start("duplicate", by, "invoice", "original")
    decision = told.proposes("reject", _cites(told, "original"), "ap-manager", None)
    told.decided(decision, holders("ap-manager")[0], "reject")
    return told.made()


def no_po() -> Played:
    told = History("no-po", by="agent")
    told.opened()
    told.rules_ran("stop", "invoice", reason="unhandled")
    told.told("rules-stopped", "rules-stopped:NO_PO:unhandled", told.case_id, {"reason": "unhandled"})
    told.read("invoice")
    letter = told.writes_to_vendor()
    told.turn_ends("WAITING")
    told.move_to("AWAITING_ANSWER")
    told.vendor_answers(letter, told.case.script["vendor"].says.said[0])
    told.move_to("INVESTIGATING")
    decision = told.proposes("hold", _cites(told, "invoice"), "clerk", None)
    told.turn_ends()
    told.decided(decision, holders("clerk")[0], "hold")
    return told.made()


def bank_change_fraud(by: By = "rules") -> Played:
    told = _start("bank-change-fraud", by, "invoice", "vendor", "bank-change")
    decision = told.proposes("hold", _cites(told, "vendor", "bank-change"), "clerk", None)
    told.decided(decision, holders("clerk")[0], "hold")
    return told.made()


def buyer_denies(by: By = "rules") -> Played:
    told = _start("buyer-denies", by, "invoice", "order")
    buyer = told.case.script["buyer"]
    facts = _cites(told, "invoice", "order")
    first = told.proposes("approve-variance", facts, "buyer", buyer.identity)
    told.decides(first, buyer.identity, "decline", buyer.declines[0].words)
    told.move_to("INVESTIGATING")
    if by == "agent":
        told.told("decision", "decision:declined", first, {"decision_id": first, "outcome": "declined"})
    decision = told.proposes("request-credit-memo", facts, "clerk", None)
    told.decided(decision, holders("clerk")[0], "request-credit-memo")
    return told.made()


RIGHT: dict[str, Callable[[], Played]] = {
    "price-variance-small": price_variance_small,
    "duplicate": duplicate,
    "no-po": no_po,
    "bank-change-fraud": bank_change_fraud,
    "buyer-denies": buyer_denies,
    "price-variance-small, agent": lambda: price_variance_small("agent"),
    "duplicate, agent": lambda: duplicate("agent"),
    "bank-change-fraud, agent": lambda: bank_change_fraud("agent"),
    "buyer-denies, agent": lambda: buyer_denies("agent"),
}


# -- the same history with something else in it


def altered(played: Played, edit: Callable[[dict[str, Any], dict[str, Any]], None], *, rehash: bool = True) -> Played:
    """`edit` changes plain copies of evidence and record; the chains are made good again unless the test says not."""
    evidence = copy.deepcopy(played.evidence.model_dump(mode="json"))
    record = copy.deepcopy(played.record.model_dump(mode="json"))
    edit(evidence, record)
    if rehash:
        for timeline in evidence["timelines"]:
            _rechain(timeline["rows"])
        if evidence["erp"]:
            _rechain(evidence["erp"]["audit"])
    return Played(played.case, Record.model_validate(record), Evidence.model_validate(evidence))


def rows(evidence: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [row for timeline in evidence["timelines"] for row in timeline["rows"] if row["kind"] == kind]


def insert(evidence: dict[str, Any], after: str, kind: str, **data: Any) -> dict[str, Any]:
    """A row more, behind the last one of kind `after`; later rows, and the view, move on by one."""
    timeline = evidence["timelines"][0]
    place = max(at for at, row in enumerate(timeline["rows"]) if row["kind"] == after) + 1
    row = {**copy.deepcopy(timeline["rows"][place - 1]), "kind": kind, "data": data}
    timeline["rows"].insert(place, row)
    renumber(evidence)
    return row


def renumber(evidence: dict[str, Any]) -> None:
    """Sequence numbers without a gap, also where rows are named by them."""
    for timeline in evidence["timelines"]:
        places = {row["seq"]: place for place, row in reversed(list(enumerate(timeline["rows"], start=1)))}
        for replay in evidence["policy"]:
            if replay["case_id"] == timeline["case_id"]:
                replay["seq"] = places.get(replay["seq"], replay["seq"])
        for place, row in enumerate(timeline["rows"], start=1):
            row["cause"] = places.get(row["cause"]) if row["cause"] else None
            row["seq"] = place
        timeline["view"]["seq"] = len(timeline["rows"])


def invoice(evidence: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = evidence["erp"]["invoices"][0]
    return found


def half_off(amount: str) -> str:
    return str((Decimal(amount) / 2).quantize(Decimal("0.01")))


def _rechain(chained: list[dict[str, Any]]) -> None:
    before = GENESIS
    for row in chained:
        row["prev_hash"] = before
        row["hash"] = before = hash_of(row)
