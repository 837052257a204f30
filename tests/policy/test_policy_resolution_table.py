"""The decision table of the rules, row by row, and what makes each row fall silent."""

import copy
from typing import Any

import pytest
from tests.support.policy import documents, resolution

TABLE = documents()["ap"]["resolution"]["table"]["rows"]
OPERATORS = {"is", "at_most", "above", "empty"}
NONSENSE: tuple[Any, ...] = ("unknown", "", None, 7, -1, True, [], ["found"], {}, "nonsense")

Json = dict[str, Any]


def situation(reason: str, facts: Json | None = None, declined: list[Json] | None = None) -> Json:
    return {
        "case": {"id": "x-1", "reason": reason},
        "facts": {
            "open": [{"id": "x-1", "reason": reason, "held": False}],
            "masked": [],
            "largest_line_variance": "unknown",
            "payable": "unknown",
            "original": "unknown",
            "duplicate_cover": "unknown",
            "substitution": {"reason": "unknown", "price": "absent"},
            "bank_change": "unknown",
            "letter": "none",
            **(facts or {}),
        },
        "declined": declined or [],
    }


def declined(how: str, action: str = "approve-variance") -> list[Json]:
    return [{"action": action, "how": how}]


PAYABLE = {"payable": "1000.00"}
KNOWN = {"substitution": {"reason": "known", "price": "as-billed"}, "letter": "answered"}

ROWS: list[tuple[str, Json, str, str | None]] = [
    ("4 % over", situation("PRICE_VARIANCE", {"largest_line_variance": "4.00"}), "approve-variance", None),
    ("10 % over", situation("PRICE_VARIANCE", {"largest_line_variance": "10.00"}), "approve-variance", None),
    ("10.01 % over", situation("PRICE_VARIANCE", {"largest_line_variance": "10.01"}), "request-credit-memo", None),
    ("declined in words", situation("PRICE_VARIANCE", PAYABLE, declined("words")), "request-credit-memo", None),
    ("declined, return", situation("PRICE_VARIANCE", PAYABLE, declined("RETURN_GOODS")), "request-credit-memo", None),
    ("declined, PO price", situation("PRICE_VARIANCE", PAYABLE, declined("PAY_PO_PRICE")), "short-pay", "1000.00"),
    ("more billed than came", situation("QTY_OVER_RECEIPT"), "hold", None),
    ("nothing came", situation("NO_RECEIPT"), "hold", None),
    ("billed twice", situation("DUPLICATE", {"original": "found"}), "reject", None),
    ("two deliveries", situation("POSSIBLE_DUPLICATE", {"duplicate_cover": "all"}), "approve-variance", None),
    ("one delivery", situation("POSSIBLE_DUPLICATE", {"duplicate_cover": "none"}), "reject", None),
    ("freight", situation("UNPLANNED_CHARGE", PAYABLE), "short-pay", "1000.00"),
    ("bank change", situation("VENDOR_BANK_CHANGED", {"bank_change": "pending"}), "hold", None),
    ("substituted", situation("ITEM_SUBSTITUTED", KNOWN), "approve-variance", None),
    ("substitute, PO price", situation("ITEM_SUBSTITUTED", PAYABLE, declined("PAY_PO_PRICE")), "short-pay", "1000.00"),
    ("substitute, return", situation("ITEM_SUBSTITUTED", KNOWN, declined("RETURN_GOODS")), "request-credit-memo", None),
]

UNHANDLED: list[tuple[str, Json]] = [
    ("no order", situation("NO_PO", PAYABLE)),
    ("currency", situation("CURRENCY_MISMATCH", PAYABLE)),
    ("unit", situation("UOM_MISMATCH", PAYABLE)),
    ("arithmetic", situation("DOCUMENT_ARITHMETIC", PAYABLE)),
    ("part of it came twice", situation("POSSIBLE_DUPLICATE", {"duplicate_cover": "part"})),
    ("no original", situation("DUPLICATE", {"original": "none"})),
    ("nothing payable", situation("UNPLANNED_CHARGE", {"payable": "0.00"})),
    ("no bank change", situation("VENDOR_BANK_CHANGED", {"bank_change": "none"})),
    ("another price stated", situation("ITEM_SUBSTITUTED", {"substitution": {"reason": "known", "price": "other"}})),
    ("substitute declined in words", situation("ITEM_SUBSTITUTED", {**KNOWN, **PAYABLE}, declined("words"))),
    ("still unclear after a letter", situation("ITEM_SUBSTITUTED", {"letter": "answered"})),
    ("letter not answered", situation("ITEM_SUBSTITUTED", {"letter": "sent"})),
    ("hold declined", situation("NO_RECEIPT", {}, declined("words", "hold"))),
    ("reject declined", situation("DUPLICATE", {"original": "found"}, declined("words", "reject"))),
    ("freight declined", situation("UNPLANNED_CHARGE", PAYABLE, declined("words", "short-pay"))),
    ("a reason nobody knows", situation("SOMETHING_ELSE", PAYABLE)),
]


@pytest.mark.parametrize(("title", "asked", "action", "amount"), ROWS, ids=[row[0] for row in ROWS])
def test_the_row_proposes_what_the_table_says(title: str, asked: Json, action: str, amount: str | None) -> None:
    found = resolution(asked)
    assert (found["effect"], found["action"], found["amount"]) == ("propose", action, amount)
    assert found["row"] in {row["id"] for row in TABLE}
    assert found["reason"] is None


def test_every_row_of_the_table_was_met() -> None:
    met = {resolution(asked)["row"] for _, asked, _, _ in ROWS}
    met.add(resolution(situation("ITEM_SUBSTITUTED"))["row"])
    assert met == {row["id"] for row in TABLE}


def test_an_unknown_substitution_is_asked_for_by_letter() -> None:
    found = resolution(situation("ITEM_SUBSTITUTED"))
    assert (found["effect"], found["row"], found["action"]) == ("ask", "substituted-without-a-reason", None)


@pytest.mark.parametrize(("title", "asked"), UNHANDLED, ids=[case[0] for case in UNHANDLED])
def test_what_no_row_covers_is_the_agents(title: str, asked: Json) -> None:
    found = resolution(asked)
    assert (found["effect"], found["reason"], found["row"], found["action"]) == ("stop", "unhandled", None, None)
    assert found["reasons"]


def rested_on(asked: Json) -> list[tuple[str, ...]]:
    """The paths of the facts that the matched row names, and of what every row rests on."""
    row = next(row for row in TABLE if row["id"] == resolution(asked)["row"])
    paths = [("facts", *fact.split(".")) for fact in row["when"]]
    return [*paths, ("facts", "open"), ("facts",), ("case", "id"), ("case", "reason"), ("case",), ("declined",)]


@pytest.mark.parametrize(("title", "asked", "action", "amount"), ROWS, ids=[row[0] for row in ROWS])
def test_an_unreadable_fact_never_proposes(title: str, asked: Json, action: str, amount: str | None) -> None:
    for path in rested_on(asked):
        for value in (*NONSENSE, "absent"):
            spoiled = copy.deepcopy(asked)
            holder = spoiled
            for step in path[:-1]:
                holder = holder[step]
            before = holder.pop(path[-1])
            if value != "absent":
                holder[path[-1]] = value
            # An empty list is readable: nothing masked, or nothing declined.
            if value == before or (value == [] and path[-1] == "declined"):
                continue
            found = resolution(spoiled)
            assert found["effect"] != "propose", f"{path} = {value!r} proposed {found['action']}"


def test_with_siblings_open_only_a_hold_applies() -> None:
    sibling = {"id": "x-2", "reason": "DOCUMENT_ARITHMETIC", "held": False}
    for title, asked, action, _ in ROWS:
        beside = copy.deepcopy(asked)
        beside["facts"]["open"].append(sibling)
        found = resolution(beside)
        assert (found["effect"] == "propose") == (action == "hold"), title
    asking = situation("ITEM_SUBSTITUTED")
    asking["facts"]["open"].append(sibling)
    assert resolution(asking)["effect"] == "stop"


def test_a_decline_leaves_only_the_rows_that_name_it() -> None:
    for row in TABLE:
        for action in ("approve-variance", "short-pay", "hold", "reject", "request-credit-memo"):
            for how in ("words", "PAY_PO_PRICE", "RETURN_GOODS", "unknown"):
                everything = {
                    **PAYABLE, "largest_line_variance": "4.00", "original": "found", "duplicate_cover": "all",
                    "bank_change": "pending", **KNOWN,
                }  # fmt: skip
                found = resolution(situation(row["exception"], everything, declined(how, action)))
                matched = next((one for one in TABLE if one["id"] == found["row"]), None)
                assert matched is None or (
                    matched["after_decline"]["action"] == action and how in matched["after_decline"]["how"]
                )


def test_no_two_rows_can_match_the_same_facts() -> None:
    """Over every combination of known values the table is never in conflict with itself."""
    variances, payables = ("unknown", "0.00", "10.00", "10.01", "250.00"), ("unknown", "0.00", "0.01", "900.00")
    for reason in {row["exception"] for row in TABLE}:
        for variance in variances:
            for payable in payables:
                for cover in ("all", "none", "part", "unknown"):
                    for substitution in (
                        {"reason": r, "price": p} for r in ("known", "unknown") for p in ("absent", "other")
                    ):
                        facts = {
                            "largest_line_variance": variance, "payable": payable, "original": "found",
                            "duplicate_cover": cover, "substitution": substitution, "bank_change": "pending",
                        }  # fmt: skip
                        for said in ([], declined("words"), declined("PAY_PO_PRICE"), declined("RETURN_GOODS")):
                            assert resolution(situation(reason, facts, said))["reason"] != "conflict"


def test_the_table_is_written_in_its_own_words() -> None:
    actions = set(documents()["ap"]["data"]["actions"])
    assert len({row["id"] for row in TABLE}) == len(TABLE)
    for row in TABLE:
        assert set(row) <= {
            "id", "exception", "after_decline", "beside_siblings", "when", "effect", "action", "amount", "why",
        }, row["id"]  # fmt: skip
        assert row["why"].endswith(".")
        assert all(len(condition) == 1 and set(condition) <= OPERATORS for condition in row["when"].values()), row["id"]
        assert (row["effect"] == "propose") == (row.get("action") in actions)
        if "amount" in row:
            assert row["when"][row["amount"]] == {"above": "0.00"}, row["id"]
