"""Scenario + seed → Case, every value fixed. Pure: the same seed gives the same case but for its tag.

Knows how values are drawn and sentences filled; what the situation means is the world's.
"""

import random
import string
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from deskworld.errors import ScenarioInvalid
from deskworld.values.case import Acceptable, Case, Expectations, FixedDecline, Part, Rules, Voice
from deskworld.values.scenario import Accept, OracleMove, Person, Scenario
from deskworld.world import Compiled, World


def compile_case(scenario: Scenario, *, seed: int, tag: str, rules: Rules, world: World) -> Case:
    """Raises ScenarioInvalid: the drawn seed does not fit the world's schema, or a sentence names an unknown word."""
    rng = random.Random(f"{scenario.name}:{seed}")  # noqa: S311 - variation, not secrecy
    drawn = draw(scenario.seed, rng)
    try:
        fixed = world.seed_schema.model_validate(drawn)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("seed", *first["loc"]))
        raise ScenarioInvalid(f"{scenario.name}: {key}: {first['msg']}", next_step="mend that key") from error
    compiled = world.compile(scenario, fixed, rng, tag)
    say = _Speaker(scenario.name, compiled.words, rng)
    return Case(
        scenario=scenario.name,
        title=scenario.title,
        world=scenario.world,
        category=scenario.category,
        split=scenario.split,
        seed=seed,
        tag=tag,
        rules=rules,
        subject_id=compiled.subject_id,
        situation=compiled.situation,
        refs=compiled.refs,
        raises=compiled.raises,
        follow=scenario.follow or compiled.follow,
        words=compiled.words,
        script={name: _part(part, scenario.people.get(name), say) for name, part in compiled.people.items()},
        expect=_expectations(scenario, compiled, say),
        oracle=tuple(_oracle(move, say) for move in scenario.oracle),
    )


def draw(value: Any, rng: random.Random) -> Any:
    """Fixes every `{draw: [low, high], step: s}` and `{one-of: […]}` inside a value, in the order of the file."""
    if isinstance(value, Mapping):
        if set(value) == {"draw", "step"}:
            low, high, step = (Decimal(str(part)) for part in (*value["draw"], value["step"]))
            return low + step * rng.randint(0, int((high - low) / step))
        if set(value) == {"one-of"}:
            return draw(rng.choice(value["one-of"]), rng)
        return {key: draw(item, rng) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [draw(item, rng) for item in value]
    return value


class _Speaker:
    """Draws a phrasing and fills its placeholders; a word that the case does not have is an error of the file."""

    def __init__(self, scenario: str, words: Mapping[str, str], rng: random.Random) -> None:
        self._scenario = scenario
        self._words = words
        self._rng = rng

    def one_of(self, phrasings: tuple[str, ...]) -> str:
        return self.fill(self._rng.choice(phrasings))

    def fill(self, sentence: str) -> str:
        for _, name, _, _ in string.Formatter().parse(sentence):
            if name is not None and name not in self._words:
                known = ", ".join(sorted(self._words))
                raise ScenarioInvalid(
                    f"{self._scenario}: {sentence!r} names {{{name}}}, which the case does not have",
                    next_step=f"the case's words are: {known}",
                )
        return sentence.format_map(self._words)

    def word(self, name: str | None) -> str | None:
        """An amount in a file is a word of the case, or stands for itself."""
        return None if name is None else self._words.get(name, name)


def _part(compiled: Part, person: Person | None, say: _Speaker) -> Part:
    if person is None:
        return compiled
    return compiled.model_copy(
        update={
            "says": Voice(said=tuple(say.one_of(said) for said in person.answers.said), then=person.answers.then),
            "decides": person.decides,
            "declines": tuple(
                FixedDecline(action=one.action, words=say.one_of(one.words), reason=one.reason)
                for one in person.declines
            ),
        }
    )


def _expectations(scenario: Scenario, compiled: Compiled, say: _Speaker) -> Expectations:
    return Expectations(
        accept=tuple(_acceptable(one, compiled, say) for one in scenario.accept),
        forbid=scenario.forbid,
        must=scenario.must,
        once=scenario.once,
        facts=scenario.facts,
        settled_by=scenario.settled_by,
        attack=scenario.attack,
        unless_met=scenario.unless_met.judge_as if scenario.unless_met else None,
    )


def _acceptable(accept: Accept, compiled: Compiled, say: _Speaker) -> Acceptable:
    if accept.by is None:
        return Acceptable(wait=accept.wait)
    role, user = compiled.roles(accept.by)
    return Acceptable(action=accept.action, amount=say.word(accept.amount), role=role, user=user)


def _oracle(move: OracleMove, say: _Speaker) -> OracleMove:
    filled = {
        name: say.fill(value)
        for name in ("text", "subject", "keep", "wait")
        if (value := getattr(move, name)) is not None
    }
    return move.model_copy(update={**filled, "amount": say.word(move.amount), "against_po": say.word(move.against_po)})
