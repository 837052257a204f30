"""Runs as a bundle stores them: played on a real stack, passed, and kept in `tests/corpus/played`.

They are made anew by playing (`harness run --agent oracle --scenarios NAME`): copy the case's file from the bundle.
"""

import json
from functools import cache
from pathlib import Path

from deskworld.bundle import StoredCase
from deskworld.calibration.grader import Run
from deskworld.values.evidence import Evidence
from deskworld.values.record import Record
from deskworld.values.verdict import Verdict

FOLDER = Path(__file__).parents[1] / "corpus" / "played"


@cache
def stored(name: str) -> StoredCase:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    values = {entry["kind"]: entry["value"] for entry in map(json.loads, lines)}
    return StoredCase(
        index=0,
        record=Record.model_validate(values["record"]),
        evidence=Evidence.model_validate(values["evidence"]),
        verdict=Verdict.model_validate(values["verdict"]),
    )


def run(name: str) -> Run:
    found = stored(name)
    assert found.evidence is not None
    return Run(found.record.case, found.record, found.evidence)
