"""The JSON Schema that editors are given says what the loader says."""

import json
from typing import Any

import jsonschema
import pytest
import yaml

from deskworld.schema import scenario_schema
from deskworld.worlds import AP

FILES = sorted(path for path in AP.scenarios.glob("*.yaml") if path.stem != "gates")


@pytest.fixture(scope="module")
def validator() -> Any:
    return jsonschema.Draft202012Validator(json.loads((AP.scenarios / "scenario.schema.json").read_text("utf-8")))


def test_the_published_schema_is_the_one_of_this_code() -> None:
    published = json.loads((AP.scenarios / "scenario.schema.json").read_text("utf-8"))
    assert published == json.loads(json.dumps(scenario_schema(AP))), "print it anew: harness schema"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_fits_and_names_its_schema(validator: Any, path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    assert text.startswith("# yaml-language-server: $schema=scenario.schema.json\n")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("catgory", "price"),
        ("category", "weather"),
        ("forbid", ["payy"]),
        ("settled-by", "nobody"),
        ("people", {"byer": {}}),
        ("seed", {"invoice": {"lines": [{"line": "one"}]}, "raises": ["NO_PO"]}),
        ("oracle", []),
    ],
)
def test_what_the_loader_refuses_an_editor_marks(validator: Any, key: str, value: Any) -> None:
    good = yaml.safe_load((AP.scenarios / "no-po.yaml").read_text("utf-8"))
    assert list(validator.iter_errors({**good, key: value}))
