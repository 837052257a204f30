"""Right histories of the five first scenarios, settled by the rules or by the agent."""

from collections.abc import Callable

from tests.support.histories.history import By, History
from tests.support.histories.played import Played

from deskworld.values.realm import holders


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
