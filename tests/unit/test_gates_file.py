"""gates.yaml: what it says is asked, what it cannot mean is refused with its line, and its schema is published."""

import json
from pathlib import Path

import pytest
from tests.support.repository import ROOT
from tests.support.schemas import PUBLISHED

from deskworld import catalogue, gates
from deskworld.errors import UsageWrong
from deskworld.values.gates import Gates
from deskworld.worlds import AP

SCENARIOS = catalogue.load_all(AP.scenarios)


def written(folder: Path, text: str) -> Path:
    (folder / "gates.yaml").write_text(text, encoding="utf-8")
    return folder


def fitting(folder: Path) -> Gates:
    return gates.fitting(gates.read(folder), SCENARIOS, AP.outcomes, folder)


def test_the_shipped_gates_fit_the_shipped_catalogue() -> None:
    shipped = gates.fitting(gates.read(AP.scenarios), SCENARIOS, AP.outcomes, AP.scenarios)
    assert shipped.scripted.overall.rate == 1.0
    assert shipped.sampled.overall.lower_bound == 0.9
    assert shipped.sampled.categories["fraud"].rate == 1.0
    assert shipped.scripted.escalation == shipped.sampled.escalation == 0.6
    assert len(shipped.smoke) == 4
    assert shipped.not_covered


def test_a_folder_without_gates_asks_that_everything_passes(tmp_path: Path) -> None:
    assert gates.read(tmp_path) == Gates()
    assert Gates().sampled.overall.rate == 1.0


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("schema: deskworld/gates/1\nsampled:\n  overal: {rate: 1.0}\n", "gates.yaml:3: sampled.overal"),
        ("sampled:\n  overall:\n    rate: 1.5\n", "gates.yaml:3: sampled.overall.rate"),
        ("sampled:\n  overall: {rate: 1.0, lower-bound: 0.9}\n", "either a rate or a lower-bound"),
        ("sampled:\n  overall: {}\n", "either a rate or a lower-bound"),
        ("schema: deskworld/gates/2\n", "gates.yaml:1: schema"),
        ("- a list\n", "gates.yaml:1: (the file)"),
        ("sampled: [\n", "cannot be read"),
        ("", "(the file)"),
    ],
)
def test_what_it_cannot_mean_is_refused_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(UsageWrong) as refused:
        gates.read(written(tmp_path, text))
    assert place in refused.value.what
    assert refused.value.next_step


@pytest.mark.parametrize(
    "text",
    [
        "sampled: {categories: {fraudd: {rate: 1.0}}}",
        "scripted: {scenarios: {price-variance-smal: {rate: 1.0}}}",
        "smoke: [nothing-like-it]",
        "pays: [approve]",
        "leaves: [holds]",
    ],
)
def test_a_gate_that_could_never_bite_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageWrong, match="there is no"):
        fitting(written(tmp_path, text))


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_schemas_are_published_as_they_are(name: str) -> None:
    # `python -m tests.support.schemas` writes them
    assert json.loads((ROOT / "docs" / "schemas" / f"{name}.json").read_text(encoding="utf-8")) == PUBLISHED[name]
