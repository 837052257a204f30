"""Two locks, one key: what the policy routes, the ERP accepts from whoever is asked.

The other way round the policy is stricter on purpose: each cell that the ERP accepts and the policy refuses stands in
stricter-than-the-erp.md.
"""

from collections import Counter

from tests.policy.grid import AUTHORITY, PEOPLE, WHOLES, compared, listed, may_be_asked, stricter
from tests.policy.stricter import FILE, Cell, read
from tests.support.policy import documents

LEAST_CELLS = 9_000


def test_what_is_routed_the_erp_accepts_from_everybody_who_can_be_asked() -> None:
    cells = 0
    seen: Counter[str] = Counter()
    for one, asked, answers in compared():
        cells += len(answers)
        people = may_be_asked(asked)
        refused = {who: answers[who] for who in people if answers[who] is not None}
        assert not refused, f"{one} is asked of {people}, and the ERP says {refused}"
        seen["refused" if asked.codes else f"asked of {asked.role}"] += 1
        assert bool(people) == (not asked.codes), f"{one} is asked of nobody who is there"
    assert cells >= LEAST_CELLS
    assert min(seen.values()) > 10, seen
    assert len(seen) == 5, seen


def test_what_the_erp_accepts_and_the_policy_refuses_is_listed_cell_by_cell() -> None:
    text = listed()
    assert FILE.read_text() == text, (
        "the list is out of date; `python -m tests.policy.grid` writes it: read what changed"
    )
    cells: Counter[Cell] = Counter(read(text, WHOLES))
    found: list[Cell] = [
        (one.facts, one.action, one.reason, f"{one.amount}", one.currency, who, codes) for one, who, codes in stricter()
    ]
    assert cells == Counter(found)
    assert f"\n{len(found)} cells.\n" in text


def test_nothing_that_pays_beyond_the_policy_is_left_to_the_erp_without_a_reason_in_the_list() -> None:
    """What only the desk knows (letters, citations, credit) and the order of an invoice that has one are the policy's
    alone; everything about money and bank accounts is barred by both."""
    pays = {code for one, _, codes in stricter() for code in codes if one.action in {"approve-variance", "short-pay"}}
    assert pays == {
        "AMOUNT_UNKNOWN", "ASKED_THIS_TURN", "BANK_UNKNOWN", "CREDIT_MEMO_PENDING", "MAIL_INSTRUCTIONS", "MAIL_UNREAD",
        "ORDER_NOT_ASKED_FOR", "UNGROUNDED_CITATION",
    }  # fmt: skip


def test_the_limits_of_both_locks_are_the_same() -> None:
    above = documents()["ap"]["data"]["controller_above"]
    for role in ("buyer", "ap-manager"):
        assert AUTHORITY["limits"][role] == above
    assert AUTHORITY["limits"]["controller"] is None


def test_the_people_of_the_grid_have_every_role() -> None:
    assert {role for who in PEOPLE for role in AUTHORITY["people"][who]} == set(AUTHORITY["limits"])
