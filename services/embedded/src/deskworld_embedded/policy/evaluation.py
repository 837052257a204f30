"""One question to the policy: a path below `data`, an input document, an answer exactly as OPA encodes it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from deskworld_embedded.policy.bundle import Bundle, Engine, reason

UNDEFINED: Any = object()
SMALLEST, LARGEST = -(2**63), 2**64 - 1
HALF_LETTER = re.compile("[\ud800-\udfff]")  # half of a surrogate pair is no letter; OPA reads it as U+FFFD too
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NO_VALUE = json.dumps("<undefined>")
"""How the engine writes that a rule has no value; a rule's value may read the same."""
PLACE = re.compile(r"-->\s*(?P<file>[^\n]*?):(?P<row>\d+):(?P<col>\d+)")


class InputMalformed(ValueError):
    """The input is not a JSON document."""


class NumberNotKept(ValueError):
    """A number that the engine would round. OPA keeps it exactly; a rounded amount could turn a decision around, so
    the question is refused."""


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    row: int
    col: int


class EvaluationFailed(RuntimeError):
    """What OPA calls an evaluation error."""

    def __init__(self, code: str, message: str, place: Place) -> None:
        super().__init__(message)
        self.code = code
        self.place = place


def parse(text: bytes | str) -> Any:
    """JSON as OPA reads it: no NaN, no number that would be rounded. Raises InputMalformed, NumberNotKept."""
    try:
        return json.loads(text, parse_int=_whole, parse_float=_decimal, parse_constant=_no_constant)
    except NumberNotKept:
        raise
    except (ValueError, RecursionError) as error:
        raise InputMalformed(str(error)) from error


def evaluate(bundle: Bundle, path: Sequence[str], document: Any) -> Any:
    """UNDEFINED when the path has no value for this input. Raises EvaluationFailed."""
    engine = bundle.engine.clone()  # half a microsecond, and no question ever sees another's input
    try:
        if document is not UNDEFINED:
            engine.set_input_json(HALF_LETTER.sub("\ufffd", json.dumps(document, ensure_ascii=False)))
        if (value := _of_rule(engine, path)) is not UNDEFINED:
            return value
        answer = json.loads(engine.eval_query_as_json(_reference(path)))
    except RuntimeError as error:
        raise _failed(reason(error)) from error
    rows = answer.get("result", [])
    return rows[0]["expressions"][0]["value"] if rows else UNDEFINED


def _of_rule(engine: Engine, path: Sequence[str]) -> Any:
    """The value of the rule at this path, at half the cost of a query. UNDEFINED where there is no such rule, it fails,
    or has perhaps no value: then the query says which, and how OPA says it."""
    if not all(map(NAME.fullmatch, path)):
        return UNDEFINED
    try:
        text = engine.eval_rule_as_json(".".join(("data", *path)))
    except RuntimeError:
        return UNDEFINED
    return UNDEFINED if text == NO_VALUE else json.loads(text)


def _reference(path: Sequence[str]) -> str:
    """OPA's reading of a URL path: whole numbers are numbers, all else is a string. Quoted, so that a path is never
    read as Rego."""
    return "data" + "".join(
        f"[{part}]" if re.fullmatch(r"-?\d{1,18}", part) else f"[{json.dumps(part)}]" for part in path
    )


def _failed(message: str) -> EvaluationFailed:
    found = PLACE.search(message)
    place = Place(found["file"], int(found["row"]), int(found["col"])) if found else Place("", 0, 0)
    said = message.rsplit("error: ", 1)[-1].strip()
    if "conflicts with" in said or "produce multiple outputs" in said:
        said = f"complete rules must not produce multiple outputs: {said}"
        return EvaluationFailed("eval_conflict_error", said, place)
    return EvaluationFailed("eval_builtin_error", said, place)


def _whole(text: str) -> int:
    if len(text) > 20 or not SMALLEST <= int(text) <= LARGEST:
        raise NumberNotKept(f"the number {text[:60]} cannot be kept exactly")
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    try:
        kept = Decimal(repr(value)) == Decimal(text)
    except ArithmeticError:
        kept = False
    if not kept:
        raise NumberNotKept(f"the number {text[:60]} cannot be kept exactly")
    return value


def _no_constant(text: str) -> float:
    raise InputMalformed(f"{text} is not JSON")
