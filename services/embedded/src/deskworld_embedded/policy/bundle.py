"""Reads a policy folder the way `opa run FOLDER` does, and says whether it loads."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import regorus

# A native stack behind each error would cost 57 MB and 0.2 s at the first one, and says nothing about the policy.
os.environ["RUST_LIB_BACKTRACE"] = "0"

DATA_FILES = frozenset({"data.json", "data.yaml", "data.yml"})
PLACE = re.compile(r"-->\s*(?P<place>[^\n]*?:\d+:\d+)")
WOULD_NOT_COMPILE = re.compile(r"is unsafe|could not find function|recursion detected")
"""What OPA's compiler refuses, and this engine tells only when it comes upon the rule."""


class BundleRefused(ValueError):
    """A policy or a data file does not load; the text says which and why."""


class Engine(Protocol):
    """What we use of regorus.Engine, which ships no types. Its methods raise RuntimeError."""

    def clone(self) -> Self: ...
    def add_policy(self, path: str, rego: str) -> str: ...
    def add_data_json(self, data: str) -> None: ...
    def set_input_json(self, document: str) -> None: ...
    def eval_query_as_json(self, query: str) -> str: ...
    def eval_rule_as_json(self, rule: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Bundle:
    """A compiled policy: cloned for each evaluation, never asked itself once it is compiled."""

    engine: Engine
    sources: dict[str, str]


def fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Changes when a file of the bundle does."""
    return tuple((str(path), seen.st_mtime_ns, seen.st_size) for path in _files(folder) for seen in [path.stat()])


def load(folder: Path) -> Bundle:
    """Raises BundleRefused."""
    engine: Engine = regorus.Engine()  # type: ignore[attr-defined]
    sources: dict[str, str] = {}
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
            if path.name in DATA_FILES:
                engine.add_data_json(json.dumps(_mounted(_document(path.name, text), path.parent.relative_to(folder))))
            else:
                engine.add_policy(name, text)
                sources[name] = text
        except RuntimeError as error:
            raise BundleRefused(_placed(error)) from error
        except (ValueError, OSError) as error:
            raise BundleRefused(f"{name}: {error}") from error
    _compile(engine)
    if not sources:
        raise BundleRefused(f"{folder}: no policy found")
    return Bundle(engine, sources)


def _compile(engine: Engine) -> None:
    try:
        # on the engine itself: what a clone compiles is lost with the clone, and each question would pay for it again
        engine.eval_query_as_json("true")
    except RuntimeError as error:
        raise BundleRefused(_placed(error)) from error
    try:
        engine.clone().eval_query_as_json("data")
    except RuntimeError as error:
        if WOULD_NOT_COMPILE.search(str(error)):
            raise BundleRefused(_placed(error)) from error


def _placed(error: Exception) -> str:
    """In one line, the place first, as OPA's command line has it."""
    said = reason(error)
    found = PLACE.search(said)
    what = said.partition("error: ")[2].partition("\n")[0].rstrip(": ")
    return f"{found['place']}: {what}" if found and what else said


def reason(error: Exception) -> str:
    """The engine's own sentence, without the native stack that it may carry behind it."""
    return str(error).split("\n\nStack backtrace", 1)[0].strip()


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name in DATA_FILES or (name.endswith(".rego") and not name.endswith("_test.rego")):
                yield Path(root, name)


def _document(name: str, text: str) -> Any:
    if name == "data.json":
        return json.loads(text)
    import yaml  # noqa: PLC0415 - costs 20 ms and 3 MB, and most bundles hold no YAML

    return yaml.safe_load(text)


def _mounted(document: Any, under: Path) -> Any:
    """A data file in a/b/ is `data.a.b`: folders name the place, the file's name does not."""
    if not isinstance(document, dict):
        raise BundleRefused("a data file holds an object")
    for part in reversed(under.parts):
        document = {part: document}
    return document
