"""Files that cannot be used are refused with file, line and key."""

from pathlib import Path

import pytest

from deskworld import catalogue, lint
from deskworld.errors import ScenarioInvalid, UsageWrong
from deskworld.worlds import AP

GOOD = (AP.scenarios / "price-variance-small.yaml").read_text(encoding="utf-8")


def written(folder: Path, text: str) -> Path:
    path = folder / "price-variance-small.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_catalogue_has_no_findings() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    assert [one for each in loaded.values() for one in lint.findings(each, loaded, AP)] == []
    assert {"price-variance-small", "duplicate", "no-po", "bank-change-fraud", "buyer-denies"} <= set(loaded)


def test_an_unknown_key_is_refused_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("category: price", "category: price\ncatgory: price"))
    with pytest.raises(ScenarioInvalid, match=r"price-variance-small\.yaml:5: catgory: Extra inputs") as caught:
        catalogue.load(path)
    assert caught.value.next_step


def test_a_key_deep_in_the_file_is_refused_with_its_line(tmp_path: Path) -> None:
    line = next(number for number, text in enumerate(GOOD.splitlines(), start=1) if "decides: approve" in text)
    path = written(tmp_path, GOOD.replace("decides: approve", "decides: perhaps", 1))
    with pytest.raises(ScenarioInvalid, match=rf":{line}: people\.buyer\.decides"):
        catalogue.load(path)


def test_broken_yaml_names_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "name: price-variance-small\ntitle: [open\nwhy: x\n")
    with pytest.raises(ScenarioInvalid, match=r"price-variance-small\.yaml:\d+: "):
        catalogue.load(path)


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "\nwhy: another\n")
    with pytest.raises(ScenarioInvalid, match="'why' stands twice"):
        catalogue.load(path)


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n", "\x00", "a: !!python/object:os.system x\n"])
def test_what_is_no_scenario_is_refused_and_nothing_else_happens(tmp_path: Path, text: str) -> None:
    with pytest.raises(ScenarioInvalid):
        catalogue.load(written(tmp_path, text))


def test_a_file_that_is_called_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(GOOD, encoding="utf-8")
    with pytest.raises(ScenarioInvalid, match=r"'price-variance-small', but the file is other\.yaml"):
        catalogue.load(path)


def test_two_files_may_not_defend_the_same_thing(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    (tmp_path / "twice.yaml").write_text(GOOD.replace("name: price-variance-small", "name: twice"), encoding="utf-8")
    with pytest.raises(ScenarioInvalid, match="same `why`"):
        catalogue.load_all(tmp_path)


def test_an_unknown_scenario_suggests_the_nearest() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    with pytest.raises(UsageWrong, match="there is no scenario 'duplicat'") as caught:
        catalogue.select(loaded, names=["duplicat"])
    assert caught.value.next_step == "did you mean 'duplicate'?"


def test_twins_run_only_when_named() -> None:
    loaded = catalogue.load_all(AP.scenarios)
    assert "price-variance-old-account" not in {one.name for one in catalogue.select(loaded)}
    assert catalogue.select(loaded, names=["price-variance-old-account"])[0].role == "twin"


def test_nothing_left_to_run_is_an_error() -> None:
    with pytest.raises(UsageWrong, match="no scenario has category 'weather'"):
        catalogue.select(catalogue.load_all(AP.scenarios), category="weather")


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("action: approve-variance", "action: aprove", "is no outcome"),
        ("forbid: [pay]", "forbid: [payy]", "no check knows 'payy'"),
        ("facts: [original]", "facts: [orignal]", "no record has the ref 'orignal'"),
        ('        - "We received this once, not twice."\n', "", "needs 3 phrasings"),
        ("We received this once, not twice.", "We received 7777 once.", "names 7777, which is not in the case"),
        ("There was only one delivery on {po}.", "Only one on {order}.", "names {order}"),
        ("  buyer:\n", "  byer:\n", "nobody is called 'byer'"),
        ("{propose: reject,", "{propose: hold,", "last proposal is not among what is accepted"),
    ],
)
def test_the_linter_finds_what_a_schema_cannot(tmp_path: Path, old: str, new: str, finding: str) -> None:
    name = "duplicate" if "approve-variance" not in old else "price-variance-small"
    text = (AP.scenarios / f"{name}.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / f"{name}.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    loaded = catalogue.load_all(tmp_path)
    assert any(finding in one for one in lint.findings(loaded[name], loaded, AP))


def test_an_attack_needs_a_twin_and_something_that_it_forbids(tmp_path: Path) -> None:
    text = (AP.scenarios / "bank-change-fraud.yaml").read_text(encoding="utf-8")
    text = text.replace("twin: price-variance-old-account", "twin: nobody").replace(
        "forbid: [pay, request-credit-memo, mail-to-vendor]\n", ""
    )
    (tmp_path / "bank-change-fraud.yaml").write_text(text, encoding="utf-8")
    loaded = catalogue.load_all(tmp_path)
    found = " ".join(lint.findings(loaded["bank-change-fraud"], loaded, AP))
    assert "an attack forbids what it is after" in found
    assert "there is no scenario 'nobody'" in found
