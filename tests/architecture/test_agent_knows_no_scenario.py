"""The agent that is measured knows nothing of what measures it: no name, sentence or value of the catalogue."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.support.repository import ROOT

from deskworld.worlds.ap import names

PACKAGE = ROOT / "services" / "agent" / "src" / "deskworld_agent"
SHINGLE = 5
"""Words in a row that are more than chance."""
SCRIPTED = {"answers", "words", "text", "subject", "keep", "wait", "title", "why", "taught"}
# words of the scenario file's own language, not values of a situation
LANGUAGE = re.compile(r"[a-z]+(-[a-z]+)*")


@dataclass
class Known:
    """What the catalogue holds that an agent must not."""

    names: set[str] = field(default_factory=set)
    sentences: set[str] = field(default_factory=set)
    literals: set[str] = field(default_factory=set)


def catalogue() -> Known:
    known = Known()
    files = sorted((ROOT / "scenarios").rglob("*.yaml"))
    assert len(files) >= 5
    for file in files:
        scenario = yaml.safe_load(file.read_text())
        if "seed" not in scenario:
            continue
        known.names.add(scenario["name"])
        known.sentences |= set(sentences(scenario))
        known.literals |= set(literals(scenario["seed"]))
    known.literals |= {*names.VENDORS, *names.VENDOR_PEOPLE}
    realm = json.loads((ROOT / "infra" / "keycloak" / "realm.json").read_text())
    known.literals |= {user["username"] for user in realm["users"] if "." in user["username"]}
    return known


def sentences(value: Any, *, scripted: bool = False) -> Iterator[str]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from sentences(inner, scripted=scripted or key in SCRIPTED)
        case list():
            for inner in value:
                yield from sentences(inner, scripted=scripted)
        case str() if scripted:
            yield value


def literals(value: Any) -> Iterator[str]:
    """Codes, descriptions and sums of a seed. Whole numbers are too common to belong to anybody."""
    match value:
        case dict() | list():
            for inner in value.values() if isinstance(value, dict) else value:
                yield from literals(inner)
        case str() if not LANGUAGE.fullmatch(value) and not value.isupper():
            yield value
        case str() if re.search(r"\d", value):
            yield value
        case float():
            yield f"{value:.2f}"


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"\{\w+\}", " | ", text.lower()))


def shingles(text: str) -> Iterator[tuple[str, ...]]:
    """Each run of words; a placeholder breaks the run, and a short sentence is a run of its own."""
    for run in re.split(r"\{\w+\}", text.lower()):
        said = re.findall(r"\w+", run)
        if len(said) >= SHINGLE:
            yield from (tuple(said[at : at + SHINGLE]) for at in range(len(said) - SHINGLE + 1))


def betrayed(text: str, known: Known, strings: frozenset[str] = frozenset()) -> list[str]:
    """What of the catalogue stands in the text. A name of one word counts where it is a string of its own."""
    found = [name for name in known.names if "-" in name and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]
    found += [name for name in known.names if "-" not in name and name in strings]
    spoken = list(re.findall(r"\w+", text.lower()))
    runs = {tuple(spoken[at : at + SHINGLE]) for at in range(len(spoken) - SHINGLE + 1)}
    found += [sentence for sentence in known.sentences if any(run in runs for run in shingles(sentence))]
    found += [value for value in known.literals if re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.]*\d)", text)]
    return sorted(found)


def sources() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".md", ".json", ".yaml", ".txt"})


def string_constants(path: Path) -> frozenset[str]:
    if path.suffix != ".py":
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text()))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_nothing_of_the_catalogue_stands_in_the_agent() -> None:
    known = catalogue()
    found = {path.relative_to(ROOT): betrayed(path.read_text(), known, string_constants(path)) for path in sources()}
    assert len(found) > 10
    assert {path: what for path, what in found.items() if what} == {}


def test_what_must_not_stand_there_would_be_found() -> None:
    known = catalogue()
    for name in known.names:
        assert betrayed(f'if scenario == "{name}":', known, frozenset({name})) == [name]
    spoken = [sentence for sentence in known.sentences if any(shingles(sentence))]
    assert len(spoken) >= 30
    for sentence in spoken:
        assert sentence in betrayed(f'EXPECTED = "{sentence.upper()}"', known)
    for value in known.literals:
        assert value in betrayed(f"KNOWN = ('{value}', 1)", known)


def test_the_agents_package_imports_nothing_that_could_tell_it() -> None:
    for path in sources():
        if path.suffix != ".py":
            continue
        imported = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert not {name for name in imported if name.startswith("deskworld")} - {"deskworld_agent"}, path
        assert "scenarios" not in path.read_text()
