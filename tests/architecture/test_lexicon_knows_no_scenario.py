"""The lexicon reads letters, not the catalogue: no sentence that a scenario's people say stands in its source, in its
table of concepts, or in the letters that its weights are made from."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deskworld_desk.quarantine.training import FRAMES, LETTERS

ROOT = Path(__file__).parents[2]
LEXICON = ROOT / "services" / "desk" / "src" / "deskworld_desk" / "quarantine"
CORPUS = ROOT / "tests" / "corpus" / "letters"
WORDS_OF_A_SENTENCE = 4


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def plain(text: str) -> str:
    return " ".join(text.lower().split())


def sentences(folder: Path) -> set[str]:
    """Every string of four words and more in any YAML file, whole and sentence by sentence."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            for text in strings(document):
                pieces = [text, *re.split(r"(?<=[.!?])\s+", text)]
                found |= {plain(piece).strip(" .!?") for piece in pieces if len(piece.split()) >= WORDS_OF_A_SENTENCE}
    return found


def source() -> str:
    return "\n".join(plain(path.read_text("utf-8")) for path in sorted(LEXICON.rglob("*.py")))


def concepts() -> str:
    """Groups of stems as words beside each other."""
    return plain(re.sub(r"[_+$]+", " ", (LEXICON / "concepts.txt").read_text("utf-8")))


def learnt_from() -> str:
    lines = [line for name in (*LETTERS, FRAMES) for line in (CORPUS / name).read_text("utf-8").splitlines()]
    return "\n".join(plain(json.loads(line)["text"]) for line in lines)


def test_no_sentence_of_a_scenario_stands_in_the_lexicon() -> None:
    written = f"{source()}\n{concepts()}\n{learnt_from()}"
    assert sorted(sentence for sentence in sentences(ROOT / "scenarios") if sentence in written) == []


def test_the_search_would_find_one(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("people: {vendor: {answers: [['Short.', 'We shipped it Monday. Bye now.']]}}\n")
    assert sentences(tmp_path) == {"we shipped it monday. bye now", "we shipped it monday"}


@pytest.mark.parametrize("part", ["lexicon.py", "instructions.py", "phrases/english.py"])
def test_the_files_searched_are_the_lexicons(part: str) -> None:
    assert (LEXICON / part).is_file()
