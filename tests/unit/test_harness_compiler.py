"""The same seed gives the same case; what must be unique in a stack carries the tag."""

import random
from decimal import Decimal

import pytest
from tests.support.harness import TAG, compiled, scenario

from deskworld.compiler import compile_case
from deskworld.errors import ScenarioInvalid
from deskworld.values.draws import draw
from deskworld.values.realm import holders
from deskworld.worlds import AP

SHIPPED = ["price-variance-small", "duplicate", "no-po", "bank-change-fraud", "buyer-denies"]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_same_seed_gives_the_same_case(name: str) -> None:
    assert compiled(name, 11) == compiled(name, 11)
    assert compiled(name, 11) != compiled(name, 12)


@pytest.mark.parametrize("name", SHIPPED)
def test_another_tag_changes_identities_and_nothing_else(name: str) -> None:
    one = compiled(name)
    other = compile_case(scenario(name), seed=7, tag="zyxwvutsrq", rules="on", world=AP)
    assert one.subject_id != other.subject_id
    assert one.script["vendor"].identity != other.script["vendor"].identity
    assert one.expect == other.expect
    assert one.script["buyer"].identity == other.script["buyer"].identity
    assert one.words["total"] == other.words["total"]


def test_drawn_values_stay_inside_their_range_and_on_their_step() -> None:
    drawn = [
        draw({"draw": [Decimal("9.00"), Decimal("11.00")], "step": Decimal("0.50")}, random.Random(s))
        for s in range(200)
    ]
    assert set(drawn) == {Decimal("9.00") + Decimal("0.50") * step for step in range(5)}


def test_a_short_pay_is_expected_at_the_order_s_price() -> None:
    case = compiled("buyer-denies")
    line = case.situation["orders"][0]["lines"][0]
    short_pay = next(one for one in case.expect.accept if one.action == "short-pay")
    assert Decimal(short_pay.amount or "0") == Decimal(line["quantity"]) * Decimal(line["price"])
    assert short_pay.role == "ap-manager"


def test_the_order_s_buyer_is_a_named_person_of_the_realm() -> None:
    case = compiled("price-variance-small")
    assert case.expect.accept[0].user == case.situation["orders"][0]["buyer"] == case.script["buyer"].identity
    assert case.script["buyer"].identity in holders("buyer")
    assert {compiled("price-variance-small", seed).script["buyer"].identity for seed in range(40)} == set(
        holders("buyer")
    )


def test_a_duplicate_is_written_otherwise_and_never_the_same() -> None:
    for seed in range(50):
        original, again = compiled("duplicate", seed).situation["invoices"]
        assert original["number"] != again["number"]
        assert original["settled"] == "APPROVED"


def test_an_order_that_exists_nowhere_is_cited() -> None:
    case = compiled("no-po")
    assert case.situation["orders"] == []
    assert case.situation["invoices"][0]["po_reference"].startswith("PO-")


def test_a_look_alike_asks_for_the_bank_change_from_outside() -> None:
    change = compiled("bank-change-fraud").situation["bank_changes"][0]
    assert change["requested_from"].endswith(".outside.example")


def test_a_sentence_that_names_an_unknown_word_is_refused() -> None:
    broken = scenario("no-po")
    vendor = broken.people["vendor"]
    said = vendor.answers.model_copy(update={"said": (("We ordered {po}.",),)})
    people = {**broken.people, "vendor": vendor.model_copy(update={"answers": said})}
    with pytest.raises(ScenarioInvalid, match=r"names \{po\}, which the case does not have"):
        compile_case(broken.model_copy(update={"people": people}), seed=1, tag=TAG, rules="on", world=AP)


def test_a_seed_outside_the_world_s_schema_is_refused() -> None:
    broken = scenario("no-po")
    seed = {**broken.seed, "raises": ["BAD_WEATHER"]}
    with pytest.raises(ScenarioInvalid, match=r"seed\.raises"):
        compile_case(broken.model_copy(update={"seed": seed}), seed=1, tag=TAG, rules="on", world=AP)


def test_a_line_that_is_not_on_the_order_is_refused() -> None:
    broken = scenario("price-variance-small")
    seed = {**broken.seed, "receipts": [{"lines": [{"line": 3}]}]}
    with pytest.raises(ScenarioInvalid, match="line 3 is not on the order"):
        compile_case(broken.model_copy(update={"seed": seed}), seed=1, tag=TAG, rules="on", world=AP)
