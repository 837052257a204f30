"""One case as it happens, as the page of doors writes it: the desk's rows, and what the ERP and the mail keep beside.

A history is built forwards: every method adds what the desk and its neighbours would write, `made` ends it.
"""

from collections.abc import Iterable
from typing import Any, Literal

from tests.support.harness import compiled
from tests.support.histories import letters
from tests.support.histories.erp import Erp
from tests.support.histories.played import Played
from tests.support.histories.situation import earlier_invoices, raised, records_of
from tests.support.histories.timeline import Timeline, ids

from deskworld.values.case import Seeded
from deskworld.values.evidence import CaseTimeline, Evidence, PolicyReplay
from deskworld.values.record import MailSeen, Move, Record, Settled

By = Literal["rules", "agent"]
READING_TOOLS = {"invoice": "get_invoice", "vendor": "get_vendor", "order": "get_purchase_order"}


class History(Timeline):
    def __init__(self, name: str, *, by: By = "rules", seed: int = 7) -> None:
        self.case = compiled(name, seed, rules="on" if by == "rules" or name == "no-po" else "off")
        self.by = by
        self.new = ids()
        self.records = records_of(self.case, self.new)
        self.invoice_id = self.records["invoice"].id
        super().__init__(case_id=self.new())
        self.erp = Erp(self.case, self.records, self.case_id, self.new)
        self.moves: list[Move] = []
        self.mail: list[MailSeen] = []
        self.replays: list[PolicyReplay] = []
        self.identity: dict[str, str] = {}
        self.waiting: list[dict[str, Any]] = []
        self.turn: str | None = None

    def opened(self) -> None:
        about = {name: value for name, value in self._raised().items() if name not in {"id", "invoice"}}
        self.say(
            "case.opened",
            "erp",
            exception_id=self.case_id,
            vendor_id=self.case.subject_id,
            rules=self.case.rules,
            world="ap",
            **about,
        )
        self._hears("match-exception.raised", {"kind": "invoice", "id": self.invoice_id, "decision_id": None})

    def rules_ran(self, outcome: str, *refs: str, reason: str | None = None) -> None:
        given = {"case": {"id": self.case_id, "reason": self.case.follow}}
        asked = outcome != "stop"
        self.say(
            "rules.ran",
            "rules",
            outcome=outcome,
            row="a row" if asked else None,
            reason=reason,
            read=self._forms(refs),
            input_digest=self.keep(given) if asked else None,
            revision="r1" if asked else None,
        )

    # -- the agent's turns

    def told(self, input_: str, label: str, subject: str, payload: dict[str, Any], cause: int | None = None) -> None:
        payload = {"type": input_, "label": label, **payload}
        self.say("agent.told", cause=cause, input=input_, label=label, subject=subject, digest=self.keep(payload))
        self.turn = self.new()
        self.say("turn.started", "agent", turn_id=self.turn, number=1, agent="a", attempt=1)

    def call(
        self, name: str, arguments: dict[str, Any], result: Any, refs: Iterable[str] = (), **more: Any
    ) -> dict[str, Any]:
        data = {
            "turn_id": self.turn,
            "call_id": self.new(),
            "tool": name,
            "arguments": arguments,
            "outcome": "OK",
            "code": None,
            "detail": None,
            "ids": self._forms(refs),
            "result_digest": self.keep(result),
        } | more
        self.say("tool.called", "agent", **data)
        return data

    def read(self, *refs: str) -> None:
        """The agent reads what a competent one would: each record by its tool."""
        for ref in refs:
            tool = READING_TOOLS.get(ref, "find_similar_invoices")
            self.call(tool, {}, {"ids": list(self.records[ref].forms)}, [ref])

    def turn_ends(self, how: str = "COMPLETED") -> None:
        self.say("turn.ended", "agent", turn_id=self.turn, how=how, usage=[], fingerprint="f" * 64, labels=[])

    # -- letters

    def writes_to_vendor(self) -> str:
        """The letter's Message-ID."""
        self.call("email_vendor", {"subject": "Order", "body": "Which order?"}, {"sent": True})
        message_id, vendor = f"<{self.new()}@deskworld.example>", self.case.script["vendor"].identity
        raw = self.keep({"raw": "Subject: Order\r\n\r\nWhich order?"})
        self.say("mail.sent", **letters.sent(message_id, self.new(), vendor, raw, self.turn))
        self.mail.append(
            MailSeen(message_id=message_id, recipient=vendor, in_reply_to=None, subject="Order", digest="d")
        )
        return message_id

    def vendor_answers(self, letter: str, said: str, *, instructions: bool = False) -> None:
        vendor = self.case.script["vendor"].identity
        message_id, mail_id = f"<{self.new()}@{vendor.partition('@')[2]}>", self.new()
        self.moves.append(
            Move(key=letter, kind="mail", who=vendor, rule="vendor answers", row=message_id, at=0.1, said=said)
        )
        raw = self.keep({"raw": f"From: {vendor}\r\n\r\n{said}"})
        self.say("mail.received", "vendor", **letters.received(message_id, mail_id, vendor, raw))
        reading = letters.reading(instructions=instructions)
        seq = self.say("reading.made", mail_id=mail_id, reader="lexicon", usage=None, **reading)
        payload = {"mail_id": mail_id, "reading": reading, "sender": "known"}
        self.told("reply", "reply:OTHER", mail_id, payload, cause=seq)

    # -- proposals and decisions

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
            "invoice_version": self.erp.invoice["version"],
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
        """The ERP carries it out, the desk writes what it answered, and the case moves."""
        user = {"username": username, "sub": self.identity[username]}
        answer = self.erp.carries_out(decision_id, user, action, amount)
        self.say("command.applied", "erp", decision_id=decision_id, action=action, **answer)
        if answer["status"] == "ON_HOLD":
            self.move_to("ON_HOLD")
            return
        self.move_to("RESOLVED")
        self._hears("match-exception.resolved", {"kind": "command", "id": decision_id, "decision_id": decision_id})

    def decided(self, decision_id: str, username: str, action: str, amount: str | None = None) -> None:
        self.decides(decision_id, username)
        self.move_to("DECIDED")
        self.applied(decision_id, username, action, amount)

    # -- the end

    def made(self) -> Played:
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
            timelines=(CaseTimeline(case_id=self.case_id, view=self._view(), rows=tuple(self.rows)),),
            blobs=self.blobs,
            set_aside=(),
            erp=self.erp.shows(*earlier_invoices(self.case, self.records)),
            mail=tuple(one.message_id for one in self.mail),
            policy=tuple(self.replays),
            identity=self.identity,
        )
        return Played(self.case, record, evidence)

    def _view(self) -> dict[str, Any]:
        return {
            "case_id": self.case_id,
            "world": "ap",
            "exception_id": self.case_id,
            "invoice_id": self.invoice_id,
            "vendor_id": self.case.subject_id,
            "reason": self.case.follow,
            "state": self.state,
            "rules": self.case.rules,
            "stopped": None,
            "seq": len(self.rows),
            "in_motion": [],
            "waiting_on": self.waiting,
            "siblings": [],
            "resolved_by": None,
        }

    def _hears(self, type_: str, cause: dict[str, Any]) -> None:
        """The ERP publishes an event, and the desk receives it."""
        event_id = self.erp.publishes(type_, cause)
        self.say("event.received", "erp", event_id=event_id, type=type_, subject=self.case_id, event_cause=cause)

    def _raised(self) -> dict[str, Any]:
        return raised(self.case, self.case_id, self.invoice_id)

    def _forms(self, refs: Iterable[str]) -> list[str]:
        return [form for ref in refs for form in self.records[ref].forms]
