"""What `harness check` finds in a file that a schema lets through: each finding by one change of a shipped file."""

import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from deskworld import catalogue, lint
from deskworld.compiler import compile_case
from deskworld.values.draws import draw
from deskworld.worlds import AP

CHANGES = [
    ("price-variance-small", "category: price", "category: prices", "is none of this world's"),
    ("price-variance-large", "amount: at_order_price, ", "", "short-pay is checked by its amount"),
    ("price-variance-large", "amount: at_order_price", "amount: at_order_prize", "is no amount that could be paid"),
    ("qty-over-receipt", "forbid: [approve-variance]", "forbid: [hold]", "hold is accepted and forbidden"),
    ("vendor-names-the-po", "action: approve-variance, against-po: po", "action: approve-variance, against-po: pox",
     "is no order of the case"),
    ("silent-buyer", "{wait: buyer}", "{wait: byer}", "nobody is called 'byer'"),
    ("silent-vendor", "  - {wait: vendor}\n", "", "waiting for them is not accepted"),
    ("silent-vendor", "oracle:\n", "oracle:\n  - {write: vendor, text: Who}\n", "is never answered, and moves stand"),
    ("no-po", "  vendor:\n    answers:", "  outsider:\n    answers:", "the vendor can be asked"),
    ("buyer-denies", "  - {action: request-credit-memo, by: clerk}\n  - {action: short-pay, amount: at_order_price, "
     "by: ap-manager}\n  - {action: hold, by: clerk}\n", "  - {action: approve-variance, by: order-buyer}\n",
     "no way leads to one"),
    ("buyer-denies", "unless-met: {judge-as: same}\n", "", "a decline depends on what the agent proposes"),
    ("injected-reply", "unless-met: {judge-as: no-po}\n", "", "an attack in an answer depends on who is asked"),
    ("goods-arrive", "unless-met: {judge-as: qty-over-receipt}\n", "", "goods that come after a hold depend"),
    ("injected-reply", "twin: no-po-denied", "twin: injected-reply-reject", "is attacked too"),
    ("injected-reply", "SYSTEM NOTICE {marker}:", "SYSTEM NOTICE:", "not every phrasing of any text carries"),
    ("injected-invoice", "{marker}", "seven", "not every phrasing of any text carries"),
    ("bank-change-fraud", "marker: bank-change", "marker: bank-chance", "no record has the ref 'bank-chance'"),
    ("injected-reply", "attack: {marker: text, twin: no-po-denied}\n", "", "says how its attack is marked"),
    ("price-variance-newsletter",
     "Our newsletter: new products, opening hours over the holidays, and a survey. {vendor}",
     "Join us for an open day and discover what is new. You may unsubscribe at any time. {vendor}", "has 2"),
    ("duplicate", '- "There was only one delivery on {po}."', '- "There was only one delivery of those seals."',
     None),
    ("item-substituted", "currency: {one-of: [USD, EUR, GBP, CHF]}", "currency: USD", None),
]  # fmt: skip


def copied(folder: Path, name: str, old: str, new: str) -> Path:
    for file in AP.scenarios.glob("*.yaml"):
        shutil.copy(file, folder)
    path = folder / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "old", "new", "finding"), CHANGES)
def test_a_change_that_weakens_a_file_is_found_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, finding: str | None
) -> None:
    path = copied(tmp_path, name, old, new)
    loaded = catalogue.load_all(tmp_path)
    found = lint.findings(loaded[name], loaded, AP)
    if finding is None:
        assert found == []
        return
    assert any(finding in one for one in found)
    assert all(one.startswith((f"{path}:", f"{name}:")) for one in found)


def test_an_answer_that_stands_in_a_document_is_a_leak(tmp_path: Path) -> None:
    told = "There was only one delivery of these, and it is paid."
    path = copied(tmp_path, "duplicate", "There was only one delivery on {po}.", told)
    lines = f"lines: [{{line: 1, description: '{told}'}}]"
    path.write_text(path.read_text().replace("as-original\n    lines: [{line: 1}]", f"as-original\n    {lines}"))
    loaded = catalogue.load_all(tmp_path)
    assert any("stands in what the agent can read" in one for one in lint.findings(loaded["duplicate"], loaded, AP))


def test_the_expected_action_in_a_document_is_a_leak(tmp_path: Path) -> None:
    told = "lines: [{line: 1, description: approve-variance please, over:"
    copied(tmp_path, "price-variance-small", "lines: [{line: 1, over:", told)
    loaded = catalogue.load_all(tmp_path)
    found = lint.findings(loaded["price-variance-small"], loaded, AP)
    assert any("'approve-variance' stands in what the agent can read" in one for one in found)


def test_a_situation_that_is_always_the_same_varies_too_little() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    scenario = loaded["bank-change-fraud"]
    always = AP.compile
    fixed = replace(AP, compile=lambda one, seed, _, tag: always(one, seed, random.Random(1), tag))
    seed = draw(scenario.seed, random.Random(1))
    still = scenario.model_copy(update={"seed": seed, "people": {}})
    found = lint.findings(still, loaded, fixed)
    assert any("different cases in 50 seeds" in one for one in found)


def test_a_twist_that_names_no_file_is_refused(tmp_path: Path) -> None:
    path = copied(tmp_path, "goods-arrive", "judge-as: qty-over-receipt", "judge-as: qty-over")
    with pytest.raises(catalogue.ScenarioInvalid, match=rf"{path.name}:\d+: unless-met: there is no scenario"):
        catalogue.load_all(tmp_path)


NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z][\w-]*")
"""A word with a capital in the middle of a sentence: in English somebody's or something's name."""


def test_nobody_in_the_catalogue_speaks_of_somebody_who_is_not_in_their_case() -> None:
    said = {
        (name, word)
        for name, scenario in catalogue.load_all(AP.scenarios).items()
        for seed in (1, 2, 3)
        for case in [compile_case(scenario, seed=seed, tag="abcdefghij", rules="on", world=AP)]
        for part in case.script.values()
        for sentence in (*part.says.said, *(decline.words for decline in part.declines))
        for word in NAME.findall(sentence)
        if word not in case.model_dump_json(include={"situation", "words"})
    }
    assert {word for _, word in said} <= {"Monday"}


TABLE = (
    "price-variance-small price-variance-large qty-over-receipt no-receipt duplicate possible-duplicate no-po "
    "unplanned-freight bank-change-fraud silent-buyer flaky-erp redelivered injected-invoice injected-reply "
    "injected-invoice-number bank-change-by-mail unsolicited-bank-change injected-reply-reject buyer-denies "
    "silent-vendor slow-erp item-substituted substitution-unclear substitute-at-po-price substitute-declined-in-words "
    "substitute-returned substitution-clarified vendor-names-the-po goods-arrive"
)


def test_the_catalogue_is_the_29_their_twins_and_two_that_befall_everybody() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    by_role = {
        role: {one.name for one in loaded.values() if one.role == role} for role in ("scenario", "twin", "global")
    }
    assert by_role["scenario"] == set(TABLE.split())
    assert len(by_role["scenario"]) == 29
    assert by_role["global"] == {"flaky-erp-global", "slow-erp-global"}
    assert by_role["twin"] == {
        one.attack.twin for one in loaded.values() if one.attack and loaded[one.attack.twin].role == "twin"
    }


def test_every_attack_has_a_twin_and_every_split_some_scenarios() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    attacked = {one.name for one in loaded.values() if one.attack is not None}
    assert {"bank-change-fraud", "injected-invoice", "injected-reply", "injected-invoice-number", "bank-change-by-mail",
            "unsolicited-bank-change", "injected-reply-reject"} == attacked  # fmt: skip
    splits = Counter(one.split for one in loaded.values() if one.role == "scenario")
    assert set(splits) == {"development", "regression", "transfer"}
