"""Scenario + seed → Case, every value fixed. Pure: the same seed gives the same case but for its tag.

Knows how values are drawn and sentences filled; what the situation means is the world's.
"""

import random
import string
from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from deskworld.errors import ScenarioInvalid
from deskworld.values.case import Acceptable, Case, Expectations, FixedDecline, Happens, Part, Rules, Voice
from deskworld.values.draws import Draws, draw
from deskworld.values.scenario import Accept, OracleMove, Person, Scenario
from deskworld.world import Compiled, World


def compile_case(
    scenario: Scenario, *, seed: int, tag: str, rules: Rules, world: World, draws: Draws | None = None
) -> Case:
    """`draws` decides what the file leaves open; the case's seed does where none is given.

    Raises ScenarioInvalid: the drawn seed does not fit the world's schema, or a sentence names an unknown word.
    """
    rng = draws or random.Random(f"{scenario.name}:{seed}")  # noqa: S311 - variation, not secrecy
    drawn = draw(scenario.seed, rng)
    try:
        fixed = world.seed_schema.model_validate(drawn)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("seed", *first["loc"]))
        place = scenario.where("seed", *first["loc"])
        raise ScenarioInvalid(f"{place}: {key}: {first['msg']}", next_step="mend that key") from error
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
        alone=scenario.role == "global",
        rules=rules,
        subject_id=compiled.subject_id,
        situation=compiled.situation,
        refs=compiled.refs,
        raises=compiled.raises,
        follow=scenario.follow or compiled.follow,
        words=compiled.words,
        script={name: _part(part, scenario.people.get(name), say) for name, part in compiled.people.items()},
        happens=(*compiled.happens, *_happens(scenario, compiled, say)),
        expect=_expectations(scenario, compiled, say),
        oracle=tuple(_oracle(move, say) for move in scenario.oracle),
    )


class _Speaker:
    """Draws a phrasing and fills its placeholders; a word that the case does not have is an error of the file."""

    def __init__(self, scenario: str, words: Mapping[str, str], rng: Draws) -> None:
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
            "late": person.late,
            "decides": person.decides,
            "declines": tuple(
                FixedDecline(action=one.action, words=say.one_of(one.words), reason=one.reason)
                for one in person.declines
            ),
        }
    )


def _happens(scenario: Scenario, compiled: Compiled, say: _Speaker) -> Iterator[Happens]:
    for nth, when in enumerate(scenario.twist.redelivered, start=1):
        yield Happens(name=f"again-{nth}", kind="redelivery", when=when, who="stage", nth=nth)
    for nth, letter in enumerate(scenario.twist.unsolicited, start=1):
        if letter.by not in compiled.people or "@" not in compiled.people[letter.by].identity:
            writers = ", ".join(name for name, part in compiled.people.items() if "@" in part.identity)
            place = scenario.where("twist", "unsolicited", nth - 1)
            raise ScenarioInvalid(
                f"{place}: twist.unsolicited: {letter.by!r} writes no letters",
                next_step=f"these do: {writers}",
            )
        yield Happens(
            name=f"letter-{nth}",
            kind="mail",
            when="opened",
            who=compiled.people[letter.by].identity,
            subject=say.one_of(letter.subject),
            text=say.one_of(letter.text),
        )


def _expectations(scenario: Scenario, compiled: Compiled, say: _Speaker) -> Expectations:
    plain = scenario.plain
    return Expectations(
        accept=tuple(_acceptable(one, compiled, say) for one in scenario.accept),
        forbid=scenario.forbid,
        must=scenario.must,
        once=scenario.once,
        facts=scenario.facts,
        settled_by=scenario.settled_by,
        attack=scenario.attack,
        unless_met=scenario.unless_met.judge_as if scenario.unless_met else None,
        otherwise=_expectations(plain, compiled, say) if plain else None,
    )


def _acceptable(accept: Accept, compiled: Compiled, say: _Speaker) -> Acceptable:
    if accept.by is None:
        return Acceptable(wait=accept.wait)
    role, user = compiled.roles(accept.by)
    return Acceptable(
        action=accept.action,
        amount=say.word(accept.amount),
        against_po=say.word(accept.against_po),
        role=role,
        user=user,
    )


def _oracle(move: OracleMove, say: _Speaker) -> OracleMove:
    filled = {
        name: say.fill(value)
        for name in ("text", "subject", "keep", "wait")
        if (value := getattr(move, name)) is not None
    }
    return move.model_copy(update={**filled, "amount": say.word(move.amount), "against_po": say.word(move.against_po)})
