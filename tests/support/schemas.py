"""The JSON Schemas of what the harness prints and reads, as docs/schemas publishes them.

`python -m tests.support.schemas` writes them anew.
"""

import json
from typing import Any, Final

from pydantic import BaseModel
from tests.support.repository import ROOT

from deskworld.values.campaign import Campaign
from deskworld.values.comparison import Comparison
from deskworld.values.gates import Gates
from deskworld.values.rescoring import Rescoring

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _schema(model: type[BaseModel], mode: Any) -> dict[str, Any]:
    return {"$schema": DIALECT, **model.model_json_schema(mode=mode)}


PUBLISHED: Final[dict[str, dict[str, Any]]] = {
    "campaign-1": _schema(Campaign, "serialization"),
    "comparison-1": _schema(Comparison, "serialization"),
    "rescoring-1": _schema(Rescoring, "serialization"),
    "gates-1": _schema(Gates, "validation"),
}

if __name__ == "__main__":
    folder = ROOT / "docs" / "schemas"
    folder.mkdir(exist_ok=True)
    for name, schema in PUBLISHED.items():
        (folder / f"{name}.json").write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
