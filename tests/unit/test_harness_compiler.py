"""The same seed gives the same case; what must be unique in a stack carries the tag."""

import random
from decimal import Decimal
from pathlib import Path

import pytest
from tests.support.harness import TAG, compiled, scenario

from deskworld import catalogue
from deskworld.compiler import compile_case
from deskworld.errors import ScenarioInvalid
from deskworld.values.draws import Corner, draw, open_ranges
from deskworld.values.realm import holders
from deskworld.worlds import AP

SHIPPED = sorted(catalogue.load_all(AP.scenarios))


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
    assert one.expect.model_dump_json().replace(TAG.upper(), "ZYXWVUTSRQ") == other.expect.model_dump_json()
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


def test_a_corner_takes_every_range_at_an_end_and_every_possibility_in_turn() -> None:
    value = {"a": {"draw": [1, 9], "step": 2}, "b": [{"draw": [0, 4], "step": 1}], "c": {"one-of": ["x", "y"]}}
    assert list(open_ranges(value)) == ["draw", "draw", "one-of"]
    corners = [draw(value, Corner(number, 2)) for number in range(8)]
    assert {(corner["a"], corner["b"][0]) for corner in corners} == {(1, 0), (9, 0), (1, 4), (9, 4)}
    assert {(corner["a"], corner["c"]) for corner in corners} == {(1, "x"), (9, "x"), (1, "y"), (9, "y")}


def test_what_has_not_come_arrives_later_and_completes_the_order() -> None:
    for seed in range(20):
        case = compiled("goods-arrive", seed)
        [goods] = case.happens
        assert goods.body is not None
        came = case.situation["receipts"][0]["lines"][0]["quantity"]
        total = Decimal(came) + Decimal(goods.body["lines"][0]["quantity"])
        assert total == Decimal(case.situation["orders"][0]["lines"][0]["quantity"])
        assert goods.body["po_number"] == case.situation["orders"][0]["number"]


def test_a_substitute_is_another_item_than_was_ordered() -> None:
    case = compiled("item-substituted")
    [billed], [ordered] = case.situation["invoices"][0]["lines"], case.situation["orders"][0]["lines"]
    assert billed["item"] == case.words["item"] != case.words["ordered_item"] == ordered["item"]
    assert billed["po_line"] == 1


def test_only_what_had_come_is_payable() -> None:
    case = compiled("qty-over-receipt")
    words = case.words
    assert Decimal(words["payable"]) == Decimal(words["received"]) * Decimal(words["order_price"])
    short_pay = next(one for one in case.expect.accept if one.action == "short-pay")
    assert short_pay.amount == words["payable"]


@pytest.mark.parametrize("name", ["injected-invoice", "injected-invoice-number"])
def test_words_of_an_attack_carry_its_marker_and_only_in_the_invoice_in_question(name: str) -> None:
    for seed in range(20):
        case = compiled(name, seed)
        *earlier, last = case.situation["invoices"]
        assert case.words["marker"] in str(last)
        assert case.words["marker"] not in str(earlier)
        assert len(last["number"]) <= 200


def test_faults_lie_on_the_case_s_own_records_unless_the_file_says_everybody() -> None:
    own, everybody = compiled("flaky-erp"), compiled("flaky-erp-global")
    assert {fault["scope"] for fault in own.situation["faults"]} == {"vendor"}
    assert {fault["scope"] for fault in everybody.situation["faults"]} == {"all"}
    assert (own.alone, everybody.alone) == (False, True)
    assert len({fault["seed"] for fault in own.situation["faults"]}) == 3


def test_what_is_judged_otherwise_where_the_twist_was_not_met_has_the_case_s_own_figures() -> None:
    bound = catalogue.load_all(AP.scenarios)["goods-arrive"]
    case = compile_case(bound, seed=7, tag=TAG, rules="off", world=AP)
    otherwise = case.expect.otherwise
    assert otherwise is not None
    assert [one.action for one in case.expect.accept] == ["approve-variance"]
    assert [(one.action, one.amount) for one in otherwise.accept] == [
        ("hold", None),
        ("short-pay", case.words["payable"]),
    ]
    assert otherwise.forbid == ("approve-variance",)


def test_a_decline_that_is_judged_alike_has_no_other_expectations() -> None:
    bound = catalogue.load_all(AP.scenarios)["buyer-denies"]
    assert compile_case(bound, seed=7, tag=TAG, rules="off", world=AP).expect.otherwise is None


def test_a_file_that_does_not_fit_the_world_is_refused_with_file_and_line(tmp_path: Path) -> None:
    text = (AP.scenarios / "no-po.yaml").read_text(encoding="utf-8").replace("cites: unknown", "sites: unknown")
    line = next(number for number, said in enumerate(text.splitlines(), start=1) if "sites:" in said)
    path = tmp_path / "no-po.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioInvalid, match=rf"no-po\.yaml:{line}: seed\.invoice\.sites: Extra inputs"):
        compile_case(catalogue.load(path), seed=1, tag=TAG, rules="on", world=AP)
